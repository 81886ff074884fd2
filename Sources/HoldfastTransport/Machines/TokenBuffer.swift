import HoldfastCore

/// One message's tokens as they arrive: all tokens for the screen, and coalesced chunks for the disk. Pure.
///
/// A repeated piece is ignored, and so is a piece that leaves a gap: the final message restores the lost text.
package struct TokenBuffer: Equatable, Sendable {
  /// The pieces that are written at once: from `firstSequence` up to, but not including, `nextSequence`.
  package struct Chunk: Equatable, Sendable {
    package var firstSequence: Int64
    package var nextSequence: Int64
    package var text: String
    package var reasoning: String
    /// Whether the chunk is the first of a reply that is written again. The stored chunks of the earlier reply are
    /// deleted with it.
    package var replacesEarlier = false

    package init(
      firstSequence: Int64, nextSequence: Int64, text: String, reasoning: String,
      replacesEarlier: Bool = false
    ) {
      (self.firstSequence, self.nextSequence) = (firstSequence, nextSequence)
      (self.text, self.reasoning) = (text, reasoning)
      self.replacesEarlier = replacesEarlier
    }
  }

  package enum Outcome: Equatable, Sendable {
    case appended
    case duplicate
    case gap
  }

  /// A crash loses at most this much time, or this many bytes, of what is on the screen.
  package static let interval: Duration = .milliseconds(250)
  /// A power failure loses at most this much time.
  package static let syncInterval: Duration = .seconds(1)
  package static let maximumBytes = 64 * 1024

  package var conversation: ConversationKey
  package let sender: UserID
  /// Whether the message is written by this process, and not only shown here: no piece from the connection belongs to
  /// it.
  package let isWrittenHere: Bool
  /// The request that the message answers, when it is written by this process.
  package let request: RequestID?
  /// All text so far.
  package private(set) var text: String
  package private(set) var reasoning: String
  package private(set) var nextSequence: Int64
  private var unsaved: Chunk?
  private var unsavedSince: ChatEnvironment.Instant?
  /// Whether a chunk was stored since the buffer was made.
  private var isBegun = false
  /// Whether the stored text belongs to an earlier reply.
  private var replacesStored: Bool

  /// - Parameter isAnew: The reply is written again: it takes over only the numbers of the stored pieces.
  package init(
    conversation: ConversationKey, sender: UserID, stored: StreamPrefix, isWrittenHere: Bool = false,
    answering request: RequestID? = nil, isAnew: Bool = false
  ) {
    self.conversation = conversation
    self.sender = sender
    self.isWrittenHere = isWrittenHere
    self.request = request
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

  /// The time at which the next chunk is due. Nil when everything is stored.
  package var deadline: ChatEnvironment.Instant? {
    guard let unsaved, let unsavedSince else { return nil }
    let isLarge = unsaved.text.utf8.count + unsaved.reasoning.utf8.count >= Self.maximumBytes
    return isLarge ? unsavedSince : unsavedSince + Self.interval
  }

  /// The chunk that is to be written now. Call ``stored(_:)`` once it is on disk.
  package var unsavedChunk: Chunk? { unsaved }

  /// Whether the chunk may wait in the tail. Until then the screen and the list show nothing of the message, or the
  /// database has it as interrupted, or has another text of it.
  package var mayUseTail: Bool { isBegun && !replacesStored }

  /// The chunk is on disk. Pieces that came during the write form the next chunk: the disk identifies a chunk by
  /// the number of its first piece, and ignores a longer chunk with the same number.
  package mutating func stored(_ chunk: Chunk) {
    guard var rest = unsaved, rest.firstSequence == chunk.firstSequence else { return }
    replacesStored = false
    isBegun = true
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
