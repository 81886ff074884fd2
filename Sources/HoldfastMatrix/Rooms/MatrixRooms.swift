import Foundation
import HoldfastCore
import HoldfastHTTP
import HoldfastTransport
import Synchronization

/// The rooms of an account, as far as this connection has received them, and the rooms that it creates.
///
/// A room has the server's ID. The conversation that asked for it has the engine's, and gets the room's (rule D15). A
/// room's alias is a hash of the engine's ID, so that a second request, of this device or another member's, creates no
/// second room.
///
/// ```
///   ours ── createRoom ──┬── 200 ──────────────────────────► the room
///                        └── the alias is taken ── look up ──► join ── made by a member ──► the room
///                                                                  └── by somebody else ──► refused
/// ```
package final class MatrixRooms: Sendable {
  private struct State {
    var rooms: [String: MatrixRoom] = [:]
    /// The rooms of which it is known that they are not encrypted, without knowing more.
    var plain: Set<String> = []
    /// The rooms by the engine's IDs.
    var named: [ConversationID: String] = [:]
    /// The rooms that this connection is creating, and who waits until it has created them.
    var creating = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let client: MatrixClient
  private let account: UserID
  private let state = Mutex(State())

  init(_ client: MatrixClient, as account: UserID) { (self.client, self.account) = (client, account) }

  /// Whether an ID is a room's.
  static func isRoom(_ id: String) -> Bool { id.hasPrefix("!") }

  // MARK: What the server reports

  /// Applies what a sync reports of a room's state. Nil when it says nothing new.
  func apply(_ room: MatrixSync.Room) async throws -> IncomingConversation? {
    let changes = (room.state + room.timeline).filter(\.isState)
    guard !changes.isEmpty else { return nil }
    var present: MatrixRoom
    if room.isNew {
      present = MatrixRoom(changes)
      // A room is reported from its first event on, and the name of its conversation is one of the last.
      if present.creator == account, present.conversation == nil, room.beginsHere {
        await untilCreated()
        present = try await ask(about: room.id)
      }
    } else if let known = state.withLock({ $0.rooms[room.id] }) {
      present = known
      for change in changes { present.apply(change) }
    } else {
      present = try await ask(about: room.id)
    }
    return try await note(present, of: room.id)
  }

  /// Waits until no room is being created on this connection.
  private func untilCreated() async {
    await withCheckedContinuation { waiter in
      let isOver = state.withLock { state in
        if state.creating > 0 { state.waiting.append(waiter) }
        return state.creating == 0
      }
      if isOver { waiter.resume() }
    }
  }

  private func noteCreation(_ change: Int) {
    let waiting = state.withLock { state in
      state.creating += change
      guard state.creating == 0 else { return [CheckedContinuation<Void, Never>]() }
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiter in waiting { waiter.resume() }
  }

  /// What is reported of a room from which the account was removed: nothing but that, because a server does not inform
  /// those who are banned what the room was.
  func removed(from room: String) -> IncomingConversation {
    IncomingConversation(
      id: ConversationID(rawValue: room), title: nil, members: [], refusal: .removedFromRoom)
  }

  func forget(_ room: String) {
    state.withLock { state in
      state.rooms[room] = nil
      state.plain.remove(room)
    }
  }

  private func note(_ present: MatrixRoom, of room: String) async throws -> IncomingConversation {
    var confirmed: String?
    if let ours = present.conversation, try await isOurs(room, of: ours) { confirmed = ours }
    state.withLock { state in
      state.rooms[room] = present
      if let confirmed { state.named[ConversationID(rawValue: confirmed)] = room }
    }
    return present.item(room, for: confirmed)
  }

  /// Whether the room is the one that was created for a conversation. Everybody can write the name of a conversation
  /// into a room's state, and only one room of this server has the alias.
  private func isOurs(_ room: String, of conversation: String) async throws -> Bool {
    let id = ConversationID(rawValue: conversation)
    guard id.isWellFormed, !Self.isRoom(conversation) else { return false }
    if state.withLock({ $0.named[id] }) == room { return true }
    return try await lookUp(id) == room
  }

  // MARK: What is sent

  /// The room of a conversation, which is created when the message names members.
  ///
  /// - Parameter announce: announces to the engine a room that is new here, before anything is sent into it.
  /// - Throws: a ``FailureReason`` in a ``MatrixRoomRefusal`` when nothing may be sent into it, and the client's errors.
  func room(
    for message: OutgoingMessage, announce: (IncomingConversation) async throws -> Void
  ) async throws -> String {
    let id = message.conversation
    if Self.isRoom(id.rawValue) {
      try await requirePlain(id.rawValue)
      return id.rawValue
    }
    let known = state.withLock { $0.named[id] }
    let room: String
    if let known {
      room = known
    } else if message.members.isEmpty {
      guard let found = try await lookUp(id) else { throw MatrixRoomRefusal(reason: .forbiddenRoom) }
      room = found
    } else {
      room = try await create(for: message)
      // All phones call the conversation by the room's ID from now on.
      try await announce(try await note(ask(about: room), of: room))
    }
    try await requirePlain(room)
    return room
  }

  /// The room of a conversation, as far as this connection knows it.
  func known(_ id: ConversationID) -> String? {
    Self.isRoom(id.rawValue) ? id.rawValue : state.withLock { $0.named[id] }
  }

  /// The room that a conversation has on the server. Nil when it has none.
  func lookUp(_ id: ConversationID) async throws -> String? {
    let request = MatrixRequest("GET", ["v3", "directory", "room", alias(of: id)])
    return try await MatrixRefusal.ifAllowed { try await client.send(request).fields().word("room_id") }
  }

  private func create(for message: OutgoingMessage) async throws -> String {
    let others = self.others(in: message)
    var body: [String: JSONValue] = [
      "preset": "private_chat", "room_alias_name": .text(Self.aliasName(of: message.conversation)),
      "invite": .array(others.map(\.rawValue).sorted().map(JSONValue.text)),
      "initial_state": [
        [
          "type": .text(MatrixEvent.conversationType), "state_key": "",
          "content": ["id": .text(message.conversation.rawValue)],
        ]
      ],
    ]
    body["name"] = message.title.map { .text(String($0.prefix(255))) }
    if others.count == 1 { body["is_direct"] = true }
    noteCreation(1)
    defer { noteCreation(-1) }
    do {
      let answer = try await client.send(MatrixRequest("POST", ["v3", "createRoom"], body: .object(body)))
      guard let room = try answer.fields().word("room_id") else {
        throw ConnectionFailure(.incompatible, detail: "a created room has no ID")
      }
      return room
    } catch let refusal as MatrixRefusal {
      // In a race Synapse answers 409 with M_UNKNOWN.
      guard refusal.code == "M_ROOM_IN_USE" || refusal.status == 409,
        let room = try await lookUp(message.conversation)
      else { throw refusal }
      return try await join(room, for: message)
    }
  }

  /// The members of a message's conversation besides this account. An assistant is its account's.
  private func others(in message: OutgoingMessage) -> Set<UserID> {
    Set(message.members.map(\.account)).subtracting([account])
  }

  /// Joins a room that somebody has created for the conversation, if that was one of its members.
  private func join(_ room: String, for message: OutgoingMessage) async throws -> String {
    try await joinOnceInvited(room)
    let found = try await ask(about: room)
    guard let creator = found.creator, message.members.map(\.account).contains(creator) else {
      throw MatrixRoomRefusal(reason: .foreignRoom)
    }
    if creator == account { try await complete(room, found, for: message) }
    return room
  }

  /// Does what is left of a room that this account has begun to create: a server that is killed meanwhile leaves a room
  /// with its alias, and without its name and its invitations.
  private func complete(_ room: String, _ found: MatrixRoom, for message: OutgoingMessage) async throws {
    func put(_ type: String, _ content: JSONValue) async throws {
      _ = try await client.send(MatrixRequest("PUT", ["v3", "rooms", room, "state", type], body: content))
    }
    if found.conversation == nil {
      try await put(MatrixEvent.conversationType, ["id": .text(message.conversation.rawValue)])
    }
    if found.title == nil, let title = message.title {
      try await put("m.room.name", ["name": .text(String(title.prefix(255)))])
    }
    let others = self.others(in: message)
    for other in others.subtracting(found.members).subtracting(found.absent) {
      let invitation: JSONValue = ["user_id": .text(other.rawValue)]
      _ = try await client.send(MatrixRequest("POST", ["v3", "rooms", room, "invite"], body: invitation))
    }
  }

  /// Joins a room that a member may be creating at this moment: its invitations come last.
  private func joinOnceInvited(_ room: String) async throws {
    for attempt in 1...Self.joinAttempts {
      do { return try await join(room) } catch let refusal as MatrixRefusal
        where MatrixVerdict(refusal) == .denied
      {
        guard attempt < Self.joinAttempts else { throw MatrixRoomRefusal(reason: .foreignRoom) }
        try await client.environment.sleep(client.environment.uptime() + .seconds(attempt))
      }
    }
  }

  /// A room is created within seconds.
  private static let joinAttempts = 4

  func join(_ room: String) async throws {
    _ = try await client.send(MatrixRequest("POST", ["v3", "rooms", room, "join"]))
  }

  /// A server takes plain text into an encrypted room.
  private func requirePlain(_ room: String) async throws {
    let (known, isPlain) = state.withLock { ($0.rooms[room], $0.plain.contains(room)) }
    if let refusal = known?.refusal { throw MatrixRoomRefusal(reason: refusal) }
    guard known == nil, !isPlain else { return }
    do {
      _ = try await client.send(MatrixRequest("GET", ["v3", "rooms", room, "state", "m.room.encryption"]))
      throw MatrixRoomRefusal(reason: .encryptedRoom)
    } catch let refusal as MatrixRefusal where refusal.status == 404 {
      state.withLock { _ = $0.plain.insert(room) }
    }
  }

  /// All of a room's state.
  private func ask(about room: String) async throws -> MatrixRoom {
    let answer = try await client.send(MatrixRequest("GET", ["v3", "rooms", room, "state"]))
    return MatrixRoom(try JSONFields.all(in: answer.response.body).compactMap(MatrixEvent.init))
  }

  // MARK: Aliases

  private func alias(of id: ConversationID) -> String {
    let server = account.rawValue.split(separator: ":", maxSplits: 1).last.map(String.init) ?? ""
    return "#\(Self.aliasName(of: id)):\(server)"
  }

  /// The first part of the alias of a conversation's room. It is a hash, because every user of the server can look an
  /// alias up.
  package static func aliasName(of id: ConversationID) -> String {
    "holdfast-" + SHA256Sum(of: Data(id.rawValue.utf8)).text.prefix(40)
  }
}

/// Nothing may be sent into a room.
struct MatrixRoomRefusal: Error {
  var reason: FailureReason
}
