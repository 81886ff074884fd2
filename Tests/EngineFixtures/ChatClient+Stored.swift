import Holdfast
import HoldfastCore
import HoldfastStore
import Testing

private typealias eg = EngineExample

/// Rows of the first conversation, as they are shown.
extension ChatClient {
  package nonisolated func row(_ id: MessageID) throws -> MessageRow {
    try #require(try rows().first { $0.id == id })
  }

  /// The number of attempts that were made for the message.
  package nonisolated func attempts(of id: MessageID) throws -> Int { try row(id).status.attempts }
}

extension MessageRow {
  package var hasFailed: Bool { status.state == .failed }
}

/// Facts of the store that no screen shows: the data on disk beneath the data in memory, and the order of the
/// outbox.
extension ChatClient {
  /// The message as the server has it, or as it was sent, without the pending operations on it.
  package nonisolated func storedMessage(_ id: MessageID) throws -> StoredMessage? {
    try store.read { try $0.messages.timeline(of: eg.conversation.key, limit: 1000) }.first { $0.id == id }
  }

  /// The row of a conversation, whether or not it is hidden. Nil once it is erased.
  package nonisolated func storedConversation(_ id: ConversationID) throws -> StoredConversation? {
    try store.read { try $0.conversations.stored($0.key(of: id)) }
  }

  /// The draft that a later launch restores.
  package nonisolated func storedDraft(_ key: DraftKey = eg.key) throws -> DraftContent? {
    try store.read { try $0.drafts.restorable(key) }?.content
  }

  /// The text of a message that is being written, as the next launch would find it. It is empty once the message is
  /// complete, because its pieces are deleted then.
  package nonisolated func storedPieces(of id: MessageID = "answer") throws -> String {
    try StoreReading.read(store.folder) { try $0.streams.prefix(of: id).text }
  }

  /// The waiting entries of a conversation, in order.
  package nonisolated func queue(of conversation: ConversationID = eg.conversation) throws -> [OutboxEntry] {
    try store.read { try $0.outbox.entries(of: $0.key(of: conversation), behind: 0, limit: 100) }
  }

  /// The IDs of the waiting entries, in order.
  package nonisolated func queue() throws -> [MessageID] { try queue(of: eg.conversation).map(\.id) }

  /// The texts of all unsent messages of all conversations, in the order of the outbox.
  package nonisolated func unsentBodies() throws -> [String] {
    try store.read { db in
      try db.deletions.visible().flatMap { try db.messages.timeline(of: $0, limit: 1000) }.filter(
        \.isInOutbox)
    }.sorted { ($0.outboxPosition ?? 0) < ($1.outboxPosition ?? 0) }.map(\.content.text)
  }

  /// The number of waiting messages that the banner shows.
  package nonisolated func queuedCount() throws -> Int { try store.read { try $0.outbox.queuedCount() } }

  /// The number of pending operations on messages.
  package nonisolated func overlays() throws -> Int {
    try store.read { try $0.operations.all(in: eg.conversation.key, limit: 1000) }.values.joined().count
  }

  /// Whether the index of the search contains every message.
  package nonisolated func isIndexed() throws -> Bool { try !store.read { try $0.search.hasUnindexed() } }

  /// The cursor after which the next connection resumes.
  package nonisolated func storedCursor() throws -> String? {
    try store.read { try $0.settings.cursor()?.rawValue }
  }
}
