import ChatServer
import Foundation
import Holdfast
import HoldfastRelay
import HoldfastStore
import HoldfastTesting
import HoldfastTransport
import Synchronization

/// The reference server in this process, on a virtual clock, with the relay's wire format over simulated connections.
///
/// ```
///   FrameTransport ── SimulatedLine ──► InjectedFaults ──► ChatServer ──► files
/// ```
public final class SimulatedBackend: ConformanceBackend {
  private struct State {
    var chat: ChatServer?
    var commits: CommitSwitch?
    var environment = ChatEnvironment()
    var lines: [SimulatedLine] = []
    var connections = 0
    var accounts: [UserID] = []
    var expired: Set<UserID> = []
    var faults = InjectedFaults()
  }

  public let name = "simulated"
  public let time = TransportConformance.Time.virtual
  public let faults: Set<TransportConformance.Fault.Kind> = [
    .kill, .rejections, .transientRefusals, .busy, .refusedConversations, .lostAnswers, .expiredCredentials,
    .renamedConversation, .removedConversation,
  ]
  private let folder: URL
  private let state = Mutex(State())

  /// A server on files of its own, which are removed with the backend.
  ///
  /// - Throws: the file system's error when no folder can be made.
  public init() throws { folder = try TransportConformance.makeScratchFolder() }

  /// The server. Nil while it is down.
  package var current: ChatServer? { state.withLock { $0.chat } }
  package var environment: ChatEnvironment { state.withLock { $0.environment } }

  deinit { try? FileManager.default.removeItem(at: folder) }

  public func start(in environment: ChatEnvironment) async throws {
    let commits = CommitSwitch()
    let chat = try ChatServer(folder: folder, environment: environment, gate: commits.gate)
    state.withLock { ($0.chat, $0.commits, $0.environment) = (chat, commits, environment) }
  }

  public func kill() async throws {
    let (chat, commits, lines) = state.withLock { state in
      defer { (state.chat, state.commits, state.lines) = (nil, nil, []) }
      return (state.chat, state.commits, state.lines)
    }
    commits?.turnOff()
    for line in lines { line.close() }
    // A server without power stores and sends nothing at its end. It closes the files for the next one.
    await chat?.stop()
  }

  public func account(_ name: String) async throws -> UserID {
    let user = UserID(rawValue: name)
    try await running().register(user, token: name)
    return user
  }

  public func transport(for account: UserID) throws -> any Transport {
    let environment = environment
    return FrameTransport(
      connector: Connector(backend: self, account: account, environment: environment),
      environment: environment)
  }

  public func record(of conversation: ConversationID) async throws -> [TransportConformance.Record] {
    try await running().messages(in: conversation).map(TransportConformance.Record.init)
  }

  public func readMarks(in conversation: ConversationID) async throws -> [UserID: MessageID] {
    let marks = try await running().readMarks(in: conversation)
    return Dictionary(
      marks.map { (UserID(rawValue: $0.reader), MessageID(rawValue: $0.message)) }
    ) { first, _ in first }
  }

  public func make(_ fault: TransportConformance.Fault) async throws {
    switch fault {
    case .renamedConversation(let old, let new): _ = try await running().rename(old, to: new)
    case .removedConversation(let conversation): _ = try await running().remove(conversation)
    default: inject(fault)
    }
  }

  private func inject(_ fault: TransportConformance.Fault) {
    let now = environment.uptime()
    state.withLock { state in
      switch fault {
      case .rejections(let count): state.faults.obey(.init(type: .refuse, count: count), now: now)
      case .transientRefusals(let count): state.faults.obey(.init(type: .fail, count: count), now: now)
      case .refusedConversations(let count):
        state.faults.obey(.init(type: .refuseConversation, count: count), now: now)
      case .lostAnswers(let count): state.faults.obey(.init(type: .loseReceipts, count: count), now: now)
      case .busy(let time):
        state.faults.obey(.init(type: .unavailable, seconds: Int(time / .seconds(1))), now: now)
      case .expiredCredentials(let account): state.expired.insert(account)
      case .renamedConversation, .removedConversation, .network: break
      }
    }
  }

  public func behave() async throws {
    state.withLock { state in
      state.faults.obey(.init(type: .behave), now: .zero)
      state.expired = []
    }
  }

  private func running() throws -> ChatServer {
    guard let chat = current else { throw ConnectionFailure(.unreachable, detail: "the server is down") }
    return chat
  }
}

/// The way to the server.
extension SimulatedBackend {
  private struct Connector: FrameConnector {
    /// The latency of a frame to the server.
    private static let way: Duration = .milliseconds(5)
    let backend: SimulatedBackend
    let account: UserID
    let environment: ChatEnvironment

    func withChannel(_ body: @Sendable (any FrameChannel) async throws -> Void) async throws {
      try await environment.sleep(environment.uptime() + Self.way)
      let line = SimulatedLine()
      let (chat, number) = try backend.admit(account, line)
      let id: ConnectionID
      do {
        id = try await chat.connect(token: account.rawValue) { line.deliver($0) }
      } catch {
        throw ConnectionFailure(.unreachable, detail: "the server is stopping")
      }
      let result = await withoutActuallyEscaping(body) { body in
        await withTaskGroup(of: Result<Void, any Error>.self) { group in
          group.addTask {
            do { return .success(try await body(line.channel)) } catch { return .failure(error) }
          }
          group.addTask {
            await carry(line, number, to: chat, id)
            return .failure(ConnectionFailure(.unreachable, detail: "the connection is gone"))
          }
          let first = await group.next()
          line.close()
          group.cancelAll()
          return first
        }
      }
      // Frames that were already sent arrive before the server learns of the end.
      for frame in line.up.removeAll() { await backend.receive(frame, number, by: chat, id, on: line) }
      await chat.disconnect(id)
      try result?.get()
    }

    /// Carries frames to the server until the connection ends. Then the frame on the way arrives at once.
    private func carry(_ line: SimulatedLine, _ number: Int, to chat: ChatServer, _ id: ConnectionID) async {
      while !line.isClosed, let frame = try? await line.up.next() {
        try? await environment.sleep(environment.uptime() + Self.way)
        await backend.receive(frame, number, by: chat, id, on: line)
      }
    }
  }

  private func admit(_ account: UserID, _ line: SimulatedLine) throws -> (ChatServer, Int) {
    try state.withLock { state in
      guard let chat = state.chat else { throw ConnectionFailure(.unreachable, detail: "connection refused") }
      let now = state.environment.uptime()
      if let end = state.faults.unavailable(now: now) {
        throw ConnectionFailure(.unavailable, retryAfter: end - now, detail: "503")
      }
      guard !state.expired.contains(account) else { throw ConnectionFailure(.unauthorized, detail: "401") }
      state.connections += 1
      state.lines.removeAll(where: \.isClosed)
      state.lines.append(line)
      return (chat, state.connections)
    }
  }

  private func receive(
    _ frame: Data, _ number: Int, by chat: ChatServer, _ id: ConnectionID, on line: SimulatedLine
  ) async {
    await chat.receive(frame, on: id) { messages, accepted in
      self.state.withLock { state in
        let (passed, answers) = state.faults.intercept(
          messages, accepted: accepted, on: number, now: state.environment.uptime())
        for answer in answers {
          // A frame that is made here always encodes.
          if let frame = try? Wire.sorted(Wire.ServerFrame.refused(answer)) { line.deliver(.frame(frame)) }
        }
        // The line is closed first, so that the response is already lost when the server sends it.
        if !passed.isEmpty, state.faults.losesReceipt() { line.close() }
        return passed
      }
    }
  }
}
