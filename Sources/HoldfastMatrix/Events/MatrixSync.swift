import HoldfastCore
import HoldfastHTTP

/// What the server answers to `GET /sync`
/// ([Matrix, syncing](https://spec.matrix.org/v1.15/client-server-api/#get_matrixclientv3sync)).
struct MatrixSync: Sendable, Hashable {
  /// A room of which the account is a member.
  struct Room: Sendable, Hashable {
    var id: String
    var state: [MatrixEvent]
    var timeline: [MatrixEvent]
    /// Whether events in front of the timeline were left out.
    var isLimited: Bool
    /// The place in front of the timeline.
    var previous: String?
    var readMarks: [ReadMark]

    /// The room is new to this device: the server sends all of its state, and not what has changed.
    var isNew: Bool { (state + timeline).contains(where: \.isCreation) }
    /// Whether there are older events of a room that is new. A server says so of each, also where the timeline begins
    /// with the room.
    var hasOlder: Bool { isNew && isLimited && !beginsHere }
    /// Whether the timeline has the room's first event.
    var beginsHere: Bool { timeline.contains(where: \.isCreation) }
  }

  /// A room of which the account was a member.
  struct Left: Sendable, Hashable {
    var room: Room
    /// Whether the account, a member until then, has left by itself. Otherwise somebody else has removed or banned it,
    /// or nothing came of an invitation: what is here stays.
    var isOwnLeave: Bool
  }

  /// How far somebody has read.
  struct ReadMark: Sendable, Hashable {
    var reader: UserID
    var event: String
  }

  /// A room that the account was invited to.
  struct Invitation: Sendable, Hashable {
    var room: String
    var inviter: UserID?
    var title: String?
  }

  /// The place behind all of it.
  var next: String
  /// Those in which something was said last come last.
  var joined: [Room]
  var invited: [Invitation]
  /// The rooms of which the account is no longer a member.
  var left: [Left]

  /// Whether nothing is reported.
  var isEmpty: Bool { joined.isEmpty && invited.isEmpty && left.isEmpty }

  /// - Parameter account: the account that asked.
  /// - Throws: ``ConnectionFailure`` when the answer names no place.
  init(_ fields: JSONFields, for account: UserID) throws(ConnectionFailure) {
    guard let next = fields.word("next_batch") else {
      throw ConnectionFailure(.incompatible, detail: "a sync names no place")
    }
    self.next = next
    let rooms = fields.object("rooms")
    joined = Self.each(rooms?.object("join")) { Room($0, $1) }
      .sorted { ($0.timeline.last?.time ?? 0, $0.id) < ($1.timeline.last?.time ?? 0, $1.id) }
    invited = Self.each(rooms?.object("invite")) { Invitation($0, $1) }
    left = Self.each(rooms?.object("leave")) { Left($0, $1, account) }
  }

  private static func each<Value>(
    _ rooms: JSONFields?, _ make: (String, JSONFields) -> Value
  ) -> [Value] {
    (rooms?.names ?? []).compactMap { name in
      guard ConversationID(rawValue: name).isWellFormed, let room = rooms?.object(name) else { return nil }
      return make(name, room)
    }
  }
}

extension MatrixSync.Room {
  fileprivate init(_ id: String, _ fields: JSONFields) {
    self.id = id
    let timeline = fields.object("timeline")
    state = (fields.object("state")?.objects("events") ?? []).compactMap(MatrixEvent.init)
    self.timeline = (timeline?.objects("events") ?? []).compactMap(MatrixEvent.init)
    isLimited = timeline?.isSet("limited") ?? false
    previous = timeline?.word("prev_batch")
    readMarks = (fields.object("ephemeral")?.objects("events") ?? [])
      .filter { $0.text("type") == "m.receipt" }
      .flatMap { MatrixSync.ReadMark.all(in: $0.object("content")) }
  }
}

extension MatrixSync.Left {
  fileprivate init(_ id: String, _ fields: JSONFields, _ account: UserID) {
    room = MatrixSync.Room(id, fields)
    // The state is that in front of the timeline.
    let events = [fields.object("state"), fields.object("timeline")].flatMap { $0?.objects("events") ?? [] }
    let last = events.last { $0.text("type") == "m.room.member" && $0.text("state_key") == account.rawValue }
    let before = last?.object("unsigned")?.object("prev_content") ?? last?.object("prev_content")
    isOwnLeave =
      before?.text("membership") == "join" && last?.text("sender") == account.rawValue
      && last?.object("content")?.text("membership") == "leave"
  }
}

extension MatrixSync.ReadMark {
  fileprivate static func all(in content: JSONFields?) -> [Self] {
    (content?.names ?? []).flatMap { event in
      ["m.read", "m.read.private"].flatMap { kind in
        (content?.object(event)?.object(kind)?.names ?? []).map {
          Self(reader: UserID(rawValue: $0), event: event)
        }
      }
    }
  }
}

extension MatrixSync.Invitation {
  fileprivate init(_ room: String, _ fields: JSONFields) {
    self.room = room
    // Stripped state has no IDs, so that it is read by hand.
    for event in fields.object("invite_state")?.objects("events") ?? [] {
      switch event.text("type") {
      case "m.room.name": title = event.object("content")?.word("name")
      case "m.room.member" where event.object("content")?.text("membership") == "invite":
        inviter = event.word("sender").map(UserID.init(rawValue:))
      default: break
      }
    }
  }
}

extension MatrixEvent {
  fileprivate var isCreation: Bool { if case .created = kind { true } else { false } }
}
