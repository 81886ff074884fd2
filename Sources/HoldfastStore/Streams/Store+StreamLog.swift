import GRDB
import HoldfastCore

extension Store {
  /// Appends words of replies under way to the tail. They survive the end of the process, as after
  /// ``writeUnsynced(_:)``, and cost no page and no sync. They survive a power failure after ``syncTail()``.
  ///
  /// A store that several processes use has no tail: each of them shows what the others write.
  package func appendToTail(_ entries: [StreamLog.Entry]) throws(ChatError) {
    try requireOpen()
    try Self.tellingLocked(file) {
      try gate?.willCommit()
      try tail.append(entries)
      try gate?.didCommit()
    }
  }

  package func syncTail() throws(ChatError) {
    try requireOpen()
    try Self.tellingLocked(file) { try tail.sync() }
  }

  /// Moves the words of the tail into the database, in one transaction, and empties the tail. Does nothing
  /// when it is empty. Words that another process has appended are moved too.
  ///
  /// Call it before words are appended to the database, and before the words of a reply are read there: those
  /// of the tail come first. Words of replies that are no longer under way are dropped. Do not call it in a
  /// transaction.
  package func foldTail() throws(ChatError) {
    guard !tail.isEmpty else { return }
    try requireOpen()
    try Self.tellingLocked(file) {
      // On a full disk the words wait in the tail: the reserve is for the last draft alone.
      try tail.drain { entries in try write { try $0.streams.fold(entries) } }
    }
  }
}
