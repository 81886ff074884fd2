import Foundation
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// The newest `limit` rows of a timeline, as they are now; none for a limit below 0.
  package nonisolated func conversationSnapshot(
    _ id: ConversationID, limit: Int
  ) throws(ChatError) -> ConversationSnapshot {
    try conversationSnapshot(id, in: TimelineWindow(newest: limit))
  }

  /// The part of a timeline that is in the window, as it is now.
  package nonisolated func conversationSnapshot(
    _ id: ConversationID, in window: TimelineWindow
  ) throws(ChatError) -> ConversationSnapshot {
    let link = live.link
    let known = store.aliases.current(id)
    let reading = try store.read { db in
      // Another process may have renamed it a moment ago: this snapshot has the new ID.
      try db.timelineReading(
        of: store.isShared ? db.presentID(of: known) : known, in: window,
        isStrict: policy.behindFailed == .wait)
    }
    return snapshot(of: reading, link: link)
  }

  package nonisolated func snapshot(of reading: TimelineReading, link: Connectivity) -> ConversationSnapshot {
    guard !store.deletions.isHidden(reading.id) else {
      return ConversationSnapshot(id: reading.id, title: "", rows: [], hasOlder: false, exists: false)
    }
    let refusal = reading.conversation?.refusal
    let obstacle: (MessageID) -> Obstacle? = {
      refusal != nil ? .refusal : reading.waiting.contains($0) ? .failed : nil
    }
    let rows = reading.messages.map {
      row($0, reading.attachments[$0.id] ?? [], link: link, obstacle: obstacle)
    }
    let answered = reading.messages.compactMap { message in message.content.replyTo.map { (message.id, $0) } }
    return ConversationSnapshot(
      id: reading.id,
      title: reading.conversation.map { user.shownTitle($0.title, members: $0.members()) } ?? "",
      rows: quote(
        in: rows, answering: Dictionary(answered) { first, _ in first }, others: reading.quoted),
      hasOlder: reading.hasOlder, hasNewer: reading.hasNewer, exists: reading.conversation != nil,
      refusal: refusal, hasEvicted: store.deletions.horizon(of: reading.id)?.isEvicted == true,
      processing: reading.conversation?.processing)
  }

  nonisolated func listSnapshot(limit: Int) throws(ChatError) -> ConversationListSnapshot {
    let deleted = live.undoable.filter { store.deletions.isHidden($0) }
    let (conversations, drafts, unsent, undoable) = try store.read { db in
      let conversations = try db.conversations(limit: max(limit, 0))
      return (conversations, try db.draftExcerpts(), try db.unsentCounts(), try db.titles(of: deleted))
    }
    return ConversationListSnapshot(
      rows: conversations.map { conversation in
        let draft = drafts[conversation.id]
        return .init(
          id: conversation.id, title: user.shownTitle(conversation.title, members: conversation.members),
          excerpt: excerpt(
            draft ?? (conversation.isLastDeleted ? "Message deleted" : conversation.excerpt ?? "")),
          isDraft: draft != nil,
          excerptKind: draft != nil
            ? .draft : conversation.isLastDeleted ? .deleted : conversation.isExcerptFile ? .file : .message,
          updatedAt: conversation.updatedAt, unsentCount: unsent[conversation.id] ?? 0,
          refusal: conversation.refusal)
      },
      undoable: undoable.map { .init(id: $0.id, title: user.shownTitle($0.title, members: $0.members)) })
  }

  /// What keeps the queued messages and operations of a conversation where they are, whatever the link does.
  private enum Obstacle {
    case refusal
    /// An earlier message has failed, and those behind it wait.
    case failed

    var words: String {
      switch self {
      case .refusal: "The conversation takes no messages"
      case .failed: "Waits for the message that failed"
      }
    }
  }

  private nonisolated func row(
    _ stored: StoredMessage, _ attachments: [StoredAttachment], link: Connectivity,
    obstacle: (MessageID) -> Obstacle?
  ) -> MessageRow {
    var row = bareRow(stored, attachments, link: link, obstacle: obstacle)
    row.actions = MessageAction.offered(for: row, operations: transport.guarantees.operations)
    return row
  }

  private nonisolated func bareRow(
    _ stored: StoredMessage, _ attachments: [StoredAttachment], link: Connectivity,
    obstacle: (MessageID) -> Obstacle?
  ) -> MessageRow {
    var row = MessageRow(
      id: stored.id, sender: stored.sender, isMine: stored.sender == user, role: stored.role,
      body: "", createdAt: stored.createdAt, editedAt: stored.editedAt,
      isDeleted: stored.isDeleted, reactions: [], delivery: .delivered, completeness: .complete,
      tone: .delivered, attachments: attachments.map { self.row($0, isUnsent: stored.isInOutbox) })
    row.show(stored.content)
    if !stored.operations.isEmpty || !stored.reactions.isEmpty {
      show(stored, in: &row, link: link, obstacle: obstacle)
    }
    if stored.isStreaming {
      // In memory is everything so far; on disk what was stored of it.
      let live = live.stream(stored.id)
      // Where the store is shared, another process may be writing it.
      let isWritten = live != nil || (store.isShared && !stored.isInterrupted)
      row.completeness = isWritten ? .streaming : .interrupted
      row.isWrittenHere = stored.isWrittenHere
      if !isWritten { row.status = "Interrupted" }
      if let live {
        row.body = live.text
        row.reasoning = live.reasoning.isEmpty ? nil : live.reasoning
      }
    }
    guard stored.isInOutbox else { return row }
    if let failure = stored.failure {
      row.delivery = .failed(failure)
      let isUnknown = failure.code == .outcomeUnknown
      (row.tone, row.status) = (.failed, isUnknown ? "Unknown - Tap to decide" : "Failed - Tap to retry")
    } else if stored.isHeld {
      row.delivery = .held
      (row.tone, row.status) = (.queued, "Held - Tap to decide")
    } else if let obstacle = obstacle(stored.id) {
      row.delivery = .queued
      (row.tone, row.status) = (.queued, "Queued - \(obstacle.words)")
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

extension ChatClient {
  /// Lays what was done to the message over it, and says how far that is.
  private nonisolated func show(
    _ stored: StoredMessage, in row: inout MessageRow, link: Connectivity, obstacle: (MessageID) -> Obstacle?
  ) {
    var overlay = MessageOverlay(
      content: stored.content, editedAt: stored.editedAt, isDeleted: stored.isDeleted,
      reactions: stored.reactions)
    overlay.apply(stored.operations, of: user)
    row.show(overlay.content)
    (row.editedAt, row.isDeleted) = (overlay.editedAt, overlay.isDeleted)
    if row.isDeleted { row.attachments = [] }
    row.reactions = Reaction.counted(overlay.reactions, by: user)
    let waiting = stored.operations.filter { !$0.isAccepted }
    guard let shown = waiting.first(where: { $0.failure != nil }) ?? waiting.last else { return }
    let (tone, words) = words(for: shown, on: stored, link: link, obstacle: obstacle(shown.id))
    row.change = RowChange(
      id: shown.id, kind: shown.kind, text: shown.text.body, failure: shown.failure, tone: tone,
      status: "\(shown.kind.noun) \(words)")
  }

  private nonisolated func words(
    for operation: StoredOperation, on message: StoredMessage, link: Connectivity, obstacle: Obstacle?
  ) -> (MessageRow.Tone, String) {
    if operation.failure != nil { return (.failed, "failed - Tap to retry") }
    if message.isHeld || message.failure != nil { return (.queued, "waits for its message") }
    if let obstacle { return (.queued, "queued - \(obstacle.words)") }
    return link == .online ? (.sending, "sending...") : (.queued, "queued - Will send when online")
  }
}

extension MessageOperation.Kind {
  fileprivate var noun: String {
    switch self {
    case .edit: "Edit"
    case .delete: "Deletion"
    case .react: "Reaction"
    case .unreact: "Removal of a reaction"
    }
  }
}

extension Reaction {
  /// In the order of the values' bytes, which is the same on every device.
  package static func counted(_ reactions: [SentReaction], by user: UserID) -> [Reaction] {
    var counted: [Reaction] = []
    for reaction in reactions.sorted(by: { $0.value.utf8.lexicographicallyPrecedes($1.value.utf8) }) {
      let isMine = reaction.sender == user
      if let last = counted.indices.last, counted[last].value.hasSameBytes(as: reaction.value) {
        counted[last].count += 1
        counted[last].isMine = counted[last].isMine || isMine
      } else {
        counted.append(Reaction(value: reaction.value, count: 1, isMine: isMine))
      }
    }
    return counted
  }
}

/// The first line that is not blank, for a list.
package func excerpt(_ text: String) -> String {
  let line = text.trimmingCharacters(in: .whitespacesAndNewlines).prefix { !$0.isNewline }
  return line.trimmingCharacters(in: .whitespaces)
}
