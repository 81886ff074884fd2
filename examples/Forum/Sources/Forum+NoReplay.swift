import Foundation
import Holdfast
import HoldfastTransport

/// The same forum with a socket that tells only what is new while it is open. What happened before is read from the lists.
extension Forum {
  struct Room: Codable { var id: String, members: [String], last: String }

  var transportWithoutReplay: RequestTransport {
    transportWithHistory.receiving { cursor, sink in
      // First the socket, then the lists. What happens in between waits in the socket, so that nothing falls between them.
      let socket = PushSocket(url: url.appending(path: "feed"), account: account, pingInterval: pingInterval)
      try await socket.open {
        try await catchUp(after: cursor?.rawValue, sink)
      } receive: { text in
        let event = try JSONDecoder().decode(Event.self, from: Data(text.utf8))
        try await sink([item(event)].compactMap(\.self), cursor: SyncCursor(rawValue: event.id))
      }
    }
  }

  /// Tells what has happened since the last event that is stored here. A new device gets the newest page of each room, and
  /// pages back from there.
  private func catchUp(after stored: String?, _ sink: RequestTransport.Sink) async throws {
    let rooms: [Room] = try await get("rooms")
    sink.ready()
    for room in rooms where room.last > stored ?? "" {
      var (page, events): ([Event], [Event]) = ([], [])
      repeat {
        page = try await get("rooms/\(room.id)/events", before: page.first?.id)
        events = page + events
      } while stored != nil && page.count == Self.pageSize && page[0].id > stored ?? ""
      let isNewest = stored == nil && page.count == Self.pageSize
      let conversation = IncomingConversation(
        id: ConversationID(rawValue: room.id), title: nil, members: room.members.map(UserID.init(rawValue:)),
        history: isNewest ? page.first.map { HistoryPlace(rawValue: $0.id) } : nil)
      var items = [.conversation(conversation)] + events.filter { $0.id > stored ?? "" }.compactMap(item)
      while !items.isEmpty {
        // Without a place: after a crash, all of it is told again.
        try await sink(Array(items.prefix(100)), cursor: nil)
        items.removeFirst(min(100, items.count))
      }
    }
    // Everything up to here was in the lists. What is newer is in the socket too, and moves the place itself.
    if let last = rooms.map(\.last).max() { try await sink([], cursor: SyncCursor(rawValue: last)) }
  }
}
