import ChatServer
import ChatServerTesting
import Holdfast
import HoldfastTesting
import HoldfastTransport
import Synchronization

/// The reference server in this process, whose events are those of most other servers: each message and each change by
/// itself, without numbers, under the server's own IDs. A change may come in any order, and sometimes comes twice.
package final class EventsBackend: ConformanceBackend {
  private struct State {
    var random = SeededRandom(seed: 1)
    var violations: [Violation] = []
  }

  package let name = "events"
  package let time = TransportConformance.Time.virtual
  package var faults: Set<TransportConformance.Fault.Kind> { base.faults }
  let sent = SentRecord()
  private let base: SimulatedBackend
  private let state = Mutex(State())

  /// - Throws: the file system's error when no folder can be made.
  package init() throws { base = try SimulatedBackend() }

  package func start(in environment: ChatEnvironment) async throws { try await base.start(in: environment) }

  package func kill() async throws { try await base.kill() }

  package func account(_ name: String) async throws -> UserID { try await base.account(name) }

  package func transport(for account: UserID) throws -> any Transport {
    NamedTransport.around(
      EventsTransport.around(try base.transport(for: account), stage: self, server: self), stage: self,
      user: account, process: account.rawValue)
  }

  package func record(of conversation: ConversationID) async throws -> [TransportConformance.Record] {
    try await base.record(of: conversation)
  }

  package func readMarks(in conversation: ConversationID) async throws -> [UserID: MessageID] {
    try await base.readMarks(in: conversation)
  }

  package func make(_ fault: TransportConformance.Fault) async throws { try await base.make(fault) }

  package func behave() async throws {
    try await base.behave()
    let violations = state.withLock { state in
      defer { state.violations = [] }
      return state.violations
    }
    if let violation = violations.first { throw ConformanceFailure("\(violation)") }
  }
}

extension EventsBackend: EventDelivery, RecordingServer {
  var current: ChatServer? { base.current }
  var now: ChatEnvironment.Instant { base.environment.uptime() }

  func draw<Value: Sendable>(_ body: (inout SeededRandom) -> Value) -> Value {
    state.withLock { body(&$0.random) }
  }

  /// The server's record is compared with what its users did.
  func lies() -> Bool { false }

  /// An account may have several phones.
  func hidesIDs(of account: UserID) -> Bool { false }

  func count(deed: String) {}

  func fail(_ violation: Violation) { state.withLock { $0.violations.append(violation) } }
}
