import Foundation
import HoldfastCore
import HoldfastStore
import HoldfastTesting
import HoldfastTransport
import Logging
import Simulator
import Synchronization

@testable import Holdfast

/// A folder that is deleted together with its last reference.
package final class ScratchFolder: Sendable {
  package let url: URL

  /// - Parameter inMemory: whether to use a memory file system if there is one, for tests that write very often.
  package init(inMemory: Bool = false) throws {
    let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
    let isThere = inMemory && FileManager.default.fileExists(atPath: memory.path)
    url = (isThere ? memory : FileManager.default.temporaryDirectory)
      .appendingPathComponent("holdfast-test-\(UUID().uuidString)")
    try makePrivateFolder(url)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  package func bytes(of name: String) throws -> Data {
    try Data(contentsOf: url.appendingPathComponent(name))
  }

  package func mode(of name: String = "") throws -> Int? {
    let path = name.isEmpty ? url.path : url.appendingPathComponent(name).path
    return try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }
}

/// A device for one test: its files, its clock, a backend that the test plays, and clients. Each client is one
/// launch of the app, one after the other.
package struct Bench: Sendable {
  package let scheduler = SeededScheduler(seed: 1)
  package let scratch: ScratchFolder
  package let transport: ScriptedTransport
  package let gate = FailingGate()
  package let path = NetworkPath(isUp: true)
  package let log: LogRecorder
  private let ids = Mutexed(0)
  /// The error of the device's date, in seconds.
  package let dateError = Mutexed(0.0)

  package init(
    window: Int = 1, maximumMessageBytes: Int? = nil,
    idempotency: TransportCapabilities.Idempotency = .forever,
    operations: Set<MessageOperation.Kind> = Set(MessageOperation.Kind.allCases),
    fields: Set<TransportCapabilities.Field> = Set(TransportCapabilities.Field.allCases),
    carriesAttachments: Bool = false, maximumAttachmentBytes: Int64? = nil,
    supportsReadReceipts: Bool = false,
    carriesHistory: Bool = false, carriesSearch: Bool = false, placesByEvents: Bool = false,
    inMemory: Bool = false, log: LogRecorder = LogRecorder()
  ) throws {
    self.log = log
    scratch = try ScratchFolder(inMemory: inMemory)
    transport = ScriptedTransport(
      TransportCapabilities(
        window: window, maximumMessageBytes: maximumMessageBytes, idempotency: idempotency,
        operations: operations, fields: fields, carriesAttachments: carriesAttachments,
        maximumAttachmentBytes: maximumAttachmentBytes, supportsReadReceipts: supportsReadReceipts,
        carriesHistory: carriesHistory, carriesSearch: carriesSearch, placesByEvents: placesByEvents))
  }

  /// Runs `body` in a world where time passes only when no task has work left.
  package static func simulate(
    window: Int = 1, maximumMessageBytes: Int? = nil,
    idempotency: TransportCapabilities.Idempotency = .forever,
    fields: Set<TransportCapabilities.Field> = Set(TransportCapabilities.Field.allCases),
    supportsReadReceipts: Bool = false, carriesHistory: Bool = false, carriesSearch: Bool = false,
    placesByEvents: Bool = false, inMemory: Bool = false, log: LogRecorder = LogRecorder(),
    _ body: @escaping @Sendable (Bench) async throws -> Void
  ) throws {
    let bench = try Bench(
      window: window, maximumMessageBytes: maximumMessageBytes, idempotency: idempotency, fields: fields,
      supportsReadReceipts: supportsReadReceipts, carriesHistory: carriesHistory,
      carriesSearch: carriesSearch,
      placesByEvents: placesByEvents, inMemory: inMemory, log: log)
    let result = try bench.scheduler.run { () -> Result<Void, any Error> in
      do { return .success(try await body(bench)) } catch { return .failure(error) }
    }
    try result.get()
  }

  /// Runs long simulations on a thread of their own. On the pool that all tests share, they would delay the tests
  /// that use real sockets. An error that `body` throws fails the test. An expectation in `body` would not be
  /// assigned to its test.
  package static func aside<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws
    -> Value
  {
    try await withCheckedThrowingContinuation { continuation in
      asideQueue.async { continuation.resume(with: Result { try body() }) }
    }
  }

  private static let asideQueue = DispatchQueue(label: "long simulations")

  /// The virtual clock, dates that follow it, and numbered IDs.
  package var environment: ChatEnvironment {
    let (scheduler, ids, log, dateError) = (scheduler, ids, log, dateError)
    var environment = ChatEnvironment(logger: Logger(label: "test") { _ in log })
    environment.uptime = { scheduler.now }
    environment.sleep = { try await scheduler.sleep(until: $0) }
    environment.now = {
      EngineExample.date.addingTimeInterval(scheduler.now / .seconds(1) + dateError.withLock { $0 })
    }
    environment.random = { 0 }
    environment.makeID = {
      ids.withLock {
        $0 += 1
        return "id\($0)"
      }
    }
    return environment
  }

  package func store() throws -> Store {
    try Store(folder: scratch.url, owner: EngineExample.user, gate: gate.gate)
  }

  /// Launches the app. With `isSimulated` its actor runs in the world of ``simulate(window:_:)``, and otherwise on a
  /// queue of its own. The bench replaces the path and the environment of the configuration.
  package func client(
    _ configuration: ChatConfiguration = ChatConfiguration(), isSimulated: Bool = false
  ) throws -> ChatClient {
    var configuration = configuration
    (configuration.path, configuration.environment) = (path, environment)
    if isSimulated { configuration.environment.executor = SeededSerialExecutor(scheduler: scheduler) }
    let client = try ChatClient(
      storage: .folder(scratch.url), transport: transport, user: EngineExample.user,
      configuration: configuration, gate: gate.gate)
    try client.createConversation(
      EngineExample.conversation, members: [EngineExample.user, EngineExample.other])
    return client
  }

  /// Launches the app, runs it while `body` runs, and ends it.
  package func running(
    _ configuration: ChatConfiguration = ChatConfiguration(),
    _ body: @Sendable (ChatClient) async throws -> Void
  ) async throws {
    let client = try client(configuration, isSimulated: true)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await client.run() }
      defer { group.cancelAll() }
      try await body(client)
    }
  }

  /// Returns when no task has work left at this instant.
  package func rest() async throws { try await pass(.milliseconds(1)) }

  package func pass(_ time: Duration) async throws { try await scheduler.sleep(until: scheduler.now + time) }
}

