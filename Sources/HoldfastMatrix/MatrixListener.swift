import HoldfastCore
import HoldfastHTTP
import HoldfastTransport
import Logging

/// Follows the server's events, by requests that wait for something new.
///
/// ```
///   sync ──► invitations: join ──► each room: what it is ──► its gap, in pages ──► its events, its read marks ──► the place ──┐
///    ▲                                                                                                                 │
///    └─────────────────────────────────────────────────────────────────────────────────────────────────────────────────┘
/// ```
///
/// A place is delivered with what leads to it, so that a device that is killed in between receives everything again.
struct MatrixListener: Sendable {
  /// The events in a page of a gap.
  private static let page = 200
  /// The items that are delivered at once.
  private static let most = 500
  /// The time behind the server's own for an answer that it holds back.
  private static let grace: Duration = .seconds(10)

  let client: MatrixClient
  let rooms: MatrixRooms
  let echoes: MatrixEchoes
  let reader: MatrixReader
  let device: String
  let settings: MatrixTransport.Settings

  /// Listens until the task is cancelled.
  ///
  /// - Throws: ``ConnectionFailure`` when the connection is lost.
  func run(after place: MatrixPlace?, _ sink: RequestTransport.Sink) async throws {
    var place = place
    var isFirst = true
    // The answers in a row that came at once, and reported nothing.
    var empty = 0
    while true {
      do {
        let asked = client.environment.uptime()
        let sync = try await sync(after: place?.since, waits: !isFirst)
        let isAtOnce = client.environment.uptime() < asked + min(.seconds(1), settings.longestWait / 2)
        empty = isAtOnce && sync.isEmpty && !isFirst ? empty + 1 : 0
        for invitation in sync.invited { try await answer(invitation) }
        place = try await deliver(sync, after: place, sink)
        if isFirst { echoes.caughtUp() }
        isFirst = false
        // A server that holds nothing back would be asked as fast as the network goes.
        if empty > 1 {
          try await client.environment.sleep(
            client.environment.uptime() + min(.seconds(5), .milliseconds(250) * empty))
        }
      } catch {
        throw try ConnectionFailure(matrix: error)
      }
    }
  }

  private func sync(after since: String?, waits: Bool) async throws -> MatrixSync {
    let wait: Duration = waits ? settings.longestWait : .zero
    var query = [
      "filter": filter, "timeout": String(Int(wait / .milliseconds(1))),
    ]
    query["since"] = since
    query["set_presence"] = "offline"
    // The first sync of a large account takes the server long, and one behind a long absence takes it some time.
    let limit: Duration =
      if since == nil { .seconds(300) } else if waits {
        wait + min(Self.grace, max(.seconds(3), wait))
      } else { min(MatrixRequest.usualLimit, settings.longestWait * 3) }
    let request = MatrixRequest("GET", ["v3", "sync"], query: query, limit: limit)
    return try MatrixSync(try await client.send(request).fields(), for: reader.account)
  }

  /// What is asked for ([filtering](https://spec.matrix.org/v1.15/client-server-api/#filtering)).
  private var filter: String {
    let types = MatrixEvent.list(of: MatrixEvent.timelineTypes + MatrixEvent.stateTypes)
    let none = "{\"not_types\":[\"*\"]}"
    return """
      {"room":{"timeline":{"limit":\(settings.newest),"types":\(types)},"state":{"types":\(types)},\
      "ephemeral":{"types":["m.receipt"]},"account_data":\(none)},"presence":\(none),"account_data":\(none)}
      """
  }

  /// Joins a room, where the app accepts invitations. A room that can no longer be joined is skipped.
  private func answer(_ invitation: MatrixSync.Invitation) async throws {
    let asked = MatrixInvitation(
      conversation: ConversationID(rawValue: invitation.room), inviter: invitation.inviter,
      title: invitation.title)
    guard await settings.accepts(asked) else { return }
    do { try await rooms.join(invitation.room) } catch let refusal as MatrixRefusal
      where [.denied, .invalid].contains(MatrixVerdict(refusal))
    {
      client.environment.logger.notice(
        "an invitation is no longer good", metadata: ["code": "\(refusal.shownCode)"])
    }
  }

