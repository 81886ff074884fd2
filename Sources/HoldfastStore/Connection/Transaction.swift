import GRDB
import HoldfastCore

/// One transaction under way: its statements, and their changes for the observers. It reads what it has written.
package final class Transaction: Reading {
  package var changes = Changes()
  /// The deletions on this device, as this transaction sees them.
  package var deletions = LocalDeletions() { didSet { changesDeletions = true } }
  /// Whether the transaction has changed `deletions`.
  var changesDeletions = false
  /// The earlier IDs of conversations after the commit. Nil when the transaction does not change them.
  var aliasesAfterwards: [ConversationID: ConversationID]?
  /// Whether the outcomes of messages are recorded. Nil until it has been read.
  var isRecordingDeliveries: Bool?
  private let aliases: ConversationAliases

  init(_ db: Database, _ aliases: ConversationAliases) {
    self.aliases = aliases
    super.init(db)
  }

  /// The conversation's present ID.
  package func current(_ conversation: ConversationID) -> ConversationID { aliases.current(conversation) }
}
