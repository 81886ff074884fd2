import ChatServer
import ChatServerTesting
import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransport
import HoldfastWebSocket
import Processes
import Simulator
import Synchronization

/// The relay as a separate process, over WebSockets on the loopback interface, with a proxy between. It is killed by
/// SIGKILL, and its record is read from its database.
final class RelayBackend: ConformanceBackend {
  private struct State {
    /// Accounts that were made before the start, and are still unused.
    var free: [UserID] = []
    var expired: Set<UserID> = []
    var report = FaultReport()
  }

  /// More accounts than the cases need. A running relay accepts no new ones.
  private static let accounts = 800

  let name = "relay"
  let faults: Set<TransportConformance.Fault.Kind>
  private let folder: URL
  private let address = RelayAddress()
  private let process: HostedProcess
  private let network: ProxiedNetwork
  private let state: SharedState

  private final class SharedState: Sendable {
    let value = Mutex(State())
  }

  /// - Parameters:
  ///   - folder: an empty folder for the relay's data.
  ///   - failsNetwork: whether the network fails on request. Its faults take minutes.
  ///   - program: the `holdfast-lab` program. Nil means this process's own.
  init(folder: URL, failsNetwork: Bool, program: URL? = nil) throws {
    let own: Set<TransportConformance.Fault.Kind> = [
      .kill, .rejections, .transientRefusals, .busy, .refusedConversations, .lostAnswers, .expiredCredentials,
      .renamedConversation, .removedConversation,
    ]
    faults = failsNetwork ? own.union([.network]) : own
    let (address, state) = (address, SharedState())
    self.folder = folder
    self.state = state
    network = try ProxiedNetwork { address.port }
    process = HostedProcess(
      makeChild: { _ in
        // Any free port at the first launch, and later the port that the clients know.
        try ChildProcess.holdfast(
          [
            "relay", "--quiet", "--host", "127.0.0.1", "--port", String(address.port), "--data", folder.path,
            "--exit-with-input", "--misbehaves",
          ], program: program)
      },
      publish: { status, _, line in
        // A new relay injects no faults.
        if status.phase != .running { state.value.withLock { $0.report = FaultReport() } }
        if status.phase == .stopped, let detail = status.detail {
          FileHandle.standardError.write(Data("The relay is gone. \(detail)\n".utf8))
        }
        guard let line, let report = Self.report(line) else { return }
        state.value.withLock { $0.report = report }
      })
  }

  func run(_ body: @Sendable () async throws -> Void) async throws {
    try await network.run(beside: process, body)
  }

  func start(in environment: ChatEnvironment) async throws {
    if address.port == 0 { try await makeAccounts() }
    try await process.launch()
    guard let url = await process.wait(for: { RelayAddress.parse($0) }) else {
      throw ConnectionFailure(.unreachable, detail: "The relay did not start.")
    }
    address.set(url)
    await network.isListening()
  }

  func kill() async throws {
    await process.kill()
    _ = await process.wait { _ -> Bool? in nil }
  }

  func account(_ name: String) async throws -> UserID {
    guard let account = state.value.withLock({ $0.free.popLast() }) else {
      throw ConnectionFailure(.unauthorized, detail: "More than \(Self.accounts) accounts are asked for.")
    }
    return account
  }

  func transport(for account: UserID) throws -> any Transport {
    guard let url = network.url(insteadOf: address.url) else {
      throw ConnectionFailure(.unreachable, detail: "The relay has not started.")
    }
    let state = state
    // Silence is detected soon, so that a case with it takes seconds.
    return WebSocketTransport(url: url, heartbeat: .seconds(2), timeout: .seconds(2)) {
      state.value.withLock { $0.expired.contains(account) } ? "expired" : Self.token(of: account)
    }
  }

  func record(of conversation: ConversationID) async throws -> [TransportConformance.Record] {
    try ServerRecord(folder: folder).messages(in: conversation).map(TransportConformance.Record.init)
  }

  func readMarks(in conversation: ConversationID) async throws -> [UserID: MessageID] {
    let marks = try ServerRecord(folder: folder).readMarks(in: conversation)
    return Dictionary(
      marks.map { (UserID(rawValue: $0.reader), MessageID(rawValue: $0.message)) }
    ) { first, _ in first }
  }

  func make(_ fault: TransportConformance.Fault) async throws {
    switch fault {
    case .rejections(let count):
      await order(.init(type: .refuse, count: count)) { $0.refusals == count }
    case .transientRefusals(let count):
      await order(.init(type: .fail, count: count)) { $0.failures == count }
    case .refusedConversations(let count):
      await order(.init(type: .refuseConversation, count: count)) { $0.conversationRefusals == count }
    case .lostAnswers(let count):
      await order(.init(type: .loseReceipts, count: count)) { $0.lostReceipts == count }
    case .busy(let time):
      await order(.init(type: .unavailable, seconds: Int(time / .seconds(1)))) { $0.unavailableUntil != nil }
    case .expiredCredentials(let account): state.value.withLock { _ = $0.expired.insert(account) }
    case .network(let fault): await network.make(fault)
    case .renamedConversation(let old, let new):
      await change(.init(type: .rename, conversation: old.rawValue, to: new.rawValue))
    case .removedConversation(let conversation):
      await change(.init(type: .remove, conversation: conversation.rawValue))
    }
  }

  func behave() async throws {
    let isBusy = state.value.withLock { state in
      state.expired = []
      return !state.report.isQuiet
    }
    try await network.behave()
    if isBusy { await order(.init(type: .behave)) { $0.isQuiet } }
  }

  /// Sends the relay an order about a whole conversation, and waits until it has been carried out.
  private func change(_ order: FaultOrder) async {
    let before = state.value.withLock { $0.report.changedConversations } ?? 0
    await self.order(order) { ($0.changedConversations ?? 0) > before }
  }

  /// Sends the relay an order, and waits until it reports that it follows it.
  private func order(
    _ order: FaultOrder, until isFollowed: @escaping @Sendable (FaultReport) -> Bool
  ) async {
    guard let line = try? JSONEncoder().encode(order) else { return }
    _ = await process.exchange(line) { Self.report($0).flatMap { isFollowed($0) ? true : nil } }
  }

  private static func report(_ line: Data) -> FaultReport? {
    FaultReport.isReport(line) ? try? JSONDecoder().decode(FaultReport.self, from: line) : nil
  }

  private func makeAccounts() async throws {
    let server = try ChatServer(folder: folder)
    let accounts = (1...Self.accounts).map { UserID(rawValue: "user\($0)") }
    for account in accounts { try await server.register(account, token: Self.token(of: account)) }
    await server.stop()
    state.value.withLock { $0.free = accounts.reversed() }
  }

  private static func token(of account: UserID) -> String { "token-of-\(account)" }
}
