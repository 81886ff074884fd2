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
  /// Whether nothing older can be fetched. True without being looked up while older messages are here.
  package var isWhole: Bool
  /// The answered messages that are not among `messages`.
  package var quoted: [MessageID: QuotedMessage]
  /// The places up to which the other members have read.
  package var readMarks: [(reader: UserID, place: Int64)]
  /// The facts that the unsent messages and operations share. They are read only if there are any.
  package var queue: QueueFacts
}

extension MessageRows {
  /// - Parameter deletions: the deletions on this device, when older messages can be fetched from the server. Nil when they
  ///   cannot.
  package func timelineReading(
    of id: ConversationKey, in span: TimelineSpan,
    behindFailed: ChatConfiguration.RetryPolicy.BehindFailed, fetchingBesides deletions: LocalDeletions? = nil
  ) throws -> TimelineReading {
    let (messages, hasOlder, hasNewer) = try messages(of: id, in: span)
    return TimelineReading(
      id: id, name: try name(of: id), conversation: try db.conversations.head(id), messages: messages,
      hasOlder: hasOlder,
      hasNewer: hasNewer, attachments: try db.attachments.all(of: messages.map(\.id)),
      isWhole: try hasOlder || deletions.flatMap { try db.history.state(of: id, $0) }?.isWhole != false,
      quoted: try quoted(beside: messages[...], in: id), readMarks: try db.readMarks.all(in: id),
      queue: messages.contains(where: \.hasUnsent)
        ? try db.outbox.queueFacts(of: id, behindFailed: behindFailed) : QueueFacts())
  }

  /// The span around the message that was sought, once it is here.
  private func presentSpan(_ span: TimelineSpan, in id: ConversationKey) throws -> TimelineSpan {
    guard let sought = try span.sought.map(knownID), try db.history.isHere(sought, in: id) else {
      return span
    }
    return TimelineSpan(around: sought)
  }

  /// Reads one more message at each end, to know whether there is one.
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
      // In place: a copy of all messages costs a part of what reading them costs.
      if hasOlder { found.removeFirst(found.count - limit) }
      return (found, hasOlder, false)
    }
    let hasOlder = index + 1 > span.older
    let hasNewer = found.count - 1 - index > span.newer
    return (Array(found.dropFirst(hasOlder ? 1 : 0).dropLast(hasNewer ? 1 : 0)), hasOlder, hasNewer)
  }
}
