import GRDB
import HoldfastCore

extension Store {
  /// Appends text of running replies to the stream log. It survives the end of the process, as after
  /// ``writeUnsynced(_:)``, and costs no page and no sync. It survives a power failure after ``syncTail()``.
  ///
  /// A store that several processes use has no stream log: each process shows what the others write.
  package func appendToTail(_ entries: [StreamLog.Entry]) throws(ChatError) {
    try requireOpen()
    try Self.reportingLock(file) {
      try gate?.willCommit()
      try tail.append(entries)
      try gate?.didCommit()
    }
  }

  package func syncTail() throws(ChatError) {
    try requireOpen()
    try Self.reportingLock(file) { try tail.sync() }
  }

  /// Checkpoints the stream log: moves its text into the database, in one transaction, and empties it. Does nothing
  /// when it is empty. Text that another process has appended is moved too.
  ///
  /// Call it before text is appended to the database, and before the text of a reply is read there: the log's text
  /// comes first. Text of replies that are no longer running is dropped. Do not call it in a transaction.
  package func foldTail() throws(ChatError) {
    guard !tail.isEmpty else { return }
    try requireOpen()
    try Self.reportingLock(file) {
      // On a full disk the text stays in the stream log: the reserve is only for the last draft.
      try tail.drain { entries in try write { try $0.streams.fold(entries) } }
    }
  }
}
