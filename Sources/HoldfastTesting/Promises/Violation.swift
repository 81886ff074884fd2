/// A broken promise.
public struct Violation: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the promise, as its invariant calls it.
  public var promise: String
  /// The expectation, as a sentence without a subject.
  public var expected: String
  /// The finding.
  public var found: String

  package init(promise: String, expected: String, found: String) {
    (self.promise, self.expected, self.found) = (promise, expected, found)
  }

  public var description: String { "\(promise): expected \(expected), found \(found)" }
}
