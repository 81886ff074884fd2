import HoldfastTesting

/// The faults of one world, and how often each of them strikes.
///
/// ```swift
/// var faults = FaultMix()
/// faults[.lostReceipt] = 0.3      // of all answers to a message
/// faults[.phoneKill] = 10         // every ten seconds or so
/// ```
package struct FaultMix: Sendable, Hashable, CustomStringConvertible {
  private var rates: [Fault: Double] = [:]

  /// No faults.
  package init() {}

  /// The rate of a fault; 0 when it never strikes. The rate is a probability for faults of frames and commits,
  /// milliseconds for `delay`, and the mean seconds between strikes for all others. A rate outside ``Fault/rates``
  /// becomes the nearest rate inside.
  package subscript(_ fault: Fault) -> Double {
    get { rates[fault, default: 0] }
    set {
      let bounds = fault.rates
      rates[fault] = newValue > 0 ? min(max(newValue, bounds.lowerBound), bounds.upperBound) : nil
    }
  }

  /// The faults that can strike.
  package var faults: [Fault] { Fault.allCases.filter { self[$0] > 0 } }

  /// The latency of a frame, in milliseconds.
  var delay: ClosedRange<Int> { self[.delay] > 0 ? 1...Int(self[.delay]) : 5...40 }

  /// The milliseconds until a fault strikes again. Nil when it never strikes.
  func calm(before fault: Fault) -> ClosedRange<Int>? {
    let mean = self[fault]
    return mean > 0 ? 1...Int(mean * 2000) : nil
  }

  /// Draws some of the faults for one world. A mix of all faults would hide the effects of two of them together.
  static func drawn(from random: inout SeededRandom) -> FaultMix {
    var mix = FaultMix()
    func some(_ fault: Fault, _ chance: Double, _ rate: (inout SeededRandom) -> Double) {
      // Both are always drawn, so that the outcome of one draw does not change another fault's rate.
      let (strikes, rate) = (random.chance(chance), rate(&random))
      if strikes { mix[fault] = rate }
    }
    func seconds(_ range: ClosedRange<Int>) -> (inout SeededRandom) -> Double {
      { Double(Int.random(in: range, using: &$0)) }
    }
    some(.loss, 0.3) { $0.unit() * 0.15 }
    some(.delay, 0.3) { Double(Int.random(in: 100...2500, using: &$0)) }
    some(.duplicate, 0.3) { $0.unit() * 0.3 }
    some(.reorder, 0.25) { _ in 1 }
    some(.lostReceipt, 0.3) { $0.unit() * 0.3 }
    some(.brokenConnection, 0.3) { $0.unit() * 0.08 }
    some(.partition, 0.25, seconds(4...40))
    some(.lostNetwork, 0.3, seconds(2...40))
    some(.flapping, 0.2, seconds(3...30))
    some(.slowServer, 0.2, seconds(3...30))
    some(.rejection, 0.2, seconds(3...30))
    some(.serverError, 0.2, seconds(3...30))
    some(.busyServer, 0.2, seconds(3...30))
    some(.serverDisk, 0.15, seconds(5...40))
    some(.phoneDisk, 0.15, seconds(5...40))
    some(.crashBeforeCommit, 0.35) { $0.unit() * 0.05 }
    some(.crashAfterCommit, 0.35) { $0.unit() * 0.05 }
    some(.phoneKill, 0.35, seconds(3...60))
    some(.serverKill, 0.35, seconds(3...60))
    some(.clockJump, 0.3, seconds(2...30))
    some(.expiredCredentials, 0.2, seconds(3...30))
    some(.hostileFrame, 0.25) { $0.unit() * 0.15 }
    return mix
  }

  /// The mix as the command line takes it: "loss=0.05,phone-kill=12", or "none".
  package var option: String {
    guard !faults.isEmpty else { return "none" }
    return faults.map { fault in
      let rate = self[fault]
      return rate == rate.rounded() ? "\(fault.rawValue)=\(Int(rate))" : "\(fault.rawValue)=\(rate)"
    }.joined(separator: ",")
  }

  /// Reads the form that ``option`` writes. Nil when a name is unknown, or when a rate is neither 0 nor within
  /// ``Fault/rates``.
  package init?(option: String) {
    self.init()
    guard option != "none" else { return }
    for part in option.split(separator: ",", omittingEmptySubsequences: false) {
      let halves = part.split(separator: "=", maxSplits: 1)
      guard halves.count == 2, let fault = Fault(rawValue: String(halves[0])), let rate = Double(halves[1]),
        rate == 0 || fault.rates.contains(rate)
      else { return nil }
      self[fault] = rate
    }
  }

  package var description: String {
    guard !faults.isEmpty else { return "no faults" }
    return faults.map { fault in
      switch fault.unit {
      case .frames, .commits: "\(fault.rawValue) \((self[fault] * 1000).rounded() / 10)%"
      case .seconds: "\(fault.rawValue) every \(Int(self[fault])) s"
      case .milliseconds: "\(fault.rawValue) up to \(Int(self[fault])) ms"
      }
    }.joined(separator: ", ")
  }
}
