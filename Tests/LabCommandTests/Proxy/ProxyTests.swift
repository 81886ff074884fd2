import CommandFixtures
import FlyingSocks
import Foundation
import Processes
import Synchronization
import Testing

@testable import holdfast_lab
@testable import HoldfastCommand

/// The command as a process, between a socket and a server that answers each byte with the same byte.
@Suite(.timeLimit(.minutes(10))) struct ProxyTests {
  @Test(arguments: [
    // The whole request arrives, and nothing of its response.
    ("lose", "hello", ""), ("lose close", "hello", ""),
    ("half 3", "hel", "hel"), ("half 3 close", "hel", "hel"),
    ("cut 2", "hello", "he"), ("cut 2 close", "hello", "he"),
  ])
  func `an order ends the connection once, and the next one passes`(
    order: String, arrives: String, answered: String
  ) async throws {
    try await Self.withProxy { proxy, server in
      let socket = try await proxy.connectedToServer()
      await proxy.order(order)
      try await socket.write(Data("hello".utf8))
      #expect(await Self.rest(of: socket) == answered)
      #expect(await proxy.line() == "done")
      #expect(server.received == "-" + arrives)
      let next = try await proxy.connect()
      try await next.write(Data("next".utf8))
      #expect(try await next.read(bytes: 4) == Array("next".utf8))
    }
  }

  @Test func `silent connections stay open and say nothing, until they are reset`() async throws {
    try await Self.withProxy { proxy, server in
      let socket = try await proxy.connect()
      await proxy.order("lose silent")
      try await socket.write(Data("hello".utf8))
      #expect(await proxy.line() == "done")
      #expect(server.received == "hello")
      let next = try await proxy.connect()
      try await next.write(Data("next".utf8))
      #expect(try await next.read(bytes: 4) == Array("next".utf8))
      try await socket.write(Data("again".utf8))
      await proxy.order("reset")
      #expect(await Self.rest(of: socket) == "")
      #expect(server.received == "hellonext")
    }
  }

  @Test(arguments: ["cut 2 silent", "lose silent"])
  func `a silent connection stays open although its server has left`(order: String) async throws {
    try await Self.withProxy { proxy, _ in
      let socket = try await proxy.connect()
      await proxy.order(order)
      try await socket.write(Data("hel.".utf8))
      let end = End()
      async let rest: Void = end.note(Self.rest(of: socket))
      #expect(await proxy.line() == "done")
      #expect(!end.isThere)
      await proxy.order("reset")
      await rest
      #expect(end.isThere)
    }
  }

  /// Whether a connection has ended.
  private final class End: Sendable {
    private let state = Atomic(false)

    var isThere: Bool { state.load(ordering: .relaxed) }

    func note(_ rest: String) { state.store(true, ordering: .relaxed) }
  }

  @Test func `a refused connection is refused, and the port is the same afterwards`() async throws {
    try await Self.withProxy { proxy, _ in
      let open = try await proxy.connectedToServer()
      await proxy.order("refuse")
      await #expect(throws: SocketError.self) { try await proxy.connect() }
      try await open.write(Data("b".utf8))
      #expect(try await open.read() == UInt8(ascii: "b"))
      await proxy.order("pass")
      let next = try await proxy.connect()
      try await next.write(Data("c".utf8))
      #expect(try await next.read() == UInt8(ascii: "c"))
    }
  }

  @Test func `nothing is lost in a hole, and a delay keeps the order`() async throws {
    try await Self.withProxy { proxy, server in
      let socket = try await proxy.connect()
      await proxy.order("hole")
      try await socket.write(Data("held ".utf8))
      await proxy.order("delay 200")
      #expect(server.received == "")
      try await socket.write(Data("slow ".utf8))
      await proxy.order("pass")
      try await socket.write(Data("fast".utf8))
      #expect(try await socket.read(bytes: 14) == Array("held slow fast".utf8))
    }
  }

  @Test func `a reset in a hole ends the connections, and new ones are taken`() async throws {
    try await Self.withProxy { proxy, server in
      let socket = try await proxy.connectedToServer()
      await proxy.order("hole")
      try await socket.write(Data("lost".utf8))
      await proxy.order("reset")
      #expect(await Self.rest(of: socket) == "")
      await proxy.order("pass")
      let next = try await proxy.connect()
      try await next.write(Data("next".utf8))
      #expect(try await next.read(bytes: 4) == Array("next".utf8))
      #expect(server.received == "-next")
    }
  }

  @Test func `an unknown order is answered, and the proxy goes on`() async throws {
    try await Self.withProxy { proxy, _ in
      proxy.child.send(Data("explode".utf8))
      #expect(await proxy.line() == "error: unknown order; `holdfast help proxy` lists them.")
      await proxy.order("pass")
    }
  }

  @Test func `a taken port, an invalid server: one sentence`() async throws {
    try await Self.withProxy { proxy, _ in
      let taken = try holdfastLab("proxy", "--listen", "\(proxy.port)", "--to", "127.0.0.1:1")
      #expect(taken.status != 0)
      #expect(taken.output.contains("Port \(proxy.port) is in use on 127.0.0.1."), "\(taken.output)")
    }
    let nowhere = try holdfastLab("proxy", "--to", "somewhere")
    #expect(nowhere.status != 0)
    #expect(nowhere.output.contains("--to must be HOST:PORT."), "\(nowhere.output)")
  }

  @Test func `without a server a connection is reset at once`() async throws {
    try await Self.withProxy(to: 1) { proxy in
      do {
        let socket = try await proxy.connect()
        #expect(await Self.rest(of: socket) == "")
      } catch SocketError.failed(_, let code, _) where code == ECONNRESET {
        // The reset may arrive before the connection is accepted. An unaccepted connection is refused.
      } catch SocketError.disconnected {
        // The reset came between the two.
      }
    }
  }

  /// The remaining bytes of the socket before it ends.
  private static func rest(of socket: AsyncSocket) async -> String {
    var bytes: [UInt8] = []
    while let more = try? await socket.read(atMost: 4096) { bytes += more }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func withProxy(
    _ body: @Sendable (RunningProxy, EchoServer) async throws -> Void
  ) async throws {
    try await withEchoServer { server in
      try await withProxy(to: server.port) { try await body($0, server) }
    }
  }

  private static func withProxy(
    to port: UInt16, _ body: (RunningProxy) async throws -> Void
  ) async throws {
    let proxy = try await RunningProxy(to: port)
    do { try await body(proxy) } catch {
      proxy.child.closeInput()
      throw error
    }
    proxy.child.closeInput()
    #expect(await proxy.ending() == .exit(0))
  }
}

/// `holdfast-lab proxy` as a separate process, on a free port.
private final class RunningProxy {
  let child: ChildProcess
  private(set) var port: UInt16 = 0
  private var events: AsyncStream<ChildProcess.Event>.Iterator

  init(to target: UInt16) async throws {
    child = try .holdfast(
      ["proxy", "--to", "127.0.0.1:\(target)"], program: Bundle.main.bundleURL.appending(path: "holdfast-lab")
    )
    events = child.events.makeAsyncIterator()
    port = await line().flatMap { $0.split(separator: ":").last }.flatMap { UInt16($0) } ?? 0
  }

  func connect() async throws -> AsyncSocket {
    try await AsyncSocket.connected(to: LoopbackAddress(port: port))
  }

  /// A connection whose first byte, `-`, the server has answered.
  ///
  /// The kernel connects a socket before the proxy accepts it. Only an accepted connection obeys `reset`.
  func connectedToServer() async throws -> AsyncSocket {
    let socket = try await connect()
    try await socket.write(Data("-".utf8))
    #expect(try await socket.read() == UInt8(ascii: "-"))
    return socket
  }

  /// Sends an order, and returns once it is active.
  func order(_ order: String) async {
    child.send(Data(order.utf8))
    #expect(await line() == "ok")
  }

  func line() async -> String? {
    guard case .line(let line)? = await events.next() else { return nil }
    return String(decoding: line, as: UTF8.self)
  }

  func ending() async -> ChildProcess.Ending? {
    while let event = await events.next() { if case .ended(let ending) = event { return ending } }
    return nil
  }
}
