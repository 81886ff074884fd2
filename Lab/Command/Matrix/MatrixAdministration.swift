import Foundation
import Holdfast
import HoldfastCommand
import HoldfastHTTP
import HoldfastMatrix
import HoldfastTesting
import HoldfastTransport
import Synchronization

/// Calls Synapse without the transport, as its administrator: makes accounts, and reads the server's messages.
final class MatrixAdministration: Sendable {
  /// A response that is not a success.
  struct Refused: Error, CustomStringConvertible {
    var status: Int
    var description: String
  }

  private let httpClient = URLSessionHTTPClient()
  private let environment = ChatEnvironment()
  private let token = Mutex<String?>(nil)
  private let server: @Sendable () -> URL?

  /// - Parameter server: returns the server's base address, which may change with each start.
  init(_ server: @escaping @Sendable () -> URL?) { self.server = server }

  /// Makes an account, whose password is its name. Returns its whole ID.
  func register(_ name: String) async throws -> UserID {
    let body: JSONValue = ["password": .text(name), "admin": false, "logout_devices": false]
    let id = "@\(name):localhost"
    _ = try await ask("PUT", ["_synapse", "admin", "v2", "users", id], body: body)
    return UserID(rawValue: id)
  }

  /// Removes a room for all of its members. They are notified only while the server remembers their membership, so
  /// its events are kept.
  func remove(_ room: String) async throws {
    let path = ["_synapse", "admin", "v1", "rooms", room]
    _ = try await ask("DELETE", path, body: ["block": false, "purge": false])
  }

  /// The room of a conversation, which may be identified by the ID that a phone has made. Nil when the server has
  /// none.
  func room(of conversation: ConversationID) async throws -> String? {
    var room = conversation.rawValue
    if !room.hasPrefix("!") {
      let alias = "#\(MatrixRooms.aliasName(of: conversation)):localhost"
      let path = ["_matrix", "client", "v3", "directory", "room", alias]
      do { room = try await ask("GET", path).text("room_id") ?? "" } catch let refused as Refused
        where refused.status == 404
      {
        return nil
      }
    }
    do {
      // A removed room has no members.
      let members = try await ask("GET", ["_synapse", "admin", "v1", "rooms", room]).integer("joined_members")
      return members == 0 ? nil : room
    } catch let refused as Refused where refused.status == 404 {
      return nil
    }
  }

  /// The messages of a room by the server's own record, in its order.
  func messages(in room: String) async throws -> [TransportConformance.Record] {
    var record = MatrixRecord()
    var from: String?
    repeat {
      var query = ["dir": "f", "limit": "500"]
      query["from"] = from ?? "t0-0_0_0_0_0_0_0_0_0_0_0_0_0_0"
      let page = try await ask("GET", ["_synapse", "admin", "v1", "rooms", room, "messages"], query: query)
      let events = page.objects("chunk")
      for event in events { record.apply(event) }
      let next = page.word("end")
      from = events.isEmpty || next == from ? nil : next
    } while from != nil
    return record.messages
  }

  /// The message up to which each member has read.
  func readMarks(in room: String, as account: UserID) async throws -> [UserID: MessageID] {
    let login = try await MatrixLogin.password(
      Self.name(of: account), of: Self.name(of: account), on: try address(), device: "record")
    let filter = "{\"room\":{\"rooms\":[\"\(room)\"],\"timeline\":{\"limit\":500}}}"
    let sync = try await ask(
      "GET", ["_matrix", "client", "v3", "sync"], query: ["filter": filter, "timeout": "0"],
      token: login.accessToken)
    let joined = sync.object("rooms")?.object("join")?.object(room)
    var (names, marks): ([String: MessageID], [UserID: MessageID]) = ([:], [:])
    for event in joined?.object("timeline")?.objects("events") ?? [] {
      names[event.text("event_id") ?? ""] = event.object("content")?.word(MatrixRecord.idField).map(
        MessageID.init(rawValue:))
    }
    for receipt in joined?.object("ephemeral")?.objects("events") ?? [] {
      let content = receipt.object("content")
      for event in content?.names ?? [] {
        for reader in content?.object(event)?.object("m.read")?.names ?? [] {
          marks[UserID(rawValue: reader)] = names[event]
        }
      }
    }
    return marks
  }

  /// The first part of a Matrix ID, which is the account's password here.
  static func name(of account: UserID) -> String {
    String(account.rawValue.dropFirst().prefix { $0 != ":" })
  }

  private func address() throws -> URL {
    guard let server = server() else { throw Complaint(.failed, "Synapse has not started.") }
    return server
  }

  private func administrator() async throws -> String {
    if let token = token.withLock({ $0 }) { return token }
    let name = MatrixServer.administrator
    let login = try await MatrixLogin.password(name, of: name, on: try address(), device: "administration")
    token.withLock { $0 = login.accessToken }
    return login.accessToken
  }

  private func ask(
    _ method: String, _ path: [String], query: [String: String] = [:], body: JSONValue? = nil,
    token: String? = nil
  ) async throws -> JSONFields {
    let bearer: String
    if let token { bearer = token } else { bearer = try await administrator() }
    var components = URLComponents()
    components.queryItems = query.isEmpty ? nil : query.map { URLQueryItem(name: $0, value: $1) }
    let parts = path.map {
      $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["_", "-", "."])) ?? ""
    }
    let text = "\(try address().absoluteString)/\(parts.joined(separator: "/"))\(components.string ?? "")"
    guard let url = URL(string: text) else { throw URLError(.badURL) }
    let request = HTTPRequest(
      method, url, headers: ["Authorization": "Bearer \(bearer)", "Content-Type": "application/json"],
      body: try body.map { try JSONEncoder().encode($0) })
    guard let answer = try await httpClient.response(to: request, within: .seconds(60), in: environment)
    else {
      throw Refused(status: 0, description: "Synapse does not answer to \(path.joined(separator: "/")).")
    }
    if answer.head.status == 401, token == nil, self.token.withLock({ $0 }) == bearer {
      // The administrator's login ends after some minutes.
      self.token.withLock { $0 = nil }
      return try await ask(method, path, query: query, body: body)
    }
    guard 200..<300 ~= answer.head.status else {
      throw Refused(
        status: answer.head.status,
        description: "\(answer.head.status): \(String(decoding: answer.body, as: UTF8.self))")
    }
    return try JSONFields(utf8: answer.body)
  }
}
