/// A broken promise.
package struct Violation: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the promise, as its invariant calls it.
  package var promise: String
  /// The expectation, as a sentence without a subject.
  package var expected: String
  /// The finding.
  package var found: String

  package init(promise: String, expected: String, found: String) {
    (self.promise, self.expected, self.found) = (promise, expected, found)
  }

  package var description: String { "\(promise): expected \(expected), found \(found)" }
}
