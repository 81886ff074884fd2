import Foundation
import Holdfast
import HoldfastCore
import HoldfastHTTP

@testable import HoldfastMatrix

/// A phone of `@alice:example.org`. Its store survives each connection.
final class PlayedPhone: Sendable {
  private let folder: URL

  init() {
    folder = FileManager.default.temporaryDirectory.appending(path: "holdfast-\(ChatEnvironment().makeID())")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// A client with the phone's store.
  func client(on server: PlayedHomeserver) throws -> ChatClient {
    try ChatClient(storage: .folder(folder), transport: server.transport(), user: "@alice:example.org")
  }

  /// Connects until everything that the server sends is stored, and returns the rows of a room.
  ///
  /// - Parameter end: the text of the last message of all.
  func rows(
    of room: ConversationID = "!room", from server: PlayedHomeserver, until end: String = "the end"
  ) async throws -> [MessageRow] {
    let client = try client(on: server)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await client.run() }
      group.addTask {
        for await snapshot in client.conversation("!end").timeline(limit: 10)
        where snapshot.rows.contains(where: { $0.text == end }) { return }
      }
      await group.next()
      group.cancelAll()
    }
    return try client.reader.conversation(room, limit: 100).rows
  }
}

extension PlayedHomeserver {
  /// A server that sends the events of its rooms, sync by sync, and then waits. It does not have what a test does not
  /// answer.
  ///
  /// - Parameter end: the text of a message in a room of its own, behind all others.
  static func serving(
    _ syncs: [String: [String]]..., asked others: @escaping @Sendable (HTTPRequest) -> Answer? = { _ in nil }
  ) -> PlayedHomeserver {
    serving(syncs, asked: others)
  }

  static func serving(
    _ syncs: [[String: [String]]], until end: String = "the end",
    asked others: @escaping @Sendable (HTTPRequest) -> Answer? = { _ in nil }
  ) -> PlayedHomeserver {
    serving(
      rooms: syncs.map { $0.mapValues { "{\"timeline\":{\"events\":[\($0.joined(separator: ","))]}}" } },
      until: end, asked: others)
  }

  /// The same with the rooms in JSON. One whose key begins with `leave ` is one that the account is no longer in.
  static func serving(
    rooms syncs: [[String: String]], until end: String = "the end",
    asked others: @escaping @Sendable (HTTPRequest) -> Answer? = { _ in nil }
  ) -> PlayedHomeserver {
    let last = event("$end-\(syncs.count)", at: 9_000, text(end))
    let syncs = syncs + [["!end": "{\"timeline\":{\"events\":[\(last)]}}"]]
    return PlayedHomeserver { request, _ in
      switch request.line {
      case "GET /v3/account/whoami":
        return Answer("{\"user_id\":\"@alice:example.org\",\"device_id\":\"phone\"}")
      case "GET /v3/sync":
        let number = request.value("since").flatMap { Int($0.dropFirst()) } ?? 0
        guard number < syncs.count else { return nil }
        func rooms(_ isMeant: (String) -> Bool) -> String {
          syncs[number].sorted { $0.key < $1.key }.filter { isMeant($0.key) }
            .map { "\"\($0.replacing("leave ", with: ""))\":\($1)" }.joined(separator: ",")
        }
        let (joined, left) = (rooms { !$0.hasPrefix("leave ") }, rooms { $0.hasPrefix("leave ") })
        return Answer(
          "{\"next_batch\":\"s\(number + 1)\",\"rooms\":{\"join\":{\(joined)},\"leave\":{\(left)}}}")
      default: return others(request) ?? .refused(404, "M_NOT_FOUND")
      }
    }
  }
}

/// The content of a message, whose ID this room and this sender claim.
func text(_ body: String, id: String, in room: String, by sender: String) -> String {
  """
  {"msgtype":"m.text","body":"\(body)","dev.holdfast.id":"\(id)","dev.holdfast.room":"\(room)",\
  "dev.holdfast.sender":"\(sender)"}
  """
}

/// An edit in JSON.
func edit(
  _ id: String, of target: String, from sender: String = "@bob:example.org", at time: Int, _ body: String,
  more: String = ""
) -> String {
  event(
    id, from: sender, at: time,
    """
    {"msgtype":"m.text","body":"* \(body)","m.new_content":{"msgtype":"m.text","body":"\(body)"},\
    "m.relates_to":{"rel_type":"m.replace","event_id":"\(target)"}\(more)}
    """)
}

/// A redaction in JSON, as rooms have it since version 11.
func redaction(
  _ id: String, of target: String, from sender: String = "@bob:example.org", at time: Int
) -> String {
  event(id, "m.room.redaction", from: sender, at: time, "{\"redacts\":\"\(target)\"}")
}
