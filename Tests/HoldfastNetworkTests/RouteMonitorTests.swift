#if os(Linux)
  import Dispatch
  import Foundation
  import Holdfast
  import Testing

  @testable import HoldfastNetwork

  /// A kernel that the test scripts, at the other end of a pair of sockets. `NetworkNamespaceTests` uses the real
  /// kernel.
  private final class PlayedKernel: Sendable {
    let socket: RouteSocket
    private let descriptor: Int32
    /// The requests that this end has received.
    private let questions: AsyncStream<Void>
    // Dispatch's objects may be used from any thread, but its Swift interface on Linux does not say so.
    private nonisolated(unsafe) let hearing: any DispatchSourceRead

    init() throws {
      var pair: [Int32] = [0, 0]
      let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
      try #require(socketpair(AF_UNIX, type, 0, &pair) == 0)
      socket = RouteSocket(descriptor: pair[0], port: Recorded.port)
      let descriptor = pair[1]
      self.descriptor = descriptor
      let (questions, heard) = AsyncStream<Void>.makeStream()
      self.questions = questions
      hearing = DispatchSource.makeReadSource(
        fileDescriptor: descriptor, queue: DispatchQueue(label: "played kernel"))
      hearing.setEventHandler {
        var buffer = [UInt8](repeating: 0, count: 64)
        while recv(descriptor, &buffer, buffer.count, 0) >= 0 { heard.yield() }
      }
      hearing.setCancelHandler { close(descriptor) }
      hearing.activate()
    }

    deinit { hearing.cancel() }

    func say(_ bytes: [UInt8]) { #expect(send(descriptor, bytes, bytes.count, 0) == bytes.count) }

    /// Answers the requests for links and for routes. The first request has this number.
    func answer(_ routes: [[UInt8]], from number: UInt8 = 1) async throws {
      for (number, answers) in [(number, [Recorded.near]), (number + 1, routes)] {
        let heard: Void? = await questions.first { _ in true }
        try #require(heard != nil)
        for answer in answers + [Recorded.linksDone] { say(Recorded.numbered(answer, number)) }
      }
    }

    /// Whether the other end is closed. Another test may reuse its number, so this end is checked.
    var isAbandoned: Bool {
      let bytes = Recorded.near
      return send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) < 0
    }
  }

  @Suite(.timeLimit(.minutes(10))) struct RouteMonitorTests {
    private let path = NetworkPath(isUp: true)

    /// Returns once the path is up, or down.
    private func hold(isUp: Bool) async throws {
      let change = Signal()
      let observer = path.subscribe(change)
      defer { path.unsubscribe(observer) }
      while path.isUp != isUp {
        await change.wait()
        try Task.checkCancellation()
      }
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
        try await hold(isUp: false)
        kernel.say(Recorded.change)
        try await kernel.answer([Recorded.viaNear], from: 3)
        try await hold(isUp: true)
        #expect(path.interface == .other)
        kernel.say(Recorded.change)
        try await kernel.answer([Recorded.unreachable], from: 5)
        try await hold(isUp: false)
      }
    }

    // N1.4
    @Test func `without a report, the path counts as up`() async throws {
      path.set(isUp: false)
      try await following({ () throws(NetlinkFailure) in throw .refused(call: "socket", errno: EPERM) }) {
        try await hold(isUp: true)
      }
    }

    // N1.4
    @Test func `when the kernel says what cannot be, the path counts as up`() async throws {
      let kernel = try PlayedKernel()
      try await following({ () throws(NetlinkFailure) in kernel.socket }) {
        try await kernel.answer([])
        try await hold(isUp: false)
        kernel.say([1, 2, 3])
        try await hold(isUp: true)
        #expect(kernel.isAbandoned)
      }
    }

    @Test func `once cancelled, it has closed its socket and reports no more`() async throws {
      let kernel = try PlayedKernel()
      try await following({ () throws(NetlinkFailure) in kernel.socket }) {
        try await kernel.answer([])
        try await hold(isUp: false)
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