/// A value that is shared by the copies of a struct.
package final class Mutexed<Value: Sendable>: Sendable {
  private let value: Mutex<Value>

  package init(_ value: Value) { self.value = Mutex(value) }

  package func withLock<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result {
    value.withLock(body)
  }
}

/// Keeps the log entries.
package struct LogRecorder: LogHandler {
  private let recorded = Mutexed<[String]>([])
  package var metadata: Logger.Metadata = [:]
  package var logLevel: Logger.Level = .trace

  package init() {}

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package var lines: [String] { recorded.withLock { $0 } }

  package func log(event: LogEvent) {
    let line = "\(event.level) \(event.message) \(event.metadata ?? [:])"
    recorded.withLock { $0.append(line) }
  }
}

extension Link.SharedState {
  /// Sets the link of a running client to this state. Returns whether the shown state of the link has changed.
  package func set(_ shown: Connectivity) -> Bool {
    var link = LinkState(isPathUp: shown != .offline)
    switch shown {
    case .offline, .reconnecting: break
    case .online:
      link.connecting()
      link.ready()
    case .otherProcess: link.goOnStandby()
    }
    set(isRunning: true)
    return set(link, connectsAt: nil).isShown
  }
}

extension ChatClient {
  package nonisolated func rows() throws -> [MessageRow] {
    try reader.conversation(EngineExample.conversation, limit: 1000).rows
  }

  package nonisolated func bodies() throws -> [String] { try rows().map(\.text) }

  package nonisolated func draft() -> DraftEntry { drafts.open(EngineExample.key) }
}
