import Foundation
import Holdfast
import HoldfastTransport
import Synchronization

/// The stage of one case: the server, the phones, and their users' acts.
final class ConformanceStage: Sendable {
  private struct State {
    var phones: [ConformancePhone] = []
    var isServerDown = false
    /// The last step of the case, and its start.
    var step = (what: "its first step", at: ChatEnvironment.Instant.zero)
  }

  /// More rows than any case has.
  static let limit = 5_000

  let backend: any ConformanceBackend
  let capabilities: TransportCapabilities
  let environment: ChatEnvironment
  /// The longest time that any step may take.
  let patience: Duration
  let ledger = ConformanceLedger()
  private let folder: URL
  private let state = Mutex(State())
  private let arrivals: AsyncStream<ConformancePhone>
  private let arrive: AsyncStream<ConformancePhone>.Continuation

  init(
    backend: any ConformanceBackend, capabilities: TransportCapabilities, environment: ChatEnvironment,
    patience: Duration, folder: URL
  ) {
    (self.backend, self.capabilities, self.environment) = (backend, capabilities, environment)
    (self.patience, self.folder) = (patience, folder)
    (arrivals, arrive) = AsyncStream.makeStream()
    step("its first step")
  }

  var phones: [ConformancePhone] { state.withLock { $0.phones } }

  var hasServer: Bool { capabilities.hasServer }

  /// Runs the apps of all phones, until the task is cancelled.
  func host() async {
    await withDiscardingTaskGroup { group in
      for await phone in arrivals { group.addTask { await phone.live() } }
      group.cancelAll()
    }
  }

  /// Records the next step of the case. Every wait of the suite ends within its patience.
  func step(_ what: String) { state.withLock { $0.step = (what, environment.uptime()) } }

  /// Returns the last step once a case has begun no other for `limit`: the backend or the transport hangs.
  func hang(after limit: Duration) async throws -> String {
    while true {
      let (what, since) = state.withLock { $0.step }
      guard environment.uptime() < since + limit else { return what }
      try await environment.sleep(since + limit)
    }
  }

  /// Makes an account.
  func account(_ name: String) async throws -> UserID {
    step("making an account")
    return try await backend.account("\(name)-\(environment.makeID())")
  }

  /// Makes a phone with a new store, and launches its app.
  ///
  /// - Parameters:
  ///   - account: nil for a new account.
  ///   - isOnline: whether the device has a network.
  func phone(
    _ name: String, of account: UserID? = nil, isOnline: Bool = true,
    _ configure: (inout ChatConfiguration) -> Void = { _ in }
  ) async throws -> ConformancePhone {
    let user: UserID
    if let account { user = account } else { user = try await self.account(name) }
    var configuration = ChatConfiguration(environment: environment)
    if backend.time == .real { configuration.retry = Self.quick }
    configure(&configuration)
    let transport = FaultyTransport(try backend.transport(for: user), environment: environment)
    let phone = ConformancePhone(
      name: name, user: user, folder: folder.appendingPathComponent("\(name)-\(phones.count)"),
      transport: transport, configuration: configuration, ledger: ledger)
    phone.path.set(isUp: isOnline)
    try phone.launch()
    state.withLock { $0.phones.append(phone) }
    arrive.yield(phone)
    return phone
  }

  /// Two phones, and a conversation between them that the first one has created on its device. Without a server
  /// there is only the first phone.
  func pair(
    isOnline: Bool = true
  ) async throws -> (alice: ConformancePhone, bob: ConformancePhone?, chat: ConversationID) {
    let alice = try await phone("alice", isOnline: isOnline)
    let bob = hasServer ? try await phone("bob") : nil
    return (alice, bob, try chat(of: alice, with: [bob].compactMap { $0?.user }))
  }

  /// Creates a conversation on a phone.
  func chat(of creator: ConformancePhone, with others: [UserID]) throws -> ConversationID {
    let id = ConversationID(rawValue: "chat-\(environment.makeID())")
    try creator.client.createConversation(id, members: [creator.user] + others)
    ledger.note(id, of: creator, members: [creator.user] + others)
    return id
  }

  /// Retry delays that suit a server on this machine.
  private static var quick: ChatConfiguration.RetryPolicy {
    ChatConfiguration.RetryPolicy(
      delays: [.zero, .milliseconds(100), .milliseconds(300)], reconnectDelay: .milliseconds(50),
      longestReconnectDelay: .milliseconds(500), jitter: 0, answerTimeout: .seconds(5))
  }
}

/// The server.
extension ConformanceStage {
  func killServer() async throws {
    step("killing the server")
    state.withLock { $0.isServerDown = true }
    try await backend.kill()
  }

  func startServer() async throws {
    guard state.withLock({ $0.isServerDown }) else { return }
    step("starting the server")
    try await backend.start(in: environment)
    state.withLock { $0.isServerDown = false }
  }

  /// The ID of a conversation on the server.
  func present(_ conversation: ConversationID) -> ConversationID {
    (try? ledger[conversation]?.creator.present(conversation)) ?? conversation
  }

  /// The server's record of a conversation, or the store's if there is no server.
  func record(of conversation: ConversationID) async throws -> [TransportConformance.Record] {
    step("reading the server's record")
    if hasServer { return try await backend.record(of: present(conversation)) }
    guard let creator = ledger[conversation]?.creator else { return [] }
    return try creator.storedRecord(of: present(conversation))
  }
}
