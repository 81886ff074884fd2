import GRDB
import HoldfastCore

/// One transaction under way: the statements, and what they change for those who observe it.
package final class Transaction {
  package let db: Database
  package var changes = Changes()
  /// What was deleted on this device, as this transaction has it.
  package var deletions = LocalDeletions() { didSet { changesDeletions = true } }
  /// It has another one than the one before.
  var changesDeletions = false
  /// What it makes of the conversations' earlier IDs. Nil: nothing.
  var aliasesAfterwards: [ConversationID: ConversationID]?
  private let aliases: ConversationAliases

  package init(_ db: Database, _ aliases: ConversationAliases) {
    self.db = db
    self.aliases = aliases
  }

  /// The conversation's ID now.
  package func current(_ conversation: ConversationID) -> ConversationID { aliases.current(conversation) }
}
