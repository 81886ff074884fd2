import GRDB
import HoldfastCore

/// The stored contents of a timeline, from one snapshot of the store.
package struct TimelineReading {
  package var id: ConversationKey
  /// The present name of the conversation.
  package var name: ConversationID
  /// Nil when the conversation is not there.
  package var conversation: ConversationHead?
  /// Oldest first.
  package var messages: [StoredMessage]
  package var hasOlder: Bool
  package var hasNewer: Bool
  package var attachments: [MessageID: [StoredAttachment]]
  /// Whether no older messages can be fetched. True without a lookup while older messages are stored.
  package var isWhole: Bool
  /// The quoted messages that are not among `messages`.
  package var quoted: [MessageID: QuotedMessage]
  /// The places up to which the other members have read.
  package var readMarks: [(reader: UserID, place: Int64)]
  /// The facts that the unsent messages and operations share. They are read only if there are any.
  package var queue: QueueFacts
}

extension MessageRows {
  /// - Parameter deletions: the deletions on this device, when older messages can be fetched from the server. Nil
  ///   when they cannot.
  package func timelineReading(
    of id: ConversationKey, in span: TimelineSpan,
    afterFailure: ChatConfiguration.RetryPolicy.AfterFailure, fetchingBesides deletions: LocalDeletions? = nil
  ) throws -> TimelineReading {
    let (messages, hasOlder, hasNewer) = try messages(of: id, in: span)
    return TimelineReading(
      id: id, name: try name(of: id), conversation: try db.conversations.head(id), messages: messages,
      hasOlder: hasOlder,
      hasNewer: hasNewer, attachments: try db.attachments.all(of: messages.map(\.id)),
      isWhole: try hasOlder || deletions.flatMap { try db.history.state(of: id, $0) }?.isWhole != false,
      quoted: try quoted(beside: messages[...], in: id), readMarks: try db.readMarks.all(in: id),
      queue: try queueFacts(for: messages, in: id, afterFailure: afterFailure))
  }

  /// An update of an earlier snapshot of the newest messages: rereads the changed messages, and all that wait or are
  /// being written. Nil when the whole span must be read again: too many messages have changed, or an older message
  /// may enter the span.
  package func timelineReading(
    _ last: TimelineReading, changing changed: Set<MessageID>, in span: TimelineSpan,
    afterFailure: ChatConfiguration.RetryPolicy.AfterFailure, fetchingBesides deletions: LocalDeletions? = nil
  ) throws -> TimelineReading? {
    let stale = changed.union(last.messages.lazy.filter { $0.hasUnsent || $0.isStreaming }.map(\.id))
    guard span.anchor == nil, span.sought == nil, stale.count <= Self.mostChanged,
      try name(of: last.id) == last.name,
      let head = try db.conversations.head(last.id), !head.isHidden
    else { return nil }
    let fresh = try messages(stale, in: last.id)
    guard var reading = last.replacing(stale, with: fresh, atMost: span.older) else { return nil }
    reading.conversation = head
    reading.attachments = last.attachments.filter { !stale.contains($0.key) }
    try reading.attachments.merge(db.attachments.all(of: fresh.map(\.id))) { $1 }
    reading.quoted = try quoted(beside: reading.messages[...], in: last.id)
    reading.isWhole =
      try reading.hasOlder || deletions.flatMap { try db.history.state(of: last.id, $0) }?.isWhole != false
    reading.queue = try queueFacts(for: reading.messages, in: last.id, afterFailure: afterFailure)
    return reading
  }

  /// Above this number, reading the span costs less than looking up each message.
  private static var mostChanged: Int { 24 }

  private func queueFacts(
    for messages: [StoredMessage], in conversation: ConversationKey,
    afterFailure: ChatConfiguration.RetryPolicy.AfterFailure
  ) throws -> QueueFacts {
    guard messages.contains(where: \.hasUnsent) else { return QueueFacts() }
    return try db.outbox.queueFacts(of: conversation, afterFailure: afterFailure)
  }

  /// The span around the sought message, once it is stored.
  private func presentSpan(_ span: TimelineSpan, in id: ConversationKey) throws -> TimelineSpan {
    guard let sought = try span.sought.map(knownID), try db.history.isHere(sought, in: id) else {
      return span
    }
    return TimelineSpan(around: sought)
  }

  /// Reads one extra message at each end, to find out whether there are more.
  private func messages(
    of id: ConversationKey, in span: TimelineSpan
  ) throws -> (messages: [StoredMessage], hasOlder: Bool, hasNewer: Bool) {
    let span = try presentSpan(span, in: id)
    guard let anchor = span.anchor,
      let found = try timeline(of: id, around: anchor, older: span.older + 1, newer: span.newer + 1),
      let index = found.firstIndex(where: { $0.id == anchor })
    else {
      // If the anchor is gone, the newest messages are shown.
      let limit = span.anchor == nil ? span.older : TimelineSpan.page
      var found = try timeline(of: id, limit: limit + 1)
      let hasOlder = found.count > limit
      // In place: copying all messages costs a fraction of reading them.
      if hasOlder { found.removeFirst(found.count - limit) }
      return (found, hasOlder, false)
    }
    let hasOlder = index + 1 > span.older
    let hasNewer = found.count - 1 - index > span.newer
    return (Array(found.dropFirst(hasOlder ? 1 : 0).dropLast(hasNewer ? 1 : 0)), hasOlder, hasNewer)
  }
}

extension TimelineReading {
  /// The snapshot with these messages in place of stale ones. Nil when an older message, which is not in the
  /// snapshot, may now be among the newest.
  fileprivate func replacing(
    _ stale: Set<MessageID>, with fresh: [StoredMessage], atMost limit: Int
  ) -> TimelineReading? {
    var reading = self
    reading.messages.removeAll { stale.contains($0.id) }
    let gone = messages.count - reading.messages.count
    guard !hasOlder || gone <= fresh.count else { return nil }
    for message in fresh {
      let before = reading.messages.lastIndex { ($0.place, $0.position) < (message.place, message.position) }
      guard before != nil || !hasOlder else { return nil }
      reading.messages.insert(message, at: before.map { $0 + 1 } ?? 0)
    }
    guard reading.messages.count > limit else { return reading }
    reading.messages.removeFirst(reading.messages.count - limit)
    reading.hasOlder = true
    return reading
  }
}
