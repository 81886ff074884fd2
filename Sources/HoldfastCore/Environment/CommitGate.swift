/// A hook at every commit. The simulator uses it to crash before or after a commit; the shipped engine has none.
package protocol CommitGate: Sendable {
  /// Called before the file is opened, and each time that it is opened again.
  func willOpen() throws
  /// Called at the end of the transaction, inside it: an error rolls the transaction back.
  func willCommit() throws
  /// Called once the commit is on disk, before the caller learns of it.
  func didCommit() throws
}

extension CommitGate {
  package func willOpen() throws {}
}
