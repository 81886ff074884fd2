import HoldfastCore
import HoldfastTransport

/// One live connection to a homeserver: requests that send, and requests that wait for events. What goes through it is
/// ``RequestTransport``'s; this adds the account, and what became of messages.
struct MatrixConnection: TransportConnection {
  let base: any TransportConnection
  let user: UserID
  let rooms: MatrixRooms
  let echoes: MatrixEchoes
  /// Whether the connection goes on from a place, so that everything behind it is delivered.
  let isResumed: Bool

  var account: UserID? { user }

  func send(_ messages: [OutgoingMessage]) async throws { try await base.send(messages) }
  func send(_ piece: StreamPiece) async throws { try await base.send(piece) }
  func send(_ mark: IncomingItem.ReadMark) async throws { try await base.send(mark) }
  func receive() async throws -> TransportEvent { try await base.receive() }
  func history(_ request: HistoryRequest) async throws -> HistoryPage { try await base.history(request) }
  func search(_ request: SearchRequest) async throws -> SearchResults { try await base.search(request) }
  func upload(_ upload: ChatAttachment.Upload) async throws -> String { try await base.upload(upload) }
  func download(_ download: ChatAttachment.Download) async throws { try await base.download(download) }

  func outcome(
    of request: RequestID, in conversation: ConversationID
  ) async throws -> ProcessingRequest.Outcome {
    try await base.outcome(of: request, in: conversation)
  }

  /// A message that arrived is behind the place that was stored before it left, so that its event is delivered on this
  /// connection. Where it is not, the server does not have the message. A copy on its way is the same transaction as
  /// the next one.
  func outcomes(
    of ids: [MessageID], in conversation: ConversationID
  ) async throws -> [MessageID: OutgoingMessage.DeliveryOutcome] {
    guard isResumed else { return try await base.outcomes(of: ids, in: conversation) }
    try await echoes.untilCaughtUp()
    let outcomes = ids.map { id -> (MessageID, OutgoingMessage.DeliveryOutcome) in
      guard let event = echoes.event(of: id, in: rooms.known(conversation)) else { return (id, .absent) }
      let receipt = Receipt(
        id: id, conversation: conversation, order: nil, createdAt: event.date, serverID: event.id)
      return (id, .accepted(receipt))
    }
    return Dictionary(outcomes) { first, _ in first }
  }
}
