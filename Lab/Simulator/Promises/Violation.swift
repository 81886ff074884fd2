/// A promise that was not kept.
package struct Violation: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the promise, as its invariant calls it.
  package var promise: String
  /// What the promise asks for, as a sentence without a subject of its own.
  package var expected: String
  /// What there was instead.
  package var found: String

  package init(promise: String, expected: String, found: String) {
    (self.promise, self.expected, self.found) = (promise, expected, found)
  }

  package var description: String { "\(promise): expected \(expected), found \(found)" }
}
