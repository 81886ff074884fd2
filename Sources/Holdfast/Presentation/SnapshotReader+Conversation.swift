import Foundation
import HoldfastCore
import HoldfastStore
import HoldfastTransport

extension SnapshotReader {
  /// The newest `limit` rows of a timeline, as they are now. A limit below 0 gives no rows.
  package func conversation(
    _ id: ConversationID, limit: Int
  ) throws(ChatError) -> ConversationSnapshot {
    try conversation(id, in: TimelineSpan(newest: limit))
  }

  /// The part of a timeline inside the span, as it is now.
  package func conversation(
    _ id: ConversationID, in span: TimelineSpan
  ) throws(ChatError) -> ConversationSnapshot {
    let (streams, statuses) = (sharedStates.replies.streams, sharedStates.history.statuses)
    return snapshot(of: try reading(of: id, in: span), streams: streams, statuses)
  }

  func reading(of id: ConversationID, in span: TimelineSpan) throws(ChatError) -> TimelineReading {
    try store.read { db in
      try db.messages.timelineReading(
        of: db.key(of: id), in: span, afterFailure: configuration.retry.afterFailure,
        fetchingBesides: fetchableBesides)
    }
  }

  /// The reading, updated by the changes. Nil when it must be made again.
  func reading(
    _ last: TimelineReading, changing messages: Set<MessageID>, in span: TimelineSpan
  ) throws(ChatError) -> TimelineReading? {
    try store.read { db in
      try db.messages.timelineReading(
        last, changing: messages, in: span, afterFailure: configuration.retry.afterFailure,
        fetchingBesides: fetchableBesides)
    }
  }

  /// The deletions on this device, when the server gives older messages. Nil when it gives none.
  var fetchableBesides: LocalDeletions? {
    transport.capabilities.carriesHistory ? store.deletions.value : nil
  }

  private func older(
    _ reading: TimelineReading, _ status: HistoryFetches.Status
  ) -> ConversationSnapshot.OlderMessages {
    if reading.hasOlder { return .onDevice }
    guard !reading.isWhole else { return reading.conversation?.hasEvicted == true ? .removed : .none }
    guard sharedStates.link.isOnline else {
      if case .failed(let reason) = status { return .failed(reason) }
      return .offline
    }
    switch status {
    case .notAsked: return .onServer
    case .asked: return .loading
    case .failed(let reason): return .failed(reason)
    }
  }

  /// - Parameters:
  ///   - streams: the streams that were under way before the reading.
  ///   - statuses: the older messages that were requested before the reading.
  ///   - earlier: the rows of the previous reading.
  ///   - changed: the messages that have changed since.
  func snapshot(
    of reading: TimelineReading, streams: [MessageID: Replies.SharedState.Stream],
    _ statuses: HistoryFetches.Statuses, keeping earlier: [MessageRow] = [],
    besides changed: Set<MessageID> = []
  ) -> ConversationSnapshot {
    // The deletions in memory lag behind the disk for a moment when another process has changed it. Rows and their
    // state come from one reading.
    guard reading.conversation?.isHidden != true else {
      return ConversationSnapshot(
        id: reading.name, title: "", rows: [], exists: false, texts: configuration.texts)
    }
    let moment = StatusMoment(client, of: reading.id, streams: streams)
    var made = rows(of: reading, at: moment, keeping: earlier, besides: changed)
    let answered = reading.messages.lazy.compactMap { message in
      message.content.replyTo.map { (message.id, $0) }
    }
    quote(
      in: &made.all, answering: Dictionary(answered) { first, _ in first }, others: reading.quoted,
      keeping: made.kept, besides: changed)
    return ConversationSnapshot(
      id: reading.name,
      title: reading.conversation.map { names.title($0.title, members: $0.members()) } ?? "",
      rows: made.all,
      hasOlder: reading.hasOlder, hasNewer: reading.hasNewer, exists: reading.conversation != nil,
      refusal: reading.conversation?.refusal,
      hasEvicted: reading.conversation?.hasEvicted == true,
      processing: reading.conversation?.processing, older: older(reading, statuses[reading.id]),
      texts: configuration.texts)
  }

  /// The rows of a reading. A row is kept when its message has not changed and has nothing that waits. Its names and
  /// texts are the app's, which may have changed.
  private func rows(
    of reading: TimelineReading, at moment: StatusMoment, keeping earlier: [MessageRow],
    besides changed: Set<MessageID>
  ) -> (all: [MessageRow], kept: Set<MessageID>) {
    var next = earlier.startIndex
    var kept: Set<MessageID> = []
    let rows = reading.messages.map { stored in
      let within = earlier[next..<min(earlier.endIndex, next + changed.count + TimelineSpan.page)]
      guard !changed.contains(stored.id), !stored.hasUnsent, !stored.isStreaming,
        let index = within.firstIndex(where: { $0.id == stored.id })
      else { return row(stored, in: reading, at: moment) }
      next = index + 1
      kept.insert(stored.id)
      var row = earlier[index]
      row.senderName = names.name(of: row.sender)
      return row
    }
    return (rows, kept)
  }

