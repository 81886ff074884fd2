import Foundation
import Holdfast
import Testing

@testable import HoldfastWebSocket

@Suite(.timeLimit(.minutes(10))) struct HandshakeTests {
  private let now = Date(timeIntervalSince1970: 1_700_000_000)

  // O7.8
  @Test(arguments: [
    ("7", 7), (" 7 ", 7), ("0", 0), ("-7", 0), ("99999999999999999999", 86_400),
    ("Tue, 14 Nov 2023 22:13:50 GMT", 30), ("Tue, 14 Nov 2023 22:13:10 GMT", 0),
  ])
  func `a server asks for patience in seconds or until a date`(header: String, seconds: Int) {
    #expect(Duration(retryAfter: header, date: nil, now: now) == .seconds(seconds))
  }

  @Test(arguments: ["", "soon", "inf", "nan", "Tue, 14 Nov 2023"])
  func `any other header gives no wait`(header: String) {
    #expect(Duration(retryAfter: header, date: nil, now: now) == nil)
  }

  // O7.8
  @Test func `a date is read by the server's clock, where it shows one`() {
    let wait = Duration(
      retryAfter: "Wed, 01 Jan 2020 00:01:00 GMT", date: "Wed, 01 Jan 2020 00:00:00 GMT", now: now)
    #expect(wait == .seconds(60))
  }

  @Test(arguments: [
    ("wss://chat.example.org/v1/connect", "chat.example.org", "chat.example.org", 443, "/v1/connect"),
    ("WSS://chat.example.org:444", "chat.example.org", "chat.example.org:444", 444, "/"),
    ("ws://127.0.0.1:8080/a%20b?c=d%26", "127.0.0.1", "127.0.0.1:8080", 8080, "/a%20b?c=d%26"),
    ("ws://[::1]:8080/", "::1", "[::1]:8080", 8080, "/"),
  ])
  func `an address is taken apart`(
    address: String, host: String, authority: String, port: Int, target: String
  ) throws {
    let endpoint = try Endpoint(try #require(URL(string: address)))
    #expect(endpoint.host == host)
    #expect(endpoint.authority == authority)
    #expect(endpoint.port == port)
    #expect(endpoint.target == target)
  }

  private struct Expired: Error { let token = "wonderland" }

  // O7.10, P5.4
  @Test func `a token that cannot be had is unauthorized, and the app's own failure passes`() async {
    let failure = await #expect(throws: ConnectionFailure.self) { try await bearer { throw Expired() } }
    #expect(failure?.reason == .unauthorized)
    #expect(failure?.description.contains("wonderland") == false)
    let offline = await #expect(throws: ConnectionFailure.self) {
      try await bearer { throw ConnectionFailure(.unreachable) }
    }
    #expect(offline?.reason == .unreachable)
    await #expect(throws: CancellationError.self) { try await bearer { throw CancellationError() } }
  }
}
