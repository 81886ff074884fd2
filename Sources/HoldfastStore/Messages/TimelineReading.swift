import GRDB
import HoldfastCore

/// All that a timeline shows of the store, from one snapshot of it.
package struct TimelineReading {
  package var id: ConversationID
  /// Nil: it is not there.
  package var conversation: ConversationHead?
  /// Oldest first.
  package var messages: [StoredMessage]
  package var hasOlder: Bool
  package var hasNewer: Bool
  package var attachments: [MessageID: [StoredAttachment]]
  /// What the messages answer, and is not among them.
  package var quoted: [MessageID: QuotedMessage]
  /// Those that wait for one that has failed.
  package var waiting: Set<MessageID>
}

extension Database {
  /// - Parameter isStrict: what is behind a failed message waits for it.
  package func timelineReading(
    of id: ConversationID, in window: TimelineWindow, isStrict: Bool
  ) throws -> TimelineReading {
    let (messages, hasOlder, hasNewer) = try messages(of: id, in: window)
    return TimelineReading(
      id: id, conversation: try conversationHead(id), messages: messages, hasOlder: hasOlder,
      hasNewer: hasNewer, attachments: try attachments(of: messages),
      quoted: try quotedMessages(beside: messages[...], in: id),
      waiting: isStrict ? Set(try waitingBehindFailed(in: id)) : [])
  }

  /// One more is read at each end, to know whether there is one.
  private func messages(
    of id: ConversationID, in window: TimelineWindow
  ) throws -> (messages: [StoredMessage], hasOlder: Bool, hasNewer: Bool) {
    guard let anchor = window.anchor,
      let found = try timeline(of: id, around: anchor, older: window.older + 1, newer: window.newer + 1),
      let index = found.firstIndex(where: { $0.id == anchor })
    else {
      // The message is gone: its reader is shown the newest ones.
      let limit = window.anchor == nil ? window.older : TimelineWindow.page
      let found = try timeline(of: id, limit: limit + 1)
      return (found.suffix(limit), found.count > limit, false)
    }
    let hasOlder = index + 1 > window.older
    let hasNewer = found.count - 1 - index > window.newer
    return (Array(found.dropFirst(hasOlder ? 1 : 0).dropLast(hasNewer ? 1 : 0)), hasOlder, hasNewer)
  }
}
