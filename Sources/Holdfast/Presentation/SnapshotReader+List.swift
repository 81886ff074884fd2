import Foundation
import HoldfastCore
import HoldfastStore

extension SnapshotReader {
  /// The list of conversations, or of those that an app chooses by their metadata, as it is now.
  package func list(
    limit: Int, where isIncluded: ((Data?) -> Bool)? = nil
  ) throws(ChatError) -> ConversationListSnapshot {
    let limit = min(max(limit, 0), .max - 1)
    let marks = store.deletions.value.marks
    let deleted = sharedStates.deletions.undoable.filter { marks[$0]?.isFinal == false }
    let reading = try store.read {
      try $0.conversations.list(limit: limit, where: isIncluded, undoable: deleted, of: user)
    }
    let snapshot = ConversationListSnapshot(
      rows: reading.conversations.prefix(limit).map { row(of: $0, in: reading) },
      undoable: reading.undoable.map { hidden in
        let emptied = marks[hidden.key]?.emptied
        return .init(
          id: emptied.map(store.names.name) ?? hidden.id,
          title: names.title(hidden.title, members: hidden.members),
          isEmptied: emptied != nil)
      },
      hasMore: reading.conversations.count > limit)
    return snapshot.localized(with: configuration.texts)
  }

  private func row(
    of conversation: StoredConversation, in reading: ConversationListReading
  ) -> ConversationListSnapshot.Row {
    let draft = reading.drafts[conversation.id]
    let sender = draft == nil ? conversation.excerptSender : nil
    return ConversationListSnapshot.Row(
      id: conversation.name, title: names.title(conversation.title, members: conversation.members),
      members: conversation.members, metadata: conversation.metadata,
      excerpt: excerpt(draft ?? conversation.excerpt ?? ""), isDraft: draft != nil,
      excerptKind: draft != nil ? .draft : conversation.excerptKind, excerptSender: sender,
      excerptSenderName: sender.map(names.name), updatedAt: conversation.updatedAt,
      unsentCount: reading.unsent[conversation.id] ?? 0, unreadCount: reading.unread[conversation.id] ?? 0,
      refusal: conversation.refusal)
  }
}

extension StoredConversation {
  /// The kind of the newest message's excerpt.
  fileprivate var excerptKind: ConversationListSnapshot.ExcerptKind {
    if isLastDeleted { return .deleted }
    if isExcerptFile { return .file }
    guard excerpt?.isEmpty != false else { return .message }
    return hasImages ? .image : hasVideos ? .video : .empty
  }
}
