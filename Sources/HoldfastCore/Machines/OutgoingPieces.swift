/// Pieces of messages that are being written here, on their way out. Pure.
///
/// They are a courtesy to those who look on: the final text takes the durable way. So they wait for a link only as long
/// as they are few. A stream that has lost one sends no more, because the server passes on none that does not follow.
///
/// ```
///   following ── the pieces that wait are too many, or it was cut off ──► silent ── finished ──► (gone)
/// ```
package struct OutgoingPieces: Equatable, Sendable {
  /// In UTF-8 bytes of text; each piece counts for 64 more.
  package static let capacity = 1 << 20

  private var waiting: [StreamPiece] = []
  private var bytes = 0
  private var silent: Set<MessageID> = []

  package init() {

  }

  package mutating func append(_ piece: StreamPiece) {
    guard !silent.contains(piece.id) else { return }
    waiting.append(piece)
    bytes += Self.size(piece)
    if bytes > Self.capacity { silence(piece.id) }
  }

  /// Nothing of it is sent piece by piece any more.
  package mutating func silence(_ id: MessageID) {
    silent.insert(id)
    drop(id)
  }

  /// What leaves now.
  package mutating func take() -> [StreamPiece] {
    defer { (waiting, bytes) = ([], 0) }
    return waiting
  }

  /// The whole text goes out: its pieces are not needed any more.
  package mutating func finish(_ id: MessageID) {
    silent.remove(id)
    drop(id)
  }

  /// Their conversations may have other IDs now.
  package mutating func rename(_ current: (ConversationID) -> ConversationID) {
    for index in waiting.indices { waiting[index].conversation = current(waiting[index].conversation) }
  }

  private mutating func drop(_ id: MessageID) {
    waiting.removeAll { $0.id == id }
    bytes = waiting.reduce(0) { $0 + Self.size($1) }
  }

  private static func size(_ piece: StreamPiece) -> Int {
    piece.text.utf8.count + piece.reasoning.utf8.count + 64
  }
}
