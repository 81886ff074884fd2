/// Functions called at every commit. The simulator uses them to crash before or after a commit; the shipped engine has
/// none.
package struct CommitGate: Sendable {
  /// Called before the file is opened, and each time that it is opened again.
  package let willOpen: @Sendable () throws -> Void
  /// Called at the end of the transaction, inside it: an error rolls the transaction back.
  package let willCommit: @Sendable () throws -> Void
  /// Called once the commit is on disk, before the caller learns of it.
  package let didCommit: @Sendable () throws -> Void

  package init(
    willOpen: @escaping @Sendable () throws -> Void = {},
    willCommit: @escaping @Sendable () throws -> Void = {},
    didCommit: @escaping @Sendable () throws -> Void = {}
  ) {
    (self.willOpen, self.willCommit, self.didCommit) = (willOpen, willCommit, didCommit)
  }
}