  private func deliver(
    _ sync: MatrixSync, after place: MatrixPlace?, _ sink: RequestTransport.Sink
  ) async throws -> MatrixPlace {
    var items: [IncomingItem] = []
    var progress = place ?? MatrixPlace(since: sync.next, device: device)
    for room in sync.joined {
      if var conversation = try await rooms.apply(room) {
        if room.hasOlder, let previous = room.previous {
          (conversation.hasOlder, conversation.history) = (true, HistoryPlace(rawValue: previous))
        }
        items.append(.conversation(conversation))
      }
      if room.isLimited, !room.isNew, let place, let end = room.previous {
        try await fill(room.id, from: place.filled[room.id] ?? place.since, to: end, &items, &progress, sink)
      }
      items += try await read(room.timeline, in: room.id) + marks(in: room)
      if items.count >= Self.most {
        try await sink(items, cursor: nil)
        items = []
      }
    }
    for left in sync.left {
      let room = left.room.id
      if left.isOwnLeave {
        items.append(.removed(ConversationID(rawValue: room)))
      } else {
        if left.room.isLimited, let place, let end = left.room.previous {
          try await fillIfAllowed(room, from: place, to: end, &items, &progress, sink)
        }
        items += try await read(left.room.timeline, in: room) + [.conversation(rooms.removed(from: room))]
      }
      rooms.forget(room)
    }
    let next = MatrixPlace(since: sync.next, device: device, edits: echoes.edits)
    if next.since != place?.since || !items.isEmpty { try await sink(items, cursor: next.cursor) }
    return next
  }

  /// Reads what a sync has left out between the last place and its timeline
  /// ([`GET /messages`](https://spec.matrix.org/v1.15/client-server-api/#get_matrixclientv3roomsroomidmessages)).
  private func fill(
    _ room: String, from start: String, to end: String, _ items: inout [IncomingItem],
    _ progress: inout MatrixPlace, _ sink: RequestTransport.Sink
  ) async throws {
    var from = start
    while true {
      let page = try await MatrixPage.read(
        room, from: from, to: end, isBackwards: false, limit: Self.page, client)
      let found = try await items + read(page.events, in: room)
      items = []
      guard let next = page.end, next != from, !page.isEmpty else {
        items = found
        return
      }
      from = next
      progress.filled[room] = next
      progress.edits = echoes.edits
      // The place stays where it is, and remembers the page.
      if found.isEmpty { continue }
      try await sink(found, cursor: progress.cursor)
    }
  }

  /// Reads what was said in a room before the account was removed from it. A server does not inform those who are
  /// banned.
  private func fillIfAllowed(
    _ room: String, from place: MatrixPlace, to end: String, _ items: inout [IncomingItem],
    _ progress: inout MatrixPlace, _ sink: RequestTransport.Sink
  ) async throws {
    do {
      try await fill(room, from: place.filled[room] ?? place.since, to: end, &items, &progress, sink)
    } catch let refusal as MatrixRefusal where MatrixVerdict(refusal) == .denied {
      client.environment.logger.info(
        "what was said before a removal is not delivered", metadata: ["code": "\(refusal.shownCode)"])
    }
  }

  /// What events say, in their order.
  private func read(_ events: [MatrixEvent], in room: String) async throws -> [IncomingItem] {
    echoes.note(events, of: reader.account, in: room)
    return try await reader.items(of: events, in: room)
  }

  private func marks(in room: MatrixSync.Room) -> [IncomingItem] {
    room.readMarks.map { mark in
      .readMark(
        IncomingItem.ReadMark(
          conversation: ConversationID(rawValue: room.id), reader: mark.reader,
          message: MessageID(rawValue: echoes.message(at: mark.event)), order: nil))
    }
  }
}
