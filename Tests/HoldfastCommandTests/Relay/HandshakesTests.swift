import ChatServer
import Foundation
import Holdfast
import HoldfastRelay
import Synchronization
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
      // A socket that the system has connected is not yet with the relay.
      while relay.handshakes.underWay < 31 { try await ContinuousClock().sleep(for: .milliseconds(5)) }
      clock.advance(by: .seconds(9))
      try await later.write(.hello(.init(after: nil)))
      guard case .welcome = try await later.read() else {
        Issue.record("It was not welcomed.")
        return
      }
      #expect(relay.handshakes.givenUp == 0)
      clock.advance(by: .seconds(3))
      for socket in halfOpen { await socket.untilClosed() }
      #expect(relay.handshakes.givenUp == 30)
      clock.advance(by: .seconds(60))
      for (id, socket) in [("1", client), ("2", later)] {
        try await socket.write(.eg(id, body: "still here"))
        while !(try await socket.read()).isReceipt(of: id) {}
        try socket.close()
      }
      for socket in halfOpen { try? socket.close() }
      #expect(relay.handshakes.givenUp == 30)
    }
  }
}

/// A clock that the test moves.
private final class HandClock: Sendable {
  private let state = Mutex((time: Duration.zero, sleepers: [Signal]()))

  var environment: ChatEnvironment {
    var environment = ChatEnvironment()
    environment.logger.logLevel = .critical
    environment.uptime = { self.state.withLock { $0.time } }
    environment.sleep = { deadline in
      let moved = Signal()
      while self.state.withLock({ state in
        if state.time < deadline { state.sleepers.append(moved) }
        return state.time < deadline
      }) {
        try Task.checkCancellation()
        await moved.wait()
      }
    }
    return environment
  }

  func advance(by duration: Duration) {
    let sleepers = state.withLock { state in
      state.time += duration
      defer { state.sleepers = [] }
      return state.sleepers
    }
    for sleeper in sleepers { sleeper.raise() }
  }
}
