import Foundation
import HoldfastCore
import HoldfastRelay

/// The messages that are being streamed now, with their pieces so far, for members that join late.
///
/// ```
///            piece 0             piece n+1                 final message, or evicted
/// (nothing) ─────────► streaming ─────────┐  ────────────────────────► (nothing)
///                        ▲────────────────┘
/// ```
///
/// Streams are in memory only. The final message, which is stored durably, replaces lost pieces.
struct StreamBuffer: Sendable {
  /// The sender is part of the key, so that a stream cannot be blocked by another account that takes its ID.
  struct Key: Sendable, Hashable {
    var sender: UserID
    var conversation: ConversationID
    var message: MessageID
  }

  struct Stream: Sendable {
    fileprivate(set) var pieces: [Wire.Piece] = []
    /// The accounts that get the pieces.
    let audience: [UserID]
    /// The request that the message answers.
    fileprivate let request: Request?
    /// The connection that sent the last piece.
    fileprivate var writer: ConnectionID?
    /// On the waiting clock.
    fileprivate let start: Duration
    fileprivate var textBytes = 0
    fileprivate var reasoningBytes = 0
    fileprivate var bytes: Int { textBytes + reasoningBytes }
  }

  /// A request, as a conversation knows it.
  fileprivate struct Request: Sendable, Hashable {
    var id: RequestID
    var conversation: ConversationID
  }

  private let limits: Limits
  private var streams: [Key: Stream] = [:]
  /// From the oldest to the newest.
  private var age: [Key] = []
  /// The first account to stream under each ID. The other accounts know the ID from the pieces.
  private var writers: [MessageID: UserID] = [:]
  /// The streams that answer each request.
  private var answers: [Request: Set<Key>] = [:]
  private(set) var heldPieces = 0
  private(set) var heldBytes = 0

  init(limits: Limits) { self.limits = limits }

  var isEmpty: Bool { age.isEmpty }

  /// When the oldest stream was started.
  var oldestStart: Duration? { age.first.flatMap { streams[$0]?.start } }

  func contains(_ key: Key) -> Bool { streams[key] != nil }

  /// Whether another account is streaming a message with this ID. Members of its conversation know the ID from the
  /// pieces.
  func isTaken(_ id: MessageID, for sender: UserID) -> Bool { writers[id].map { $0 != sender } ?? false }

  /// The streams that `account` may see, the oldest first.
  func streams(for account: UserID) -> [Stream] {
    age.compactMap { streams[$0] }.filter { $0.audience.contains(account) }
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

  /// Takes the next piece, and returns the accounts that get it. Nil when the piece is dropped: it came before, an
  /// earlier piece is missing, or the text has become longer than a message may be.
  mutating func append(_ piece: Wire.Piece, to key: Key) -> [UserID]? {
    guard var stream = streams[key], piece.sequence == stream.pieces.count else { return nil }
    stream.textBytes += piece.text.utf8.count
    stream.reasoningBytes += piece.reasoning?.utf8.count ?? 0
    guard max(stream.textBytes, stream.reasoningBytes) <= limits.maximumMessageBytes else { return nil }
    heldPieces += 1
    heldBytes += piece.text.utf8.count + (piece.reasoning?.utf8.count ?? 0)
    // The stream is taken out while it grows, so that the array of pieces is not copied with every piece.
    streams[key] = nil
    stream.pieces.append(piece)
    streams[key] = stream
    while heldPieces > limits.maximumHeldPieces || heldBytes > limits.maximumHeldBytes, let oldest = age.first
    {
      remove(oldest)
    }
    return stream.audience
  }

  mutating func remove(_ key: Key) {
    guard let stream = streams.removeValue(forKey: key) else { return }
    age.removeAll { $0 == key }
    if let request = stream.request {
      answers[request]?.remove(key)
      if answers[request]?.isEmpty == true { answers[request] = nil }
    }
    if writers[key.message] == key.sender {
      writers[key.message] = age.first { $0.message == key.message }?.sender
    }
    heldPieces -= stream.pieces.count
    heldBytes -= stream.bytes
  }
}
