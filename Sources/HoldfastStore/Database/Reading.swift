import GRDB
import HoldfastCore

/// One snapshot of a store that is being read. The nouns of the store hang on it, as in
/// `reading.outbox.queuedCount()`. It is valid only inside the closure that gets it.
package class Reading {
  let database: Database
  private let shared: ConversationNames?

  /// - Parameter names: the names of conversations. Nil to look in the snapshot, which may have newer ones.
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
