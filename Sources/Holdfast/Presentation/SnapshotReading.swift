import Foundation

extension ChatClient {
  /// The newest `limit` rows of a timeline, as they are now.
  package nonisolated func conversationSnapshot(
    _ id: ConversationID, limit: Int
  ) throws(ChatError) -> ConversationSnapshot {
    let link = live.link
    let (conversation, stored, attachments) = try store.read { db in
      let stored = try db.timeline(of: id, limit: limit + 1)
      return (try db.conversationHead(id), stored, try db.attachments(of: stored))
    }
    return ConversationSnapshot(
      id: id, title: conversation.map { shownTitle($0.title, members: $0.members()) } ?? "",
      rows: stored.suffix(limit).map { row($0, attachments[$0.id] ?? [], link: link) },
      hasOlder: stored.count > limit, exists: conversation != nil)
  }

  nonisolated func listSnapshot(limit: Int) throws(ChatError) -> ConversationListSnapshot {
    let (conversations, drafts, unsent) = try store.read { db in
      let conversations = try db.conversations(limit: limit)
      return (conversations, try db.draftExcerpts(), try db.unsentCounts())
    }
    return ConversationListSnapshot(
      rows: conversations.map { conversation in
        let draft = drafts[conversation.id]
        return .init(
          id: conversation.id, title: shownTitle(conversation.title, members: conversation.members),
          excerpt: excerpt(draft ?? conversation.excerpt ?? ""), isDraft: draft != nil,
          updatedAt: conversation.updatedAt, unsentCount: unsent[conversation.id] ?? 0)
      })
  }

  private nonisolated func shownTitle(
    _ title: String?, members: @autoclosure () -> [UserID]
  ) -> String {
    if let title, !title.isEmpty { return title }
    return members().filter { $0 != user }.map(\.rawValue).joined(separator: ", ")
  }

  private nonisolated func row(
    _ stored: StoredMessage, _ attachments: [StoredAttachment], link: Connectivity
  ) -> MessageRow {
    var row = MessageRow(
      id: stored.id, sender: stored.sender, isMine: stored.sender == user, role: stored.role,
      body: stored.body, reasoning: stored.reasoning, createdAt: stored.createdAt, delivery: .delivered,
      completeness: .complete, tone: .delivered, status: nil,
      attachments: attachments.map { self.row($0, isUnsent: stored.isInOutbox) })
    if stored.isStreaming {
      // In memory is everything so far; on disk what was stored of it.
      let live = live.stream(stored.id)
      row.completeness = live == nil ? .interrupted : .streaming
      if let live {
        row.body = live.text
        row.reasoning = live.reasoning.isEmpty ? nil : live.reasoning
      }
    }
    guard stored.isInOutbox else { return row }
    if let failure = stored.failure {
      row.delivery = .failed(failure)
      (row.tone, row.status) = (.failed, "Failed - Tap to retry")
    } else if stored.isHeld {
      row.delivery = .held
      (row.tone, row.status) = (.queued, "Held - Tap to decide")
    } else if link == .online {
      row.delivery = .sending
      (row.tone, row.status) = (.sending, "Sending...")
    } else {
      row.delivery = .queued
      (row.tone, row.status) = (.queued, "Queued - Will send when online")
    }
    return row
  }
}

/// The first line that is not blank, for a list.
private func excerpt(_ text: String) -> String {
  let line = text.trimmingCharacters(in: .whitespacesAndNewlines).prefix { !$0.isNewline }
  return line.trimmingCharacters(in: .whitespaces)
}
