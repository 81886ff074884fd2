/// A promise that was not kept.
public struct Violation: Error, Sendable, Hashable, CustomStringConvertible {
  /// Which promise, as the invariant is named.
  public var promise: String
  public var expected: String
  public var found: String

  public var description: String { "\(promise): expected \(expected), found \(found)" }
}
