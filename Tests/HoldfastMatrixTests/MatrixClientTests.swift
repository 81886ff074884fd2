import Foundation
import HoldfastCore
import HoldfastHTTP
import HoldfastTransport
import Synchronization
import Testing

@testable import HoldfastMatrix

/// Requests in the name of a login, and what their errors mean.
@Suite(.timeLimit(.minutes(10))) struct MatrixClientTests {
  private static let whoami = MatrixRequest("GET", ["v3", "account", "whoami"])

  /// A server that takes the token `second` alone, and gives it for the refresh token `fresh`.
  private static func renewing() -> PlayedHomeserver {
    PlayedHomeserver { request, _ in
      if request.line == "POST /v3/refresh" {
        return .init("{\"access_token\":\"second\",\"refresh_token\":\"fresher\"}")
      }
      return request.headers["Authorization"] == "Bearer second"
        ? .init("{}") : .refused(401, "M_UNKNOWN_TOKEN", ",\"soft_logout\":true")
    }
  }

  // B8.1
  @Test func `a login that has ended is renewed once for all, and kept before it is used`() async throws {
    let server = Self.renewing()
    let kept = Mutex<[(login: MatrixLogin, after: Int)]>([])
    let client = MatrixClient(
      tokens: MatrixTokens(read: { PlayedHomeserver.login }) { login in
        kept.withLock { $0.append((login, server.requests.count)) }
      }, httpClient: server, environment: PlayedHomeserver.patient)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<5 { group.addTask { _ = try await client.send(Self.whoami) } }
      try await group.waitForAll()
    }
    #expect(server.requests.count { $0 == "POST /v3/refresh" } == 1)
    let only = try #require(kept.withLock { $0 }.first)
    #expect(kept.withLock { $0.count } == 1)
    #expect((only.login.accessToken, only.login.refreshToken) == ("second", "fresher"))
    let used = server.requests.indices.first { server.token(of: $0) == "Bearer second" }
    #expect(only.after <= used ?? 0, "The new login is kept before a request has it.")
  }

  // B8.1
  @Test func `a login that could not be kept is not used`() async throws {
    struct Full: Error {}
    let server = Self.renewing()
    let client = MatrixClient(
      tokens: MatrixTokens(read: { PlayedHomeserver.login }) { _ in throw Full() }, httpClient: server,
      environment: PlayedHomeserver.patient)
    await #expect(throws: Full.self) { _ = try await client.send(Self.whoami) }
    #expect(!server.requests.indices.contains { server.token(of: $0) == "Bearer second" })
  }

  // E3.1
  @Test(arguments: ["http://matrix.example.org", "HTTP://10.0.0.7:8008", "http://127.0.0.1.example.org"])
  func `a password and a token go to another machine encrypted or not at all`(_ address: String) async throws
  {
    let server = PlayedHomeserver { _, _ in .init("{}") }
    let url = try #require(URL(string: address))
    let refused = await #expect(throws: ConnectionFailure.self) {
      _ = try await MatrixLogin.password(
        "pass", of: "alice", on: url, device: "phone", httpClient: server,
        environment: PlayedHomeserver.patient)
    }
    #expect(refused?.reason == .insecure)
    var login = PlayedHomeserver.login
    login.server = url
    let open = login
    let client = MatrixClient(
      tokens: MatrixTokens(read: { open }) { _ in }, httpClient: server, environment: PlayedHomeserver.patient
    )
    let failure = await #expect(throws: ConnectionFailure.self) { _ = try await client.send(Self.whoami) }
    #expect(failure?.reason == .insecure)
    #expect(server.requests.isEmpty)
  }

  @Test func `a login that another process has renewed is taken`() async throws {
    let server = Self.renewing()
    let reads = Atomic(0)
    let client = MatrixClient(
      tokens: MatrixTokens(read: {
        var login = PlayedHomeserver.login
        if reads.wrappingAdd(1, ordering: .relaxed).oldValue > 0 { login.accessToken = "second" }
        return login
      }) { _ in }, httpClient: server, environment: PlayedHomeserver.patient)
    _ = try await client.send(Self.whoami)
    #expect(server.requests == ["GET /v3/account/whoami", "GET /v3/account/whoami"])
  }

  // B8.1, O7.10
  @Test(arguments: [nil, "stale"])
  func `a login that cannot be renewed ends the connection as signed out`(refresh: String?) async throws {
    let server = PlayedHomeserver { _, _ in .refused(401, "M_UNKNOWN_TOKEN", ",\"soft_logout\":true") }
    var login = PlayedHomeserver.login
    login.refreshToken = refresh
    let transport = MatrixTransport(
      MatrixTransport.Settings(newest: 1, longestWait: .seconds(30), accepts: { _ in true }),
      httpClient: server,
      environment: PlayedHomeserver.patient, login: { [login] in login })
    let failure = await #expect(throws: ConnectionFailure.self) {
      try await transport.withConnection(resumingAfter: nil) { _ in }
    }
    #expect(failure?.reason == .unauthorized)
  }

  @Test func `a token that would write another header is refused`() async throws {
    let server = PlayedHomeserver { _, _ in .init("{}") }
    var login = PlayedHomeserver.login
    login.accessToken = "a\r\nX: y"
    let client = server.client(login)
    await #expect(throws: ConnectionFailure.self) { _ = try await client.send(Self.whoami) }
    #expect(server.requests.isEmpty)
  }

  @Test func `a login is made with a device, and says nothing of its secrets`() async throws {
    let server = PlayedHomeserver { _, _ in
      .init(
        "{\"user_id\":\"@alice:b\",\"access_token\":\"t0p\",\"device_id\":\"phone\",\"refresh_token\":\"s3cret\"}"
      )
    }
    let login = try await MatrixLogin.password(
      "pass", of: "alice", on: URL(string: "https://b/base/")!, device: "phone", httpClient: server,
      environment: PlayedHomeserver.patient)
    #expect(server.bodies[0].contains("\"device_id\":\"phone\""))
    #expect(server.bodies[0].contains("\"refresh_token\":true"))
    for shown in ["\(login)", String(reflecting: login)] {
      #expect(shown.contains("@alice:b") && !shown.contains("t0p") && !shown.contains("s3cret"))
    }
    var dumped = ""
    dump(login, to: &dumped)
    #expect(!dumped.contains("t0p"))
    #expect(try JSONDecoder().decode(MatrixLogin.self, from: JSONEncoder().encode(login)) == login)
  }

  @Test(arguments: [
    (429, "M_LIMIT_EXCEEDED", MatrixVerdict.notNow(after: .milliseconds(1500))),
    (403, "M_FORBIDDEN", .denied), (404, "M_NOT_FOUND", .denied), (400, "M_BAD_JSON", .invalid),
    (413, "M_TOO_LARGE", .tooLarge), (401, "M_UNKNOWN_TOKEN", .unauthorized),
    (500, "M_UNKNOWN", .outcomeUnknown(after: .milliseconds(1500))),
    (403, "", .outcomeUnknown(after: .milliseconds(1500))),
    (502, "", .outcomeUnknown(after: .milliseconds(1500))),
  ])
  func `the server's answers mean this`(status: Int, code: String, verdict: MatrixVerdict) {
    let body =
      code.isEmpty ? "{\"retry_after_ms\":1500}" : "{\"errcode\":\"\(code)\",\"retry_after_ms\":1500}"
    let response = HTTPResponse(HTTPHead(status: status), Array(body.utf8))
    #expect(MatrixVerdict(MatrixRefusal(response, now: Date())) == verdict)
  }

  @Test func `a wait in whole seconds is kept too, and a page of a proxy is no word`() {
    let patient = HTTPResponse(
      HTTPHead(status: 429, headers: ["Retry-After": "3"]), Array("{\"errcode\":\"M_LIMIT_EXCEEDED\"}".utf8))
    #expect(MatrixVerdict(MatrixRefusal(patient, now: Date())) == .notNow(after: .seconds(3)))
    let page = HTTPResponse(HTTPHead(status: 404), Array("<html>not here</html>".utf8))
    #expect(MatrixVerdict(MatrixRefusal(page, now: Date())) == .outcomeUnknown())
  }

  @Test func `an ID with a slash is one part of an address`() throws {
    let url = MatrixRequest.url(
      on: URL(string: "https://b/base/")!, ["rooms", "!a/b:c?#%", "é"], ["from": "a&b=c+d"])
    #expect(url?.absoluteString == "https://b/base/rooms/%21a%2Fb%3Ac%3F%23%25/%C3%A9?from=a%26b%3Dc%2Bd")
  }
}

extension PlayedHomeserver {
  /// The token of a request.
  func token(of number: Int) -> String? { headers[number]["Authorization"] }
}
