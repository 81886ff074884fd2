import Dispatch
import FlyingSocks
import Foundation
import Testing

@testable import holdfast_lab
@testable import HoldfastCommand

/// A link in front of a server that answers each byte with the same byte.
@Suite(.timeLimit(.minutes(10))) struct FlakyLinkTests {
  @Test func `bytes pass both ways, on as many connections as there are`() async throws {
    try await Self.withLink { link in
      let (first, second) = (try await Self.connect(to: link), try await Self.connect(to: link))
      try await first.write(Data("one".utf8))
      try await second.write(Data("two".utf8))
      #expect(try await second.read(bytes: 3) == Array("two".utf8))
      #expect(try await first.read(bytes: 3) == Array("one".utf8))
    }
  }

  @Test func `bytes that are sent into a silence arrive after it, in order`() async throws {
    try await Self.withLink { link in
      let socket = try await Self.connect(to: link)
      try await socket.write(Data("a".utf8))
      #expect(try await socket.read() == UInt8(ascii: "a"))
      link.setSilent(true)
      try await socket.write(Data("b".utf8))
      let late = try await Self.connect(to: link)
      try await late.write(Data("c".utf8))
      #expect(await Self.isSilent(socket))
      #expect(await Self.isSilent(late))
      link.setSilent(false)
      try await socket.write(Data("d".utf8))
      #expect(try await socket.read(bytes: 2) == Array("bd".utf8))
      #expect(try await late.read() == UInt8(ascii: "c"))
    }
  }

  @Test func `a cut ends the connections, also in a silence, and new ones are taken`() async throws {
    try await Self.withLink { link in
      let socket = try await Self.connect(to: link)
      try await socket.write(Data("a".utf8))
      #expect(try await socket.read() == UInt8(ascii: "a"))
      link.setSilent(true)
      try await socket.write(Data("b".utf8))
      #expect(await Self.isSilent(socket))
      link.cut()
      await #expect(throws: SocketError.self) { try await socket.read() }
      link.setSilent(false)
      let next = try await Self.connect(to: link)
      try await next.write(Data("c".utf8))
      #expect(try await next.read() == UInt8(ascii: "c"))
    }
  }

  @Test func `without a server a connection ends at once`() async throws {
    let link = try await FlakyLink { 1 }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await link.run() }
      await #expect(throws: SocketError.self) { try await Self.connect(to: link).read() }
      group.cancelAll()
    }
  }

  /// Nothing arrives for a time that is long for bytes on one machine. The kernel waits on a separate thread: on the
  /// pool that all tests share, it would block the link.
  private static func isSilent(_ socket: AsyncSocket) async -> Bool {
    let descriptor = socket.socket.file.rawValue
    return await withCheckedContinuation { continuation in
      DispatchQueue(label: "silence").async {
        var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        continuation.resume(returning: poll(&waited, 1, 100) == 0)
      }
    }
  }

  private static func connect(to link: FlakyLink) async throws -> AsyncSocket {
    try await AsyncSocket.connected(to: LoopbackAddress(port: link.port))
  }

  private static func withLink(_ body: @Sendable (FlakyLink) async throws -> Void) async throws {
    try await withEchoServer { server in
      let link = try await FlakyLink { server.port }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await link.run() }
        try await body(link)
        group.cancelAll()
      }
    }
  }
}
