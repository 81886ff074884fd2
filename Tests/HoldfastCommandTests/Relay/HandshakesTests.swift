import ChatServer
import CommandFixtures
import Foundation
import Holdfast
import HoldfastRelay
import Testing

@testable import HoldfastCommand

/// Sockets of a relay that do not become clients.
@Suite(.timeLimit(.minutes(10))) struct HandshakesTests {
  @Test func `sockets that are not clients after ten seconds are closed and counted, and clients stay`()
    async throws
  {
    let clock = HandClock()
    try await withRelayServer(environment: clock.environment) { url, relay in
      let client = try await TestSocket(url: url, token: "secret")
      try await client.write(.hello(.init(after: nil)))
      guard case .welcome = try await client.read() else {
        Issue.record("It was not welcomed.")
        return
      }
      var halfOpen: [TestSocket] = []
      for _ in 1...10 {
        halfOpen.append(try await TestSocket(url: url))
        let asking = try await TestSocket(url: url)
        try await asking.write(bytes: Array("GET /v1/connect HTTP/1.1\r\nHost: 127".utf8))
        halfOpen.append(asking)
        halfOpen.append(try await TestSocket(url: url, token: "secret"))
      }
      let later = try await TestSocket(url: url, token: "secret")
      // A socket that the system has connected is not yet known to the relay.
      while relay.sockets.pending.underWay < 31 { try await ContinuousClock().sleep(for: .milliseconds(5)) }
      clock.advance(by: .seconds(9))
      try await later.write(.hello(.init(after: nil)))
      guard case .welcome = try await later.read() else {
        Issue.record("It was not welcomed.")
        return
      }
      #expect(relay.sockets.pending.givenUp == 0)
      clock.advance(by: .seconds(3))
      for socket in halfOpen { await socket.untilClosed() }
      #expect(relay.sockets.pending.givenUp == 30)
      clock.advance(by: .seconds(60))
      for (id, socket) in [("1", client), ("2", later)] {
        try await socket.write(.eg(id, body: "still here"))
        while !(try await socket.read()).isReceipt(of: id) {}
        try socket.close()
      }
      for socket in halfOpen { try? socket.close() }
      #expect(relay.sockets.pending.givenUp == 30)
    }
  }

  @Test func `a relay refuses a request line that is too long, and lets in the next client`() async throws {
    try await withRelayServer { url, _ in
      let hostile = try await TestSocket(url: url)
      try await hostile.write(bytes: Array(("GET /" + String(repeating: "a", count: 8188)).utf8))
      let answer = String(decoding: try await hostile.read(bytes: 12), as: UTF8.self)
      #expect(answer == "HTTP/1.1 414")
      let client = try await TestSocket(url: url, token: "secret")
      try await client.write(.hello(.init(after: nil)))
      guard case .welcome = try await client.read() else {
        Issue.record("It was not welcomed.")
        return
      }
      try client.close()
      try hostile.close()
    }
  }
}
