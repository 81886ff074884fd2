import Foundation
import HoldfastCore
import HoldfastHTTP
import HoldfastTransport

/// Sends one message, or one operation, at a time of each room. The engine's ID is the transaction, by which the server knows a
/// second copy
/// ([transaction identifiers](https://spec.matrix.org/v1.15/client-server-api/#transaction-identifiers)).
///
/// ```
///            ┌── 200 ───────────────────────► receipt, with the event's name
///   PUT ID ──┼── 429 ───────────────────────► not now: the server has not looked at the ID
///            ├── 403, 404 ──────────────────► the conversation is refused
///            ├── 400, 413 ──────────────────► rejected
///            └── 5xx, a proxy, reset ───────► no answer to this one
/// ```
struct MatrixSender: Sendable {
  typealias Answer = RequestTransport.Answer

  let client: MatrixClient
  let rooms: MatrixRooms
  let echoes: MatrixEchoes
  let account: UserID
  /// Whether an earlier device of this store may have sent what leaves again. The server does not know that device's transactions
  /// here, so that nothing leaves before its echoes have come.
  let isOtherDevice: Bool

  func answer(
    to message: OutgoingMessage, announce: (IncomingConversation) async throws -> Void
  ) async throws -> Answer {
    do {
      if isOtherDevice { try await echoes.untilCaughtUp() }
      if let event = echoes.event(of: message.id, in: rooms.known(message.conversation)) {
        return .accepted(at: event.date, serverID: event.id)
      }
      let room = try await rooms.room(for: message, announce: announce)
      guard let operation = message.operation else {
        let fields = MatrixMessage.fields(of: message, in: room, by: account)
        let (event, date) = try await put("m.room.message", fields, message.id.rawValue, in: room)
        return .accepted(at: date, serverID: event)
      }
      return try await carryOut(operation, message, in: room)
    } catch let refusal as MatrixRoomRefusal {
      return .refused(.rejected(refusal.reason))
    } catch {
      return .refused(try refusal(error))
    }
  }

  /// What an error says about a message.
  ///
  /// - Throws: a failure of the connection.
  private func refusal(_ error: any Error) throws -> Refusal {
    try Task.checkCancellation()
    if error is ConnectionFailure { throw error }
    switch MatrixVerdict(error) {
    case .notNow(let after): return .notNow(after: after)
    case .outcomeUnknown(let after): return .outcomeUnknown(after: after)
    case .denied: return .rejected(.forbiddenRoom)
    case .tooLarge: return .rejected(FailureReason(.tooLongToSend))
    case .invalid: return .rejected(.refusedMessage)
    case .unreached, .unauthorized: throw try ConnectionFailure(matrix: error)
    }
  }

  /// - Returns: the event's name, and the server's time in seconds.
  private func put(
    _ type: String, _ fields: [String: JSONValue], _ transaction: String, in room: String
  ) async throws -> (event: String, at: Date?) {
    try await put(["v3", "rooms", room, "send", type, transaction], fields)
  }

  private func put(_ path: [String], _ fields: [String: JSONValue]) async throws -> (event: String, at: Date?)
  {
    let answer = try await client.send(MatrixRequest("PUT", path, body: .object(fields)))
    guard let event = try answer.fields().word("event_id") else {
      throw ConnectionFailure(.incompatible, detail: "a sent event has no ID")
    }
    return (event, answer.response.head.date)
  }

  // MARK: Operations

  private func carryOut(
    _ operation: MessageOperation, _ message: OutgoingMessage, in room: String
  ) async throws -> Answer {
    guard let target = message.serverIDs.target ?? Self.event(operation.target) else {
      return .refused(.rejected(.refusedMessage))
    }
    let transaction = message.id.rawValue
    switch operation.kind {
    case .edit:
      let fields = MatrixMessage.fields(ofEdit: message, of: target, isWhole: operation.isWhole)
      let event = try await put("m.room.message", fields, transaction, in: room).event
      return .accepted(at: try await date(of: event, in: room))
    case .delete:
      // While the message is there, its edits are found. Afterwards nobody finds them, and their text stays.
      for edit in try await client.related(to: target, "m.replace", in: room) {
        _ = try await redact(edit.id, "\(transaction)~\(edit.id)", [MatrixMessage.Key.part: true], in: room)
      }
      let event = try await redact(target, transaction, [:], in: room)
      return .accepted(at: try await date(of: event, in: room))
    case .react: return try await react(message, to: target, in: room)
    case .unreact:
      var reaction = message.serverIDs.reaction
      if reaction == nil { reaction = try await own(message.text, on: target, in: room)?.id }
      guard let reaction else { return .accepted() }
      let event = try await redact(reaction, transaction, [:], in: room)
      return .accepted(at: try await date(of: event, in: room))
    }
  }

  private func react(_ message: OutgoingMessage, to target: String, in room: String) async throws -> Answer {
    let relation: JSONValue = [
      "rel_type": "m.annotation", "event_id": .text(target), "key": .text(message.text),
    ]
    do {
      let event = try await put(
        "m.reaction", ["m.relates_to": relation], message.id.rawValue, in: room
      ).event
      return .accepted(at: try await date(of: event, in: room), serverID: event)
    } catch let refusal as MatrixRefusal where refusal.code == "M_DUPLICATE_ANNOTATION" {
      let event = try await own(message.text, on: target, in: room)
      return .accepted(at: event?.date, serverID: event?.id)
    }
  }

  private func redact(
    _ event: String, _ transaction: String, _ fields: [String: JSONValue], in room: String
  ) async throws -> String {
    try await put(["v3", "rooms", room, "redact", event, transaction], fields).event
  }

  /// The reaction of this account to a message. Nil when it has none with this value.
  private func own(_ value: String, on target: String, in room: String) async throws -> MatrixEvent? {
    return try await client.related(to: target, "m.annotation", in: room).first { event in
      event.sender == account && event.kind == .reaction(to: target, value: value)
    }
  }

  /// The server's time of an event in milliseconds, which decides between two operations.
  private func date(of event: String, in room: String) async throws -> Date? {
    try await client.event(event, in: room)?.date
  }

  /// An ID of ours that is the server's name, because the server sent no other.
  private static func event(_ id: MessageID) -> String? { id.rawValue.hasPrefix("$") ? id.rawValue : nil }
}

extension MatrixSender {
  /// Marks a message as read. A mark that is refused is not sent again here: the engine repeats what does not come back.
  func send(_ mark: IncomingItem.ReadMark) async throws {
    let room = mark.conversation.rawValue
    guard MatrixRooms.isRoom(room), let event = mark.serverID ?? Self.event(mark.message) else { return }
    do {
      _ = try await client.send(MatrixRequest("POST", ["v3", "rooms", room, "receipt", "m.read", event]))
    } catch {
      try Task.checkCancellation()
      if MatrixVerdict(error) == .unauthorized { throw try ConnectionFailure(matrix: error) }
    }
  }
}

extension FailureReason {
  static let refusedMessage = FailureReason(.rejected, "The server did not accept this message.")
}