  private func row(
    _ stored: StoredMessage, in reading: TimelineReading, at moment: StatusMoment
  ) -> MessageRow {
    let attachments = reading.attachments[stored.id] ?? []
    var row = MessageRow(
      id: stored.id, sender: stored.sender, senderName: names.name(of: stored.sender),
      isMine: stored.sender == user, role: stored.role,
      content: stored.content, createdAt: stored.createdAt, editedAt: stored.editedAt,
      isDeleted: stored.isDeleted,
      status: moment.status(
        of: stored.id, at: stored.place(in: reading.queue), attempts: stored.attempts,
        attachments: attachments, isWrittenHere: stored.isWrittenHere),
      attachments: attachments.map { self.row($0, isUnsent: stored.isInOutbox) })
    if !stored.operations.isEmpty || !stored.reactions.isEmpty { overlay(stored, on: &row) }
    if stored.isStreaming { showStream(stored, in: &row, at: moment) }
    row.operation = operation(on: stored, in: reading.queue, at: moment)
    if !stored.isInOutbox, !stored.isStreaming {
      row.readBy = reading.readMarks.filter {
        $0.place >= stored.place && $0.reader != stored.sender.account
      }.map(\.reader)
    }
    let isOnDevice = reading.conversation?.isOnDevice == true || !transport.capabilities.hasServer
    row.actions = MessageRow.Action.offered(
      for: row,
      operations: isOnDevice ? Set(MessageOperation.Kind.allCases) : transport.capabilities.operations,
      isOurs: isOnDevice || row.sender.account == user,
      regeneration: stored.isRegeneration ? .init(hasWords: stored.hasNewWords) : nil)
    row.versions = stored.versions
    return row
  }

  private func showStream(
    _ stored: StoredMessage, in row: inout MessageRow, at moment: StatusMoment
  ) {
    row.isWrittenHere = stored.isWrittenHere
    // Memory has the whole text so far. The disk has the stored part.
    guard let live = moment.stream(stored.id) else { return }
    // The other fields of the earlier answer do not belong to the new one.
    if stored.isRegeneration, !stored.hasNewWords { row.content.edit(MessageContent(), isWhole: true) }
    row.text = live.text
    row.reasoning = live.reasoning.isEmpty ? nil : live.reasoning
  }

  /// Shows the operations on the message and its reactions in the row.
  private func overlay(_ stored: StoredMessage, on row: inout MessageRow) {
    var overlay = MessageOverlay(
      content: stored.content, editedAt: stored.editedAt, isDeleted: stored.isDeleted,
      reactions: stored.reactions)
    overlay.apply(stored.operations, of: user)
    row.content = overlay.content
    (row.editedAt, row.isDeleted) = (overlay.editedAt, overlay.isDeleted)
    if row.isDeleted { row.attachments = [] }
    row.reactions = MessageRow.Reaction.counted(overlay.reactions, by: user)
  }

  /// The operation that the row shows: the first failed one, or else the last one. Nil when the server has accepted all
  /// of them.
  private func operation(
    on stored: StoredMessage, in queue: QueueFacts, at moment: StatusMoment
  ) -> MessageRow.Operation? {
    let waiting = stored.operations.filter { !$0.isAccepted }
    guard let shown = waiting.first(where: { $0.failure != nil }) ?? waiting.last else { return nil }
    return MessageRow.Operation(
      id: shown.id, kind: shown.kind, text: shown.text.string,
      status: moment.status(
        of: shown.id, at: stored.place(of: shown, in: queue), attempts: shown.attempts))
  }
}

extension MessageRow.Reaction {
  /// Counts the people who gave each reaction. Reactions that look the same are one. They are in the order of their
  /// bytes, which is the same on every device.
  package static func counted(_ reactions: [IncomingMessage.Reaction], by user: UserID) -> [Self] {
    var counted: [Self] = []
    var (look, senders) = ("", Set<UserID>())
    let seen = reactions.map { (look: IncomingMessage.Reaction.look(of: $0.value), reaction: $0) }
    for (next, reaction) in seen.sorted(by: { Self.precedes($0, $1) }) {
      if counted.isEmpty || !look.hasSameBytes(as: next) {
        (look, senders) = (next, [])
        counted.append(Self(value: reaction.value, count: 0, isMine: false))
      }
      let last = counted.count - 1
      // The last of them has a selector, which shows it in colour.
      counted[last].value = reaction.value
      counted[last].isMine = counted[last].isMine || reaction.sender == user
      if senders.insert(reaction.sender).inserted { counted[last].count += 1 }
    }
    return counted
  }

  private static func precedes(
    _ left: (look: String, reaction: IncomingMessage.Reaction),
    _ right: (look: String, reaction: IncomingMessage.Reaction)
  ) -> Bool {
    guard left.look.hasSameBytes(as: right.look) else {
      return left.look.utf8.lexicographicallyPrecedes(right.look.utf8)
    }
    return left.reaction.value.utf8.lexicographicallyPrecedes(right.reaction.value.utf8)
  }
}

/// The first line of the text that is not blank, for a list.
package func excerpt(_ text: String) -> String {
  let line = text.trimmingCharacters(in: .whitespacesAndNewlines).prefix { !$0.isNewline }
  return line.trimmingCharacters(in: .whitespaces)
}
