import Foundation
import Holdfast
import HoldfastTransport

/// The same forum with a socket that tells only what is new while it is open. What happened before is read from the lists.
extension Forum {
  struct Room: Codable { var id: String, members: [String], last: String }

  /// What is stored here: all events up to the last one, of these rooms.
  private struct Place: Codable {
    var last: String, rooms: Set<String>

    var cursor: SyncCursor {
      get throws { SyncCursor(rawValue: String(decoding: try JSONEncoder().encode(self), as: UTF8.self)) }
    }
  }

  var transportWithoutReplay: RequestTransport {
    transportWithHistory.receiving { cursor, sink in
      let stored = cursor.flatMap { try? JSONDecoder().decode(Place.self, from: Data($0.rawValue.utf8)) }
      var place = stored ?? Place(last: "", rooms: [])
      // First the socket, then the lists. What happens in between waits in the socket, so that nothing falls between them.
      let socket = PushSocket(url: url.appending(path: "feed"), account: account, pingInterval: pingInterval)
      try await socket.open {
        place = try await catchUp(from: place, isNew: stored == nil, sink)
        try await sink([], cursor: place.cursor)
      } receive: { text in
        let event = try JSONDecoder().decode(Event.self, from: Data(text.utf8))
        let item = item(event)
        if case .conversation = item { place.rooms.insert(event.room) }
        if case .removed = item { place.rooms.remove(event.room) }
        place.last = max(place.last, event.id)
        try await sink([item].compactMap(\.self), cursor: place.cursor)
      }
    }
  }

  /// Sends what has happened since the place. A room that it does not have is sent with its newest page, and is paged
  /// back from there: the account was added to it, or the device is new. A room that is not in the list is gone.
  private func catchUp(
    from place: Place, isNew: Bool, _ sink: RequestTransport.Sink
  ) async throws -> Place {
    let rooms: [Room] = try await get("rooms")
    sink.ready()
    for room in place.rooms.subtracting(rooms.map(\.id)) {
      try await sink([.removed(ConversationID(rawValue: room))], cursor: nil)
    }
    for room in rooms {
      let isKnown = place.rooms.contains(room.id)
      if isKnown, room.last <= place.last { continue }
      var (page, events): ([Event], [Event]) = ([], [])
      repeat {
        page = try await get("rooms/\(room.id)/events", before: page.first?.id)
        events = page + events
      } while !isNew && page.count == Self.pageSize && page[0].id > place.last
      let older = isKnown || page.count < Self.pageSize ? nil : page.first?.id
      let conversation = IncomingConversation(
        id: ConversationID(rawValue: room.id), title: nil, members: room.members.map(UserID.init(rawValue:)),
        history: older.map(HistoryPlace.init(rawValue:)))
      if isKnown { events.removeAll { $0.id <= place.last } }
      var items = [.conversation(conversation)] + events.compactMap(item)
      while !items.isEmpty {
        // Without a place: after a crash, all of it is told again.
        try await sink(Array(items.prefix(100)), cursor: nil)
        items.removeFirst(min(100, items.count))
      }
    }
    // Everything up to here was in the lists. What is newer is in the socket too, and moves the place itself.
    return Place(last: rooms.map(\.last).reduce(place.last, max), rooms: Set(rooms.map(\.id)))
  }
}
