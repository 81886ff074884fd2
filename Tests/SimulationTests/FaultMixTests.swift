import Simulator
import Testing

@Suite struct FaultMixTests {
  @Test(arguments: [
    "loss=1.1", "crash-after-commit=1e30", "phone-kill=1e30", "phone-kill=0.0001", "clock-jump=inf",
    "delay=0.5", "delay=1e30", "lost-network=nan",
  ])
  func `a rate that no world can live is refused`(option: String) {
    #expect(FaultMix(option: option) == nil)
  }

  @Test(arguments: Fault.allCases)
  func `a rate out of range becomes the nearest possible one`(fault: Fault) {
    var faults = FaultMix()
    for (absurd, lived) in [
      (1e30, fault.rates.upperBound), (.infinity, fault.rates.upperBound), (-1, 0), (.nan, 0), (0, 0),
      (1e-30, max(1e-30, fault.rates.lowerBound)),
    ] {
      faults[fault] = absurd
      #expect(faults[fault] == lived)
      #expect(FaultMix(option: faults.option) == faults)
    }
  }
}
