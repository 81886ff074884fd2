import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// A session with a played system, played locks and played waits.
@MainActor @Suite(.timeLimit(.minutes(10))) struct ChatSessionTests {
  private let bench: Bench
  private let waits = PlayedWaits()
  private let fault = Mutexed<ChatError?>(nil)

  init() throws { bench = try Bench(inMemory: true) }

  private func session(_ lifecycle: PlayedLifecycle) -> ChatSession {
    var environment = bench.environment
    environment.sleep = { [waits] _ in await waits.wait() }
    return ChatSession(ChatConfiguration(environment: environment), lifecycle: lifecycle) { [bench, fault] in
      if let fault = fault.withLock({ $0 }) { throw fault }
      return try bench.client()
    }
  }

  /// Runs the session in one window while `body` runs.
  private func running(
    _ session: ChatSession, _ body: @MainActor @Sendable @escaping () async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await session.run() }
      defer { group.cancelAll() }
      try await body()
    }
  }

  /// Runs the session until its client is ready.
  private func ready(
    _ lifecycle: PlayedLifecycle,
    _ body: @MainActor @Sendable @escaping (ChatSession, ChatClient) async throws -> Void
  ) async throws {
    let session = session(lifecycle)
    try await running(session) {
      await Shown.hold { session.client != nil }
      try await body(session, try #require(session.client))
    }
  }

  /// The message that is sent over a new connection. The bench's clock does not move, so each wait of the link is
  /// ended.
  private func transmission(_ count: Int, of client: ChatClient) async -> OutgoingMessage {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        while !Task.isCancelled {
          await client.reconnectNow()
          await Task.yield()
        }
      }
      defer { group.cancelAll() }
      return await bench.transport.transmission(count)
    }
  }

  private func failure(of session: ChatSession) -> ChatError.Code? {
    if case .failed(let error) = session.state { error.code } else { nil }
  }

  private func isLocked(_ session: ChatSession) -> Bool {
    if case .locked = session.state { true } else { false }
  }

  // A1.1, A1.2, P4.1
  @Test func `a store that is locked while the app starts is opened once the device is unlocked`()
    async throws
  {
    let lifecycle = PlayedLifecycle()
    let session = session(lifecycle)
    #expect(session.client == nil && !isLocked(session) && failure(of: session) == nil, "It is opening.")
    bench.gate.lock(true)
    try await running(session) {
      await Shown.hold { isLocked(session) }
      // The notification of the system comes too early.
      lifecycle.notify(.protectedData(isAvailable: true))
      for _ in 1...20 { await Task.yield() }
      #expect(session.client == nil)
      bench.gate.lock(false)
      lifecycle.notify(.protectedData(isAvailable: false))
      lifecycle.notify(.protectedData(isAvailable: true))
      await Shown.hold { session.client != nil }
    }
  }

  // A1.1, A1.2
  @Test func `a store that does not open says why, and is open once the reason is gone`() async throws {
    fault.withLock { $0 = .fullDisk }
    let session = session(PlayedLifecycle())
    try await running(session) {
      await Shown.hold { failure(of: session) == .storageFull }
      fault.withLock { $0 = ChatError(.storageBusy, "Another process holds the store.") }
      await waits.end()
      await Shown.hold { failure(of: session) == .storageBusy }
      fault.withLock { $0 = nil }
      await waits.end()
      await Shown.hold { session.client != nil }
    }
  }

  // A1.2
  @Test func `a damaged store is tried again only when somebody asks`() async throws {
    fault.withLock { $0 = ChatError(.storageDamaged, "The store is damaged.") }
    let session = session(PlayedLifecycle())
    try await running(session) {
      await Shown.hold { failure(of: session) == .storageDamaged }
      fault.withLock { $0 = nil }
      session.retry()
      await Shown.hold { session.client != nil }
    }
  }

  // A1.3
  @Test func `the first of two windows closes, and the second one sends`() async throws {
    let session = session(PlayedLifecycle())
    try await running(session) {
      await Shown.hold { session.client != nil }
      try await self.running(session) {
        self.bench.transport.say(.ready)
        try session.client?.send("one", in: eg.conversation)
        #expect(await self.bench.transport.transmission(1).text == "one")
      }
    }
    // Both windows are closed, and a third one opens: the client is the same.
    let client = try #require(session.client)
    try await running(session) {
      bench.transport.say(.ready)
      try client.send("two", in: eg.conversation)
      _ = await transmission(2, of: client)
      #expect(session.client === client)
    }
  }

  // A1.3
  @Test func `a window goes on with what the first one has opened when that one closes`() async throws {
    let session = session(PlayedLifecycle())
    let first = Signal()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        await withTaskGroup(of: Void.self) { window in
          window.addTask { await session.run() }
          window.addTask { await first.wait() }
          await window.next()
          window.cancelAll()
        }
      }
      await Shown.hold { session.client != nil }
      group.addTask { await session.run() }
      first.raise()
      try await group.next()
      bench.transport.say(.ready)
      try session.client?.send("from the second window", in: eg.conversation)
      let client = try #require(session.client)
      #expect(await transmission(1, of: client).text == "from the second window")
      group.cancelAll()
    }
  }

  // A1.5, D4.1
  @Test func `what is typed is on disk when its window is no longer active, and the app is not suspended`()
    async throws
  {
    let lifecycle = PlayedLifecycle(suspendsApps: false)
    try await ready(lifecycle) { _, client in
      let composer = ComposerModel(client, eg.conversation)
      for (text, event) in [
        ("inactive", AppEvent.phase(.inactive, of: "a")), ("background", .phase(.background, of: "a")),
        ("closed", .closed("a")), ("terminating", .terminating),
      ] {
        composer.text = text
        lifecycle.notify(event)
        let stored = try client.drafts.stored(in: eg.conversation)
        #expect(stored == [text])
      }
      #expect(lifecycle.times == [0, 0])
      #expect(await !client.isSuspended)
    }
  }

  // A1.5
  @Test func `a text that cannot be saved is reported, and no longer once it is saved`() async throws {
    let lifecycle = PlayedLifecycle()
    try await ready(lifecycle) { session, client in
      let composer = ComposerModel(client, eg.conversation)
      composer.text = "typed"
      bench.gate.fail()
      lifecycle.notify(.phase(.inactive, of: "a"))
      #expect(session.problem?.code == .storageFull)
      bench.gate.heal()
      lifecycle.notify(.phase(.inactive, of: "a"))
      #expect(session.problem == nil)
      let stored = try client.drafts.stored(in: eg.conversation)
      #expect(stored == ["typed"])
    }
  }

  // A1.6, S7
  @Test func `in the background the client waits for the answers on their way, and is suspended then`()
    async throws
  {
    let lifecycle = PlayedLifecycle()
    try await ready(lifecycle) { _, client in
      lifecycle.notify(.phase(.active, of: "a"))
      bench.transport.say(.ready)
      let id = try client.send("on its way", in: eg.conversation)
      _ = await bench.transport.transmission(1)
      lifecycle.notify(.phase(.background, of: "a"))
      #expect(lifecycle.times == [1, 0])
      for _ in 1...50 { await Task.yield() }
      #expect(await !client.isSuspended, "The answer has not come.")
      bench.transport.say(.receipts([eg.receipt(id)]))
      await lifecycle.ended(1)
      #expect(await client.isSuspended)
      #expect(try !HeldFiles(folder: bench.scratch.url).names.contains("store.sqlite"))

      lifecycle.notify(.phase(.active, of: "a"))
      bench.transport.say(.ready)
      await self.resumed(client)
      #expect(try client.rows().map(\.status.state) == [.delivered])
      #expect(lifecycle.times == [1, 1])
    }
  }

  /// Returns once the client can be used. The client does not report this, so the test asks again and again.
  private func resumed(_ client: ChatClient) async {
    while await client.isSuspended { await Task.yield() }
  }

  // A1.6
  @Test func `when the system's time is up the client is suspended, and the message stays in the outbox`()
    async throws
  {
    let lifecycle = PlayedLifecycle()
    try await ready(lifecycle) { _, client in
      lifecycle.notify(.phase(.active, of: "a"))
      bench.transport.say(.ready)
      try client.send("on its way", in: eg.conversation)
      _ = await bench.transport.transmission(1)
      lifecycle.notify(.phase(.background, of: "a"))
      lifecycle.expire()
      await lifecycle.ended(1)
      #expect(await client.isSuspended)
      lifecycle.notify(.phase(.inactive, of: "a"))
      await resumed(client)
      #expect(try client.outbox.unsentCount() == 1)
    }
  }

  // A1.6
  @Test func `an app that comes back while answers are awaited is not suspended`() async throws {
    let lifecycle = PlayedLifecycle()
    try await ready(lifecycle) { _, client in
      lifecycle.notify(.phase(.active, of: "a"))
      bench.transport.say(.ready)
      let id = try client.send("on its way", in: eg.conversation)
      _ = await bench.transport.transmission(1)
      lifecycle.notify(.phase(.background, of: "a"))
      for _ in 1...20 { await Task.yield() }
      lifecycle.notify(.phase(.active, of: "a"))
      await lifecycle.ended(1)
      bench.transport.say(.receipts([eg.receipt(id)]))
      let model = ConversationModel(client, eg.conversation)
      await Shown.until({ model.snapshot.rows.map(\.status.state) == [.delivered] }, while: model.run)
      #expect(await !client.isSuspended)
    }
  }

  // A1.3, A1.6
  @Test func `a push in the background has the client for as long as it takes`() async throws {
    let lifecycle = PlayedLifecycle()
    try await ready(lifecycle) { session, client in
      lifecycle.notify(.phase(.background, of: "a"))
      await lifecycle.ended(1)
      #expect(await client.isSuspended)
      let sent = try await session.withClient { client in
        #expect(await !client.isSuspended)
        return try client.send("from a push", in: eg.conversation)
      }
      // The message waits for a server that does not answer.
      await lifecycle.begun(2)
      lifecycle.expire()
      await lifecycle.ended(2)
      #expect(await client.isSuspended)
      lifecycle.notify(.phase(.active, of: "a"))
      await resumed(client)
      #expect(try client.rows().map(\.id) == [sent])
    }
  }

  // A1.3
  @Test func `a push without a window opens the store, and a cancelled one says so`() async throws {
    let session = session(PlayedLifecycle())
    let count = try await session.withClient { try $0.outbox.unsentCount() }
    #expect(count == 0)
    fault.withLock { $0 = .fullDisk }
    let failing = self.session(PlayedLifecycle())
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        do {
          _ = try await failing.withClient { try $0.outbox.unsentCount() }
          return false
        } catch { return error is CancellationError }
      }
      await Shown.hold { failure(of: failing) == .storageFull }
      group.cancelAll()
      await waits.end()
      #expect(await group.next() == true)
    }
  }
}
