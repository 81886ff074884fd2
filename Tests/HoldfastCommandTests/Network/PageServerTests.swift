import CommandFixtures
import Foundation
import Holdfast
import NIOHTTP1
import Synchronization
import Testing

@testable import HoldfastCommand

/// The server of the demo's page and of the relay's numbers, over real sockets.
@Suite(.timeLimit(.minutes(10))) struct PageServerTests {
  private static func connect(_ port: Int, _ text: String) async throws -> TestSocket {
    let socket = try await TestSocket(url: try #require(URL(string: "http://127.0.0.1:\(port)")))
    // The server may have closed it before all of a long text is written.
    try? await socket.write(bytes: Array(text.utf8))
    return socket
  }

  /// The status line of the response to a request.
  private static func status(_ port: Int, _ text: String) async throws -> String {
    let socket = try await connect(port, text)
    defer { try? socket.close() }
    return String(decoding: try await socket.read(bytes: 12), as: UTF8.self)
  }

  private static let plain = "GET /?a=b%20c HTTP/1.1\r\nHost: h\r\n\r\n"
  private static let field = "A: \(String(repeating: "a", count: 1021))\r\n"

  /// A request line of this many bytes, without its end.
  private static func line(_ count: Int) -> String {
    "GET /" + String(repeating: "a", count: count - 14) + " HTTP/1.1"
  }

  @Test(arguments: [
    (line(8192) + "\r\n\r\n", "200"), (line(8192) + "a", "414"),
    ("GET / HTTP/1.1\r\n" + String(repeating: field, count: 63) + "\r\n", "200"),
    ("GET / HTTP/1.1\r\n" + String(repeating: field, count: 64), "431"),
    ("GET / HTTP/1.1\r\nA: " + String(repeating: "a", count: 65_536), "431"), ("nonsense\r\n\r\n", "400"),
  ])
  func `a head that is too long is refused, and says which part`(text: String, status: String) async throws {
    try await withPages { _ in
      PageAnswer(status: .ok)
    } _: { port in
      let answer = try await Self.status(port, text)
      #expect(answer == "HTTP/1.1 \(status)")
    }
  }

  @Test func `an address of two megabytes ends no other request`() async throws {
    let clock = HandClock()
    try await withPages(environment: clock.environment) { request in
      PageAnswer(status: request.value("a") == "b c" ? .ok : .notFound)
    } _: { port in
      var sockets: [TestSocket] = []
      for _ in 0..<3 {
        sockets.append(try await Self.connect(port, "GET /" + String(repeating: "a", count: 2_000_000)))
      }
      #expect(try await Self.status(port, Self.plain) == "HTTP/1.1 200")
      for socket in sockets {
        await socket.untilClosed()
        try socket.close()
      }
    }
  }

  @Test(arguments: [
    "", "GET / HT", "GET / HTTP/1.1\r\nHost: h\r\n", "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nhalf",
  ])
  func `a request that is not whole in time ends`(text: String) async throws {
    let clock = HandClock()
    try await withPages(environment: clock.environment) { request in
      let body = await request.body(atMost: 100)
      #expect(body == nil)
      return PageAnswer(status: .ok)
    } _: { port in
      let socket = try await Self.connect(port, text)
      try await clock.running { await socket.untilClosed() }
      try socket.close()
    }
  }

  @Test func `a file may take any time as long as it comes`() async throws {
    let clock = HandClock()
    let (pieces, came) = AsyncStream.makeStream(of: Int.self)
    try await withPages(environment: clock.environment) { request in
      came.yield(0)
      var sum = 0
      while let piece = try? await request.nextPiece() {
        sum += piece.count
        came.yield(sum)
      }
      // A response that takes long to compute is not cut off either.
      clock.advance(by: .seconds(60))
      return PageAnswer(status: request.isWhole ? .ok : .badRequest)
    } _: { port in
      let socket = try await Self.connect(port, "POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\n")
      for await sum in pieces {
        clock.advance(by: .seconds(9))
        guard sum < 10 else { break }
        try await socket.write(bytes: [0])
      }
      #expect(String(decoding: try await socket.read(bytes: 12), as: UTF8.self) == "HTTP/1.1 200")
      try socket.close()
    }
  }

  @Test func `an answer that nobody reads ends`() async throws {
    let clock = HandClock()
    let size = 100_000_000
    let server = PageServer(environment: clock.environment) { _ in
      PageAnswer(status: .ok, body: .data(Data(count: size)))
    }
    try await withPages(of: server) { port in
      let socket = try await Self.connect(port, Self.plain)
      // The head of the response has arrived, and no more is read until the server has given up.
      _ = try await socket.read(bytes: 12)
      while server.sockets.count > 0 {
        clock.advance(by: .seconds(1))
        await Task.yield()
      }
      var read = 0
      while let bytes = try? await socket.read(bytes: 1000) { read += bytes.count }
      #expect(read < size / 2)
      try socket.close()
    }
  }

  @Test func `events that nobody reads wait where they come from`() async throws {
    let asked = Mutex(0)
    let (firsts, first) = AsyncStream.makeStream(of: Void.self)
    try await withPages { request in
      guard request.path == "/events" else { return PageAnswer(status: .ok) }
      return PageAnswer(
        status: .ok,
        body: .pieces(
          AsyncStream {
            first.finish()
            return asked.withLock {
              $0 += 1
              return $0 < 1000 ? Data(count: 1_000_000) : nil
            }
          }))
    } _: { port in
      let reader = try await Self.connect(port, "GET /events HTTP/1.1\r\n\r\n")
      for await _ in firsts {}
      for _ in 0..<50 { #expect(try await Self.status(port, Self.plain) == "HTTP/1.1 200") }
      #expect(asked.withLock { $0 } < 100)
      try reader.close()
    }
  }

  @Test func `a request that is refused before its body is read gets its answer`() async throws {
    try await withPages { _ in
      PageAnswer(status: .payloadTooLarge)
    } _: { port in
      let body = String(repeating: "a", count: 1_000_000)
      let text = "POST / HTTP/1.1\r\nContent-Length: \(body.count)\r\n\r\n\(body)"
      let status = try await Self.status(port, text)
      #expect(status == "HTTP/1.1 413")
    }
  }

  @Test func `pieces are sent as they come, until the browser leaves`() async throws {
    let (pieces, source) = AsyncStream.makeStream(of: Data.self)
    let (left, leaves) = AsyncStream.makeStream(of: Void.self)
    source.onTermination = { _ in leaves.finish() }
    try await withPages { _ in
      PageAnswer(status: .ok, body: .pieces(pieces))
    } _: { port in
      let socket = try await Self.connect(port, Self.plain)
      for text in ["one", "two"] {
        source.yield(Data(text.utf8))
        var read: [UInt8] = []
        while !read.suffix(3).elementsEqual(text.utf8) { read += try await socket.read(bytes: 1) }
      }
      try socket.close()
      for await _ in left {}
    }
  }

  @Test func `a server that is stopped ends while requests hang`() async throws {
    let (endless, source) = AsyncStream.makeStream(of: Data.self)
    var sockets: [TestSocket] = []
    try await withPages { request in
      if request.path == "/endless" { return PageAnswer(status: .ok, body: .pieces(endless)) }
      _ = await request.body(atMost: 1000)
      return PageAnswer(status: .ok)
    } _: { port in
      for text in [
        "", "GET /", "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nhalf", "GET /endless HTTP/1.1\r\n\r\n",
      ] {
        sockets.append(try await Self.connect(port, text))
      }
      #expect(try await Self.status(port, Self.plain) == "HTTP/1.1 200")
    }
    for socket in sockets {
      await socket.untilClosed()
      try socket.close()
    }
    source.finish()
  }
}
