#if os(Linux)
  import Foundation
  import Holdfast
  import Testing

  @testable import HoldfastNetwork

  /// A kernel that the test plays, at the other end of a pair of sockets. `NetworkNamespaceTests` uses the real
  /// kernel.
  private final class PlayedKernel: Sendable {
    let socket: RouteSocket
    private let descriptor: Int32

    init() throws {
      var pair: [Int32] = [0, 0]
      let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
      try #require(socketpair(AF_UNIX, type, 0, &pair) == 0)
      socket = RouteSocket(descriptor: pair[0], port: Recorded.port)
      descriptor = pair[1]
    }

    deinit { close(descriptor) }

    func say(_ bytes: [UInt8]) { #expect(send(descriptor, bytes, bytes.count, 0) == bytes.count) }

    /// Answers the questions for links and for routes. The first question has this number.
    func answer(_ routes: [[UInt8]], from number: UInt8 = 1) async throws {
      for (number, answers) in [(number, [Recorded.near]), (number + 1, routes)] {
        try await hearQuestion()
        for answer in answers + [Recorded.linksDone] { say(Recorded.numbered(answer, number)) }
      }
    }

    /// The other end is closed. Another test may have its number by now, so that this end is asked.
    var isAbandoned: Bool {
      let bytes = Recorded.near
      return send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) < 0
    }

    private func hearQuestion() async throws {
      var buffer = [UInt8](repeating: 0, count: 64)
      while recv(descriptor, &buffer, buffer.count, 0) < 0 {
        try #require(errno == EAGAIN)
        try await Task.sleep(for: .milliseconds(1))
      }
    }
  }

  @Suite(.timeLimit(.minutes(10))) struct RouteMonitorTests {
    private let path = NetworkPath(isUp: true)

    private func hold(_ condition: () -> Bool) async throws {
      while !condition() { try await Task.sleep(for: .milliseconds(1)) }
    }

    private func following(
      _ open: @escaping @Sendable () throws(NetlinkFailure) -> RouteSocket, _ body: () async throws -> Void
    ) async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { [path] in
          await path.follow(RouteMonitor(path: path, open: open), environment: ChatEnvironment())
        }
        try await body()
        group.cancelAll()
      }
    }

    // N1.1, N1.4
    @Test func `the path is what the kernel answers, after each change`() async throws {
      let kernel = try PlayedKernel()
      try await following({ () throws(NetlinkFailure) in kernel.socket }) {
        try await kernel.answer([])
        try await hold { !path.isUp }
        kernel.say(Recorded.change)
        try await kernel.answer([Recorded.viaNear], from: 3)
        try await hold { path.isUp }
        #expect(path.interface == .other)
        kernel.say(Recorded.change)
        try await kernel.answer([Recorded.unreachable], from: 5)
        try await hold { !path.isUp }
      }
    }

    // N1.4
    @Test func `without a report, the path counts as up`() async throws {
      path.set(isUp: false)
      try await following({ () throws(NetlinkFailure) in throw .refused(call: "socket", errno: EPERM) }) {
        try await hold { path.isUp }
      }
    }

    // N1.4
    @Test func `when the kernel says what cannot be, the path counts as up`() async throws {
      let kernel = try PlayedKernel()
      try await following({ () throws(NetlinkFailure) in kernel.socket }) {
        try await kernel.answer([])
        try await hold { !path.isUp }
        kernel.say([1, 2, 3])
        try await hold { path.isUp }
        #expect(kernel.isAbandoned)
      }
    }

    @Test func `once cancelled, it has closed its socket and tells no more`() async throws {
      let kernel = try PlayedKernel()
      try await following({ () throws(NetlinkFailure) in kernel.socket }) {
        try await kernel.answer([])
        try await hold { !path.isUp }
      }
      #expect(!path.isUp)
      #expect(kernel.isAbandoned)
    }

    @Test func `a task that was cancelled before it began returns all the same`() async throws {
      await withTaskGroup(of: Void.self) { group in
        group.cancelAll()
        group.addTask { [path] in await path.followSystem() }
      }
    }
  }
#endif
