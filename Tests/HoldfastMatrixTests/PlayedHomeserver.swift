import Foundation
import HoldfastCore
import HoldfastHTTP
import Synchronization

@testable import HoldfastMatrix

/// A homeserver that answers as a test says. A request that a test leaves without an answer waits until its task is cancelled.
final class PlayedHomeserver: HTTPClient {
  struct Answer: Sendable {
    var status = 200
    var headers: [String: String] = [:]
    var body: String
    /// Raised when the answer may leave. Nil: at once.
    var leaves: Signal?

    init(_ body: String, status: Int = 200, headers: [String: String] = [:], after leaves: Signal? = nil) {
      (self.body, self.status, self.headers, self.leaves) = (body, status, headers, leaves)
    }

    static func refused(_ status: Int, _ code: String, _ more: String = "") -> Answer {
      Answer("{\"errcode\":\"\(code)\"\(more)}", status: status)
    }
  }

  static let login = MatrixLogin(
    server: URL(string: "https://matrix.example.org")!, user: "@alice:example.org", device: "phone",
    accessToken: "first", refreshToken: "fresh")

  /// An environment in which no time-out passes, however busy the machine is, and a wait between two requests is over at once.
  static var patient: ChatEnvironment {
    var environment = ChatEnvironment()
    let uptime = environment.uptime
    environment.sleep = { deadline in
      if deadline - uptime() < .seconds(15) { return }
      await Signal().wait()
      throw CancellationError()
    }
    return environment
  }

  private let answer: @Sendable (HTTPRequest, Int) -> Answer?
  private let sent = Mutex<[HTTPRequest]>([])

  /// - Parameter answer: the answer to a request, and to how many there were before.
  init(_ answer: @escaping @Sendable (HTTPRequest, Int) -> Answer?) { self.answer = answer }

  /// "PUT /v3/rooms/!room/send/m.room.message/m1", in their order.
  var requests: [String] { sent.withLock { $0.map(\.line) } }
  var headers: [[String: String]] { sent.withLock { $0.map(\.headers) } }
  var bodies: [String] { sent.withLock { $0.map { String(decoding: $0.body ?? Data(), as: UTF8.self) } } }

  func send(_ request: HTTPRequest) -> any HTTPTask {
    let number = sent.withLock { sent in
      sent.append(request)
      return sent.count - 1
    }
    return Exchange(answer(request, number))
  }

  private final class Exchange: HTTPTask {
    private let answer: Answer?
    private let isRead = Mutex(false)

    init(_ answer: Answer?) { self.answer = answer }

    func head() async throws -> HTTPHead {
      guard let answer else {
        await Signal().wait()
        throw CancellationError()
      }
      await answer.leaves?.wait()
      return HTTPHead(status: answer.status, headers: answer.headers)
    }

    func next() async throws -> Data? {
      let isFirst = isRead.withLock { isRead in
        defer { isRead = true }
        return !isRead
      }
      return isFirst ? answer.map { Data($0.body.utf8) } : nil
    }

    func cancel() {}
  }
}

extension HTTPRequest {
  /// "GET /v3/sync", decoded and without the query.
  var line: String { "\(method) \(url.path.replacing("/_matrix/client", with: "", maxReplacements: 1))" }

  /// A value of the query.
  func value(_ name: String) -> String? {
    URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems?.first { $0.name == name }?.value
  }
}

extension PlayedHomeserver {
  func client(_ login: MatrixLogin = login) -> MatrixClient {
    MatrixClient(
      tokens: MatrixTokens(read: { login }, write: { _ in }), httpClient: self,
      environment: PlayedHomeserver.patient)
  }

  func transport(
    accepts: @escaping @Sendable (MatrixInvitation) async -> Bool = { _ in true }
  ) -> MatrixTransport {
    MatrixTransport(
      MatrixTransport.Settings(newest: 50, longestWait: .seconds(30), accepts: accepts), httpClient: self,
      environment: PlayedHomeserver.patient, login: { Self.login })
  }
}

/// An event in JSON.
func event(
  _ id: String, _ type: String, from sender: String = "@bob:example.org", at time: Int = 1,
  state: String? = nil, _ content: String, more: String = ""
) -> String {
  let state = state.map { ",\"state_key\":\"\($0)\"" } ?? ""
  return """
    {"event_id":"\(id)","type":"\(type)","sender":"\(sender)","origin_server_ts":\(time),"content":\(content)\(state)\(more)}
    """
}

/// A message in JSON.
func event(
  _ id: String, from sender: String = "@bob:example.org", at time: Int = 1, _ content: String,
  more: String = ""
) -> String {
  event(id, "m.room.message", from: sender, at: time, content, more: more)
}

func text(_ body: String, id: String? = nil) -> String {
  let id = id.map { ",\"dev.holdfast.id\":\"\($0)\"" } ?? ""
  return "{\"msgtype\":\"m.text\",\"body\":\"\(body)\"\(id)}"
}

func read(_ json: String) throws -> MatrixEvent? { MatrixEvent(try JSONFields(json)) }
