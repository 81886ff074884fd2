import HoldfastCore
import HoldfastStore

/// Reads one timeline repeatedly, and after a commit only the changed part of it.
final class TimelineReader {
  private let reader: SnapshotReader
  private let conversation: ConversationID
  private let span: TimelineSpan
  /// The last reading with its rows.
  private var last: (reading: TimelineReading, rows: [MessageRow])?

  init(_ reader: SnapshotReader, _ conversation: ConversationID, in span: TimelineSpan) {
    (self.reader, self.conversation, self.span) = (reader, conversation, span)
  }

  func read(after changed: PendingChanges.Pending) throws(ChatError) -> ConversationSnapshot {
    let (streams, statuses) = (reader.sharedStates.replies.streams, reader.sharedStates.history.statuses)
    let kept = changed.mustRead ? nil : last
    let messages = changed.rows.union(changed.grown)
    last = nil
    let snapshot: ConversationSnapshot
    let reading: TimelineReading
    if let kept, let updated = try reader.reading(kept.reading, changing: messages, in: span) {
      reading = updated
      snapshot = reader.snapshot(
        of: reading, streams: streams, statuses, keeping: kept.rows, besides: messages)
    } else {
      reading = try reader.reading(of: conversation, in: span)
      snapshot = reader.snapshot(of: reading, streams: streams, statuses)
    }
    last = (reading, snapshot.rows)
    return snapshot
  }
}
