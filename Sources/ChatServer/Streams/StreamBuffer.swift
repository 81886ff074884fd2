import Foundation
import HoldfastCore
import HoldfastRelay

/// The messages that are being streamed now, with their pieces so far, for members that join late.
///
/// ```
///            piece 0             piece n+1             no room
/// (nothing) ─────────► streaming ─────────┐  ────────────────────► passing
///                        ▲────────────────┘                           │
///                        └────── final message ──► (nothing) ◄────────┘
/// ```
///
/// A stream that is *passing* continues for the members that read it from its beginning, and has nothing for those
/// that join later. Streams are in memory only. The final message, which is stored durably, replaces lost pieces.
struct StreamBuffer: Sendable {
  /// The sender is part of the key, so that a stream cannot be blocked by another account that takes its ID.
  struct Key: Sendable, Hashable {
    var sender: UserID
    var conversation: ConversationID
    var message: MessageID
  }

  struct Stream: Sendable {
    /// The pieces for members that join late. Nil once the buffer had no room for them.
    fileprivate(set) var pieces: [Wire.Piece]? = []
    /// The number of the writer's next piece, and of the next forwarded one: empty pieces are not forwarded.
    fileprivate var next: Int64 = 0
    fileprivate var passed: Int64 = 0
    /// The accounts that get the pieces.
    let audience: [UserID]
    /// The request that the message answers.
    fileprivate let request: Request?
    /// The connection that sent the last piece.
    fileprivate var writer: ConnectionID?
    /// The start of the stream, on the waiting clock.
    fileprivate let start: Duration
    fileprivate var textBytes = 0
    fileprivate var reasoningBytes = 0
    fileprivate var held: Held {
      Held(pieces: pieces?.count ?? 0, bytes: pieces == nil ? 0 : textBytes + reasoningBytes)
    }
  }

  /// A number of pieces in memory, and the bytes of their texts.
  struct Held: Sendable, Hashable {
    fileprivate(set) var (pieces, bytes) = (0, 0)

    fileprivate static func += (sum: inout Held, other: Held) {
      (sum.pieces, sum.bytes) = (sum.pieces + other.pieces, sum.bytes + other.bytes)
    }

    fileprivate static func -= (sum: inout Held, other: Held) {
      (sum.pieces, sum.bytes) = (sum.pieces - other.pieces, sum.bytes - other.bytes)
    }
  }

  /// A request of a conversation.
  fileprivate struct Request: Sendable, Hashable {
    var id: RequestID
    var conversation: ConversationID
  }

  private let limits: Limits
  private var streams: [Key: Stream] = [:]
  /// The streams, oldest first.
  private var age: [Key] = []
  /// The first account to stream under each ID. The other accounts know the ID from the pieces.
  private var writers: [MessageID: UserID] = [:]
  /// The streams that answer each request.
  private var answers: [Request: Set<Key>] = [:]
  private(set) var held = Held()
  private var heldBySender: [UserID: Held] = [:]

  init(limits: Limits) { self.limits = limits }

  var isEmpty: Bool { age.isEmpty }

  /// The start of the oldest stream.
  var oldestStart: Duration? { age.first.flatMap { streams[$0]?.start } }

  func contains(_ key: Key) -> Bool { streams[key] != nil }

  /// Whether another account is streaming a message with this ID. Members of its conversation know the ID from the
  /// pieces.
  func isTaken(_ id: MessageID, for sender: UserID) -> Bool { writers[id].map { $0 != sender } ?? false }

  /// The pieces of each stream that `account` may see, the oldest stream first.
  func pieces(for account: UserID) -> [[Wire.Piece]] {
    age.compactMap { streams[$0] }.filter { $0.audience.contains(account) }.compactMap(\.pieces)
  }

