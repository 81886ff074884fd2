#if !canImport(Darwin)
  import Foundation
  import Holdfast
  import NIOCore
  import NIOEmbedded
  import NIOWebSocket
  import Synchronization
  import Testing

  @testable import HoldfastWebSocket
  @testable import HoldfastRelay

  /// The WebSocket with a server that sends exactly the bytes of the test.
  @Suite(.timeLimit(.minutes(10))) struct WebSocketConnectorTests {
    private let text: UInt8 = 1
    private let ping: UInt8 = 9
    private let pong: UInt8 = 10
    private let close: UInt8 = 8

    private func connector(
      _ port: Int, token: String = "wonderland", timeout: TimeAmount = .seconds(10),
      environment: ChatEnvironment = ChatEnvironment()
    ) throws -> WebSocketConnector {
      WebSocketConnector(
        url: try #require(URL(string: "ws://127.0.0.1:\(port)/v1/connect?x=1")),
        environment: environment, trust: .system, timeout: timeout, token: { token })
    }

    private func run(
      script: @escaping @Sendable (ScriptedPeer) async throws -> Void,
      client: @Sendable (any FrameChannel) async throws -> Void
    ) async throws {
      try await ScriptedServer.run(script: script) { port in
        try await connector(port).withChannel(client)
      }
    }

    private func failure(
      script: @escaping @Sendable (ScriptedPeer) async throws -> Void,
      client: @escaping @Sendable (any FrameChannel) async throws -> Void = { _ = try await $0.receive() }
    ) async -> ConnectionFailure? {
      await #expect(throws: ConnectionFailure.self) { try await run(script: script, client: client) }
    }

    // B11
    @Test func `the request is what the protocol demands`() async throws {
      try await run { peer in
        let lines = try await peer.upgrade()
        #expect(lines.first == "GET /v1/connect?x=1 HTTP/1.1")
        #expect(lines.contains("Authorization: Bearer wonderland"))
        #expect(lines.contains { $0.hasPrefix("Host: 127.0.0.1:") })
        #expect(lines.contains("Sec-WebSocket-Version: 13"))
        try await peer.write(ScriptedPeer.frame(1, Array("seen".utf8)))
        _ = try await peer.frame()
      } client: { channel in
        let frame = try await channel.receive()
        #expect(frame == Data("seen".utf8))
      }
    }

    @Test func `each frame has a mask of its own, by the environment's dice`() async throws {
      let dice = Mutex([0.25, 0.5])
      var environment = ChatEnvironment()
      environment.random = { dice.withLock { $0.isEmpty ? 0 : $0.removeFirst() } }
      let rolled = environment
      try await ScriptedServer.run { peer in
        try await peer.upgrade()
        for (word, mask) in [("one", [0x40, 0, 0, 0]), ("two", [0x80, 0, 0, 0])] as [(String, [UInt8])] {
          let frame = try await peer.frame()
          #expect(frame.payload == Array(word.utf8))
          #expect(peer.mask == mask)
        }
        try await peer.write(ScriptedPeer.frame(1, Array("seen".utf8)))
        _ = try await peer.frame()
      } client: { port in
        try await connector(port, environment: rolled).withChannel { channel in
          for word in ["one", "two"] { try await channel.send(Data(word.utf8)) }
          _ = try await channel.receive()
        }
      }
    }

    @Test(
      arguments: [
        (0, [0, 0, 0, 0]), (0.5, [0x80, 0, 0, 0]), (0.999_999_999_999, [0xFF, 0xFF, 0xFF, 0xFF]),
        (1, [0xFF, 0xFF, 0xFF, 0xFF]), (-1, [0, 0, 0, 0]), (Double.nan, [0, 0, 0, 0]),
      ] as [(Double, [UInt8])])
    func `a mask is the first bits of a number`(number: Double, mask: [UInt8]) {
      #expect(Array(WebSocketTextHandler.mask(of: number)) == mask)
    }

    @Test func `a frame in the same packet as the 101 is not lost`() async throws {
      try await run { peer in
        try await peer.upgrade(with: ScriptedPeer.frame(1, Array("first".utf8)))
        _ = try await peer.frame()
      } client: { channel in
        let frame = try await channel.receive()
        #expect(frame == Data("first".utf8))
      }
    }

    @Test func `frames leave masked, and those of one task in order`() async throws {
      try await run { peer in
        try await peer.upgrade()
        for number in 1...3 {
          let frame = try await peer.frame()
          #expect(frame == .init(opcode: 1, payload: Array("\(number)".utf8), isMasked: true))
        }
        try await peer.write(ScriptedPeer.frame(1, Array("done".utf8)))
      } client: { channel in
        for number in 1...3 { try await channel.send(Data("\(number)".utf8)) }
        _ = try await channel.receive()
      }
    }

    @Test func `several tasks may send at once`() async throws {
      try await run { peer in
        try await peer.upgrade()
        var seen: Set<[UInt8]> = []
        for _ in 0..<200 { seen.insert(try await peer.frame().payload) }
        #expect(seen.count == 200)
        try await peer.write(ScriptedPeer.frame(1, Array("done".utf8)))
      } client: { channel in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<200 { group.addTask { try await channel.send(Data("\(number)".utf8)) } }
          try await group.waitForAll()
        }
        _ = try await channel.receive()
      }
    }

    @Test func `a fragmented message arrives whole, with a ping in its midst`() async throws {
      try await run { peer in
        try await peer.upgrade()
        try await peer.write(ScriptedPeer.frame(1, Array("frag".utf8), isFinal: false))
        try await peer.write(ScriptedPeer.frame(9, []))
        try await peer.write(ScriptedPeer.frame(0, Array("men".utf8), isFinal: false))
        try await peer.write(ScriptedPeer.frame(0, Array("ted".utf8)))
        #expect(try await peer.frame().opcode == 10)
      } client: { channel in
        let frame = try await channel.receive()
        #expect(frame == Data("fragmented".utf8))
      }
    }

    @Test func `a ping is answered, even without a reader`() async throws {
      try await run { peer in
        try await peer.upgrade(with: ScriptedPeer.frame(9, Array("are you there".utf8)))
        let answer = try await peer.frame()
        #expect(answer == .init(opcode: 10, payload: Array("are you there".utf8), isMasked: true))
        _ = try await peer.frame()
        try await peer.write(ScriptedPeer.frame(1, Array("done".utf8)))
      } client: { channel in
        try await channel.send(Data("only sends".utf8))
        _ = try await channel.receive()
      }
    }

    @Test func `leaving says goodbye`() async throws {
      let (goodbyes, said) = AsyncStream.makeStream(of: ScriptedPeer.Frame.self)
      try await run { peer in
        try await peer.upgrade()
        said.yield(try await peer.frame())
        try await peer.write(ScriptedPeer.frame(8, [3, 233]))
      } client: { _ in
      }
      var goodbye = goodbyes.makeAsyncIterator()
      #expect(await goodbye.next() == .init(opcode: close, payload: [3, 233], isMasked: true))
    }

    @Test func `leaving a server that answers nothing takes half a second at most`() throws {
      let channel = EmbeddedChannel(handler: WebSocketTextHandler(random: { 0 }))
      try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
      channel.close(promise: nil)
      let goodbye = try channel.readOutbound(as: WebSocketFrame.self)
      #expect(goodbye?.opcode == .connectionClose)
      channel.embeddedEventLoop.advanceTime(by: .milliseconds(499))
      #expect(channel.isActive, "It gives the server time to answer.")
      channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
      #expect(!channel.isActive)
    }

    @Test(arguments: [
      ([3, 232], ConnectionFailure.Reason.unreachable), ([], .unreachable), ([3, 244], .unavailable),
      ([3, 245], .unavailable), ([3, 241], .incompatible),
    ])
    func `a server that closes is heard out first`(code: [UInt8], reason: ConnectionFailure.Reason)
      async throws
    {
      let failure = await failure { peer in
        let last = ScriptedPeer.frame(1, Array("last words".utf8))
        try await peer.upgrade(with: last + ScriptedPeer.frame(8, code))
        #expect(try await peer.frame().opcode == 8)
      } client: { channel in
        let words = try await channel.receive()
        #expect(words == Data("last words".utf8))
        _ = try await channel.receive()
      }
      #expect(failure?.reason == reason)
    }

    @Test func `a connection that is cut off is unreachable`() async throws {
      let failure = await failure { try await $0.upgrade() }
      #expect(failure?.reason == .unreachable)
    }

    @Test(arguments: [
      [0x82, 0x01, 0x00], [0x80, 0x00], [0x81, 0x7F, 0x7F, 0, 0, 0, 0, 0, 0, 0],
      [0x81, 0x7F, 0, 0, 0, 0, 0x7F, 0, 0, 0], [0x09, 0x00], [0x89, 0x7E, 0x01, 0x00],
    ])
    func `frames that no WebSocket sends are incompatible`(bytes: [UInt8]) async throws {
      let failure = await failure { peer in
        try await peer.upgrade(with: bytes)
        let goodbye = try await peer.frame()
        #expect(goodbye == .init(opcode: 8, payload: [3, 234], isMasked: true))
      }
      #expect(failure?.reason == .incompatible)
    }

    // O7.5, O7.8, O7.10
    @Test(arguments: [
      ("401 Unauthorized", ConnectionFailure.Reason.unauthorized), ("403 Forbidden", .unauthorized),
      ("404 Not Found", .incompatible), ("426 Upgrade Required", .incompatible),
      ("502 Bad Gateway", .unavailable), ("503 Service Unavailable", .unavailable),
      ("504 Gateway Timeout", .unavailable), ("301 Moved Permanently", .incompatible),
      ("200 OK", .incompatible),
    ])
    func `a refused handshake says what to do`(status: String, reason: ConnectionFailure.Reason) async throws
    {
      let failure = await failure { peer in
        _ = try await peer.request()
        try await peer.write("HTTP/1.1 " + status, "Retry-After: 7", "Content-Length: 2", "", "no")
      }
      #expect(failure?.reason == reason)
      #expect(failure?.retryAfter == (reason == .unavailable ? .seconds(7) : nil))
    }

    @Test(arguments: [
      ["HTTP/1.1 101 Switching Protocols", "Connection: upgrade", "Upgrade: websocket"],
      ["HTTP/1.1 101 Switching Protocols", "Connection: upgrade", "Upgrade: h2c"],
      ["SSH-2.0-OpenSSH_9.2"],
    ])
    func `a server without WebSockets is incompatible`(lines: [String]) async throws {
      let failure = await failure { peer in
        _ = try await peer.request()
        for line in lines + ["", ""] { try await peer.write(line) }
        _ = try await peer.request()
      }
      #expect(failure?.reason == .incompatible)
    }

    @Test func `a server that hangs up on the request is unreachable`() async throws {
      let failure = await failure { _ = try await $0.request() }
      #expect(failure?.reason == .unreachable)
    }

    @Test func `a server that never answers the request is given up`() async throws {
      let failure = await #expect(throws: ConnectionFailure.self) {
        try await ScriptedServer.run { peer in
          while true { _ = try await peer.request() }
        } client: { port in
          try await connector(port, timeout: .milliseconds(100)).withChannel { _ in }
        }
      }
      #expect(failure?.reason == .timedOut)
    }

    @Test func `a port without a listener is unreachable`() async throws {
      nonisolated(unsafe) var closed = 0
      try await ScriptedServer.run { _ in
      } client: { port in
        closed = port
      }
      let failure = await #expect(throws: ConnectionFailure.self) {
        try await connector(closed).withChannel { _ in }
      }
      #expect(failure?.reason == .unreachable)
    }

    @Test func `an unknown host name is unreachable`() async throws {
      let url = try #require(URL(string: "wss://holdfast.invalid/v1/connect"))
      let connector = WebSocketConnector(
        url: url, environment: ChatEnvironment(), trust: .system, token: { "wonderland" })
      let failure = await #expect(throws: ConnectionFailure.self) { try await connector.withChannel { _ in } }
      #expect(failure?.reason == .unreachable)
    }

    // P5.4
    @Test func `a token cannot smuggle a header in`() async throws {
      let failure = await #expect(throws: ConnectionFailure.self) {
        try await connector(1, token: "x\r\nX-Admin: yes").withChannel { _ in }
      }
      #expect(failure?.reason == .unauthorized)
      #expect(failure?.description.contains("Admin") == false)
    }

    @Test(arguments: [true, false])
    func `cancelling ends an attempt, and a connection, at once`(answers: Bool) async throws {
      let clock = ContinuousClock()
      let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
      try await ScriptedServer.run { peer in
        if answers { try await peer.upgrade() } else { _ = try await peer.request() }
        arrived.yield()
        while true { _ = try await peer.frame() }
      } client: { port in
        let connector = try connector(port)
        await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { try await connector.withChannel { _ = try await $0.receive() } }
          var arrival = arrivals.makeAsyncIterator()
          await arrival.next()
          let start = clock.now
          group.cancelAll()
          await #expect(throws: CancellationError.self) { try await group.waitForAll() }
          #expect(clock.now - start < .seconds(3))
        }
      }
    }
  }
#endif
