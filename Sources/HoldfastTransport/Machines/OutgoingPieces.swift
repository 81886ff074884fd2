import HoldfastCore

/// The pieces of messages that are being written here, to be sent. Pure.
///
/// Pieces are best effort: the final text is sent durably. Pieces therefore wait for a connection only as long as
/// they are few. A stream that has lost a piece sends no more, because the server forwards only pieces that follow
/// each other.
///
/// ```
///   following ── the pieces that wait are too many, or it was cut off ──► silent ── finished ──► (gone)
/// ```
package struct OutgoingPieces: Equatable, Sendable {
  /// The most text that waits, in UTF-8 bytes. Each piece counts for 64 more.
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

  /// The message sends no further pieces, and its waiting pieces are dropped.
  package mutating func silence(_ id: MessageID) {
    silent.insert(id)
    drop(id)
  }

  /// Removes and returns the pieces to send now.
  package mutating func drain() -> [StreamPiece] {
    defer { (waiting, bytes) = ([], 0) }
    return waiting
  }

  /// The whole text is sent: the message's pieces are no longer needed.
  package mutating func finish(_ id: MessageID) {
    silent.remove(id)
    drop(id)
  }

  private mutating func drop(_ id: MessageID) {
    waiting.removeAll { $0.id == id }
    bytes = waiting.reduce(0) { $0 + Self.size($1) }
  }

  private static func size(_ piece: StreamPiece) -> Int {
    piece.text.utf8.count + piece.reasoning.utf8.count + 64
  }
}
