/// The random numbers of one simulated world. They come from SplitMix64, the generator of Steele, Lea and
/// Flood, "Fast Splittable Pseudorandom Number Generators" (OOPSLA 2014). The same seed gives the same draws on
/// every machine.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64
  /// The count of numbers drawn so far.
  public private(set) var draws = 0

  /// The numbers of a seed, from the first one.
  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    draws += 1
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  package mutating func unit() -> Double { Double(next() >> 11) / Double(1 << 53) }

  package mutating func chance(_ probability: Double) -> Bool { unit() < probability }

  /// Returns one of the choices, each with the same probability. Nil when there are none.
  package mutating func pick<Choice>(_ choices: [Choice]) -> Choice? {
    choices.isEmpty ? nil : choices[Int.random(in: choices.indices, using: &self)]
  }

  package mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration {
    .milliseconds(Int.random(in: range, using: &self))
  }
}
