/// Stands at every commit. The simulator puts a crash before or after one; the shipped engine has none.
package protocol CommitGate: Sendable {
  /// Called before the file is opened, and each time that it is opened again.
  func willOpen() throws
  /// Called inside the transaction, last: to throw rolls it back.
  func willCommit() throws
  /// Called once the commit is on disk, before the caller learns of it.
  func didCommit() throws
}

extension CommitGate {
  package func willOpen() throws {}
}
