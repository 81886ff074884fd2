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
    of id: ConversationKey, in window: TimelineWindow,
    behindFailed: ChatConfiguration.RetryPolicy.BehindFailed, fetchingBesides deletions: LocalDeletions? = nil
  ) throws -> TimelineReading {
    let (messages, hasOlder, hasNewer) = try messages(of: id, in: window)
    return TimelineReading(
      id: id, name: try name(of: id), conversation: try db.conversations.head(id), messages: messages,
      hasOlder: hasOlder,
      hasNewer: hasNewer, attachments: try db.attachments.all(of: messages.map(\.id)),
      isWhole: try hasOlder || deletions.flatMap { try db.history.state(of: id, $0) }?.isWhole != false,
      quoted: try quoted(beside: messages[...], in: id), readMarks: try db.readMarks.all(in: id),
      queue: messages.contains(where: \.hasUnsent)
        ? try db.outbox.queueFacts(of: id, behindFailed: behindFailed) : QueueFacts())
  }

  /// The window around the message that was sought, once it is here.
  private func presentWindow(_ window: TimelineWindow, in id: ConversationKey) throws -> TimelineWindow {
    guard let sought = try window.sought.map(knownID), try db.history.isHere(sought, in: id) else {
      return window
    }
    return TimelineWindow(around: sought)
  }

  /// Reads one more message at each end, to know whether there is one.
  private func messages(
    of id: ConversationKey, in window: TimelineWindow
  ) throws -> (messages: [StoredMessage], hasOlder: Bool, hasNewer: Bool) {
    let window = try presentWindow(window, in: id)
    guard let anchor = window.anchor,
      let found = try timeline(of: id, around: anchor, older: window.older + 1, newer: window.newer + 1),
      let index = found.firstIndex(where: { $0.id == anchor })
    else {
      // If the anchor is gone, the newest messages are shown.
      let limit = window.anchor == nil ? window.older : TimelineWindow.page
      let found = try timeline(of: id, limit: limit + 1)
      return (found.suffix(limit), found.count > limit, false)
    }
    let hasOlder = index + 1 > window.older
    let hasNewer = found.count - 1 - index > window.newer
    return (Array(found.dropFirst(hasOlder ? 1 : 0).dropLast(hasNewer ? 1 : 0)), hasOlder, hasNewer)
  }
}
