import GRDB
import HoldfastCore

/// A write transaction: its statements, and their changes for the observers. Reads see its own writes.
package final class Transaction: Reading {
  package var changes = Changes()
  /// The deletions on this device, as this transaction sees them.
  package var localDeletions = LocalDeletions() { didSet { changesDeletions = true } }
  /// Whether the transaction has changed `deletions`.
  var changesDeletions = false
  /// Whether operations may wait for their messages.
  var mayHaveWaiting = true
  /// Whether the outcomes of messages are recorded. Nil until it has been read.
  var isRecordingDeliveries: Bool?
  /// The names of conversations, as this transaction sees them.
  var names: ConversationNames.Table { didSet { changesNames = true } }
  /// Whether the transaction has changed `names`.
  private(set) var changesNames = false

  init(_ database: Database, _ names: ConversationNames) {
    self.names = names.value
    super.init(database, names)
  }

  package override func key(of name: ConversationID) -> ConversationKey { names.key(of: name) }

  package override func name(of key: ConversationKey) -> ConversationID { names.name(of: key) }

  /// The conversation that this one was merged into, or this one itself. Another process may have merged them
  /// meanwhile.
  package func whole(of key: ConversationKey) -> ConversationKey { names.whole(of: key) }
}
