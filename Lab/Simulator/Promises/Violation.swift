/// A promise that was not kept.
public struct Violation: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the promise, as its invariant calls it.
  public var promise: String
  /// What the promise asks for, as a sentence without a subject of its own.
  public var expected: String
  /// What there was instead.
  public var found: String

  package init(promise: String, expected: String, found: String) {
    (self.promise, self.expected, self.found) = (promise, expected, found)
  }

  public var description: String { "\(promise): expected \(expected), found \(found)" }
}
