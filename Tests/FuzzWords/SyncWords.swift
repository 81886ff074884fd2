#if DEBUG || FUZZING
  import Foundation
  import HoldfastCore
  import HoldfastHTTP
  import HoldfastTransport

  @testable import HoldfastMatrix

  /// The response of a Matrix homeserver, parsed as each possible kind of response.
  enum SyncWords {
    private static let now = Date(timeIntervalSince1970: 1_780_000_000)

    static func read(_ bytes: [UInt8]) {
      readRefusal(bytes)
      readPlace(bytes)
      readState(bytes)
      guard let fields = try? JSONFields(utf8: bytes) else { return }
      if let sync = try? MatrixSync(fields, for: "@alice:example.org") { check(sync) }
      readPage(fields)
      if let event = MatrixEvent(fields) { check(event) }
      _ = MatrixMessage(fields)
    }

    private static func check(_ sync: MatrixSync) {
      precondition(!sync.next.isEmpty, "a place is empty")
      for room in sync.joined {
        var known = MatrixRoom(room.state)
        for event in room.state + room.timeline {
          known.apply(event)
          check(event)
        }
        check(room: known)
        _ = (room.isNew, room.hasOlder)
      }
      let ids = sync.joined.map(\.id) + sync.invited.map(\.room) + sync.left.map(\.room.id)
      precondition(ids.allSatisfy { ConversationID(rawValue: $0).isWellFormed }, "an ID is malformed")
    }

    private static func check(_ event: MatrixEvent) {
      precondition(MessageID.isWellFormed(event.id), "an ID is malformed")
      Held.check(event.date)
      let (room, account): (String, UserID) = ("!room:example.org", "@alice:example.org")
      Held.check(event.items(in: room, for: account))
      if let own = event.ownID(of: account, in: room) { precondition(own.isWellFormed, "an ID is malformed") }
    }

    private static func check(room: MatrixRoom) {
      _ = room.item("!room:example.org", for: room.conversation)
    }

    /// The state of a room, which is an array of events.
    private static func readState(_ bytes: [UInt8]) {
      guard let all = try? JSONFields.all(in: bytes) else { return }
      let events = all.compactMap(MatrixEvent.init)
      for event in events { check(event) }
      check(room: MatrixRoom(events))
    }

    /// A page of a room's messages.
    private static func readPage(_ fields: JSONFields) {
      for event in fields.objects("chunk").compactMap(MatrixEvent.init) { check(event) }
    }

    private static func readRefusal(_ bytes: [UInt8]) {
      for status in [400, 401, 403, 429, 502] {
        let refusal = MatrixRefusal(
          HTTPResponse(HTTPHead(status: status), bytes), now: now)
        Held.check(refusal.retryAfter)
        _ = MatrixVerdict(refusal)
        _ = try? ConnectionFailure(matrix: refusal)
        precondition(refusal.shownCode.utf8.count <= 64, "a code is no code")
      }
    }

    private static func readPlace(_ bytes: [UInt8]) {
      guard let place = MatrixPlace(SyncCursor(rawValue: String(decoding: bytes, as: UTF8.self))) else {
        return
      }
      precondition(MatrixPlace(place.cursor) == place, "a place does not come back")
    }
  }
#endif
