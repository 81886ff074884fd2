import GRDB
import HoldfastCore

/// One snapshot of a store that is being read. Each noun of the store extends it with its queries. It is valid
/// only inside the closure that gets it.
package class Reading {
  let db: Database
  private let shared: ConversationNames?

  /// - Parameter names: the names of conversations. Nil to look in the snapshot, which may have newer ones.
  init(_ db: Database, _ names: ConversationNames? = nil) {
    self.db = db
    shared = names
  }

  /// The key of the conversation that has this name, or had it last.
  package func key(of name: ConversationID) throws -> ConversationKey {
    try shared?.key(of: name) ?? storedKey(of: name)
  }

  /// The present name of a conversation.
  package func name(of key: ConversationKey) throws -> ConversationID {
    try shared?.name(of: key) ?? storedName(of: key)
  }
}