  /// Starts a stream. Its first piece follows with ``append(_:to:)``. Drops the sender's oldest stream when the
  /// sender has too many.
  ///
  /// - Parameter request: the request that the message answers.
  mutating func start(
    _ key: Key, audience: [UserID], answering request: RequestID? = nil, at start: Duration = .zero
  ) {
    guard streams[key] == nil else { return }
    let own = age.filter { $0.sender == key.sender }
    if own.count >= max(1, limits.maximumStreamsPerAccount), let oldest = own.first { remove(oldest) }
    let request = request.map { Request(id: $0, conversation: key.conversation) }
    streams[key] = Stream(audience: audience, request: request, start: start)
    if let request { answers[request, default: []].insert(key) }
    age.append(key)
    if writers[key.message] == nil { writers[key.message] = key.sender }
  }

  /// Notes the connection that writes the stream now.
  mutating func note(writer: ConnectionID, of key: Key) { streams[key]?.writer = writer }

  /// The connections that wrote the last pieces of the messages that answer a request.
  func writers(answering request: RequestID, in conversation: ConversationID) -> [ConnectionID] {
    (answers[Request(id: request, conversation: conversation)] ?? []).compactMap { streams[$0]?.writer }
  }

  /// Takes the next piece. Returns the forwarded form of the piece, and its audience. Nil when it is not forwarded:
  /// it is a duplicate, an earlier piece is missing, the text exceeds the maximum size of a message, or the piece is
  /// empty.
  mutating func append(_ piece: Wire.Piece, to key: Key) -> (piece: Wire.Piece, audience: [UserID])? {
    guard var stream = streams[key], piece.sequence == stream.next else { return nil }
    let (text, reasoning) = (piece.text.utf8.count, piece.reasoning?.utf8.count ?? 0)
    guard max(stream.textBytes + text, stream.reasoningBytes + reasoning) <= limits.maximumMessageBytes
    else { return nil }
    stream.next += 1
    guard text + reasoning > 0 || stream.passed == 0 else {
      streams[key] = stream
      return nil
    }
    var piece = piece
    piece.sequence = stream.passed
    stream.passed += 1
    (stream.textBytes, stream.reasoningBytes) = (stream.textBytes + text, stream.reasoningBytes + reasoning)
    // The stream is taken out while it grows, so that the array of pieces is not copied with every piece.
    streams[key] = nil
    if stream.pieces != nil {
      stream.pieces?.append(piece)
      let added = Held(pieces: 1, bytes: text + reasoning)
      held += added
      heldBySender[key.sender, default: Held()] += added
    }
    streams[key] = stream
    while held.pieces > limits.maximumHeldPieces || held.bytes > limits.maximumHeldBytes {
      guard makeRoom() else { break }
    }
    return (piece, stream.audience)
  }

  /// Evicts the pieces of one stream: the oldest of the account that holds most. Returns false when no stream has
  /// pieces.
  private mutating func makeRoom() -> Bool {
    func share(_ held: Held) -> Double {
      max(
        Double(held.pieces) / Double(max(1, limits.maximumHeldPieces)),
        Double(held.bytes) / Double(max(1, limits.maximumHeldBytes)))
    }
    // Ties are broken by the ID, so that a simulation replays exactly.
    let most = heldBySender.max { (share($0.value), $1.key.rawValue) < (share($1.value), $0.key.rawValue) }
    guard let most, let key = age.first(where: { $0.sender == most.key && streams[$0]?.pieces != nil })
    else { return false }
    release(key)
    streams[key]?.pieces = nil
    return true
  }

  /// Subtracts the pieces that a stream has released.
  private mutating func release(_ key: Key) {
    guard let released = streams[key]?.held else { return }
    held -= released
    heldBySender[key.sender]? -= released
    if heldBySender[key.sender] == Held() { heldBySender[key.sender] = nil }
  }

  mutating func remove(_ key: Key) {
    release(key)
    guard let stream = streams.removeValue(forKey: key) else { return }
    age.removeAll { $0 == key }
    if let request = stream.request {
      answers[request]?.remove(key)
      if answers[request]?.isEmpty == true { answers[request] = nil }
    }
    if writers[key.message] == key.sender {
      writers[key.message] = age.first { $0.message == key.message }?.sender
    }
  }
}
