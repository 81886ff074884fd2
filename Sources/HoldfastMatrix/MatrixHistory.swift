import HoldfastCore
import HoldfastHTTP
import HoldfastTransport

/// Reads older messages of a room (rule B6), from a place that the server gave, or from a message backwards.
struct MatrixHistory: Sendable {
  /// The requests for one page: a stretch of a room may have reactions alone.
  private static let mostRequests = 10

  let client: MatrixClient
  let rooms: MatrixRooms
  let reader: MatrixReader

  func page(_ request: HistoryRequest) async throws -> HistoryPage {
    do {
      return try await read(request)
    } catch let error as HistoryPage.Refusal {
      throw error
    } catch {
      try Task.checkCancellation()
      switch MatrixVerdict(error) {
      case .unreached, .unauthorized: throw try ConnectionFailure(matrix: error)
      case .outcomeUnknown(let delay), .notNow(let delay): throw HistoryPage.Refusal.notNow(after: delay)
      case .invalid, .tooLarge, .denied:
        throw HistoryPage.Refusal.rejected(FailureReason(.historyNotLoaded))
      }
    }
  }

  private func read(_ request: HistoryRequest) async throws -> HistoryPage {
    let id = request.conversation
    let room = MatrixRooms.isRoom(id.rawValue) ? id.rawValue : try await rooms.lookUp(id)
    guard let room else { throw HistoryPage.Refusal.notNow(after: nil) }
    let start = try await place(request, in: room)
    var (events, before): ([MatrixEvent], String?) = ([], start)
    for _ in 0..<Self.mostRequests {
      let page = try await MatrixPage.read(
        room, from: before, isBackwards: true, limit: request.limit, client)
      events = page.events + events
      before = page.end
      if before == nil || events.contains(where: \.isMessage) { break }
    }
    return HistoryPage(
      items: try await reader.items(of: events, in: room, as: id),
      before: before.map(HistoryPlace.init(rawValue:)),
      beginsWithNewest: start == nil, isSoughtMissing: try await isMissing(request.sought, in: room))
  }

  /// The place before which messages are asked for. Nil: the end.
  private func place(_ request: HistoryRequest, in room: String) async throws -> String? {
    if let before = request.before { return before.rawValue }
    guard let oldest = request.oldest?.serverID else { return nil }
    let context = MatrixRequest("GET", ["v3", "rooms", room, "context", oldest], query: ["limit": "0"])
    do { return try await client.send(context).fields().word("start") } catch let refusal as MatrixRefusal
      where MatrixVerdict(refusal) == .denied
    {
      return nil
    }
  }

  /// Whether the server has no event of this name. Of our own names it knows nothing.
  private func isMissing(_ sought: MessageID?, in room: String) async throws -> Bool {
    guard let sought, sought.rawValue.hasPrefix("$") else { return false }
    do {
      _ = try await client.send(MatrixRequest("GET", ["v3", "rooms", room, "event", sought.rawValue]))
      return false
    } catch let refusal as MatrixRefusal where MatrixVerdict(refusal) == .denied {
      return true
    }
  }
}

extension MatrixEvent {
  var isMessage: Bool { if case .message = kind { true } else { false } }
}
