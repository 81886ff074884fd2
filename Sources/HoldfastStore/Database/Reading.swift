import GRDB
import HoldfastCore

/// One snapshot of the store. It gives access to the tables, as in `reading.outbox.queuedCount()`. It is valid only
/// inside the closure that receives it.
package class Reading {
  let database: Database
  private let shared: ConversationNames?

  /// - Parameter names: the names of conversations. Nil to read them from the snapshot, which may have newer ones.
  init(_ database: Database, _ names: ConversationNames? = nil) {
    self.database = database
    shared = names
  }

  /// The key of the conversation that has this name, or had it last.
  package func key(of name: ConversationID) throws -> ConversationKey {
    try shared?.key(of: name) ?? conversations.storedKey(of: name)
  }

  /// The present name of a conversation.
  package func name(of key: ConversationKey) throws -> ConversationID {
    try shared?.name(of: key) ?? conversations.storedName(of: key)
  }
}
