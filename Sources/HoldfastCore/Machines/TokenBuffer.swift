/// One message's tokens as they arrive: all of them for the screen, and coalesced chunks for the disk. Pure.
///
/// A piece that came before is passed over, and so is one that does not follow: the final message makes good
/// what was lost.
package struct TokenBuffer: Equatable, Sendable {
  /// What is written at once: the pieces from `firstSequence` to before `nextSequence`.
  package struct Chunk: Equatable, Sendable {
    package var firstSequence: Int64
    package var nextSequence: Int64
    package var text: String
    package var reasoning: String
    /// The first of a reply that is written anew: what was stored of the earlier one goes with it.
    package var replacesEarlier = false
  }

  package enum Outcome: Equatable, Sendable {
    case appended
    case duplicate
    case gap
  }

  /// At most this much time, or this many bytes, of what is on the screen is lost with the process.
  package static let interval: Duration = .milliseconds(250)
  package static let maximumBytes = 64 * 1024

  package var conversation: ConversationID
  package let sender: UserID
  /// It is written by this process, and not only shown here: nothing that comes over the link belongs to it.
  package let isWrittenHere: Bool
  /// Everything so far.
  package private(set) var text: String
  package private(set) var reasoning: String
  package private(set) var nextSequence: Int64
  private var unsaved: Chunk?
  private var unsavedSince: ChatEnvironment.Instant?
  /// What is stored is that of an earlier reply.
  private var replacesStored: Bool

  /// - Parameter isAnew: nothing of what is stored belongs to it, but for the numbers of its pieces.
  package init(
    conversation: ConversationID, sender: UserID, stored: StreamPrefix, isWrittenHere: Bool = false,
    isAnew: Bool = false
  ) {
    self.conversation = conversation
    self.sender = sender
    self.isWrittenHere = isWrittenHere
    text = isAnew ? "" : stored.text
    reasoning = isAnew ? "" : stored.reasoning
    nextSequence = stored.nextSequence
    replacesStored = isAnew
  }

  package mutating func receive(_ piece: StreamPiece, now: ChatEnvironment.Instant) -> Outcome {
    guard piece.sequence >= nextSequence else { return .duplicate }
    guard piece.sequence == nextSequence else { return .gap }
    let (newText, newReasoning) = (piece.text.storable, piece.reasoning.storable)
    text += newText
    reasoning += newReasoning
    nextSequence += 1
    if unsaved == nil {
      unsaved = Chunk(
        firstSequence: piece.sequence, nextSequence: piece.sequence, text: "", reasoning: "",
        replacesEarlier: replacesStored)
      unsavedSince = now
    }
    unsaved?.nextSequence = nextSequence
    unsaved?.text += newText
    unsaved?.reasoning += newReasoning
    return .appended
  }

  /// When the next chunk is due. Nil: everything is stored.
  package var deadline: ChatEnvironment.Instant? {
    guard let unsaved, let unsavedSince else { return nil }
    let isLarge = unsaved.text.utf8.count + unsaved.reasoning.utf8.count >= Self.maximumBytes
    return isLarge ? unsavedSince : unsavedSince + Self.interval
  }

  /// What is to be written now. Call ``stored(_:)`` once it is on disk.
  package var unsavedChunk: Chunk? { unsaved }

  /// What came while it was being written is the next chunk: the disk knows a chunk by the number of its first
  /// piece, and passes over a longer one with the same.
  package mutating func stored(_ chunk: Chunk) {
    guard var rest = unsaved, rest.firstSequence == chunk.firstSequence else { return }
    replacesStored = false
    guard rest.nextSequence > chunk.nextSequence else {
      unsaved = nil
      unsavedSince = nil
      return
    }
    rest.firstSequence = chunk.nextSequence
    rest.replacesEarlier = false
    rest.text = String(decoding: rest.text.utf8.dropFirst(chunk.text.utf8.count), as: UTF8.self)
    rest.reasoning = String(
      decoding: rest.reasoning.utf8.dropFirst(chunk.reasoning.utf8.count), as: UTF8.self)
    unsaved = rest
  }
}
