import HoldfastCore
import HoldfastStore

extension SnapshotReader {
  /// The timeline with the present texts of its replies. Nil when more than these texts has changed, so that the
  /// timeline must be read.
  func grow(_ replies: Set<MessageID>, in snapshot: ConversationSnapshot) -> ConversationSnapshot? {
    guard !snapshot.rows.contains(where: { $0.quote.map { replies.contains($0.id) } ?? false }) else {
      return nil
    }
    var grown = snapshot
    for index in snapshot.rows.indices where replies.contains(snapshot.rows[index].id) {
      guard let stream = sharedStates.replies.stream(snapshot.rows[index].id),
        grown.rows[index].canGrow(to: stream)
      else {
        return nil
      }
      grown.rows[index].grow(to: stream)
    }
    return grown
  }
}

extension MessageRow {
  /// Whether the row differs from the present reply by the rest of a text alone. The first word changes more of a
  /// row.
  func canGrow(to stream: Replies.SharedState.Stream) -> Bool {
    status.state == .streaming && !content.text.isEmpty && !stream.text.isEmpty
      && (content.reasoning ?? "").isEmpty == stream.reasoning.isEmpty
  }

  mutating func grow(to stream: Replies.SharedState.Stream) {
    content.text = stream.text
    content.reasoning = stream.reasoning.isEmpty ? nil : stream.reasoning
  }
}
