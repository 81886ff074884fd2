import ChatServer
import Foundation
import Holdfast
import HoldfastRelay
import HoldfastTransport
import Synchronization

/// A backend that forgets IDs sooner than the real server does, as its transport declares (rule O6). It checks that
/// it receives no second copy of a message that it would take for a new message.
///
/// The server behind it never forgets an ID, so a detected copy is not duplicated anywhere.
final class ForgetfulBackend: Sendable {
  private struct Arrival {
    var at: Duration
    var connection: ObjectIdentifier
    var transmission: Int64

    /// Whether the network has duplicated one transmission.
    func isCopy(of other: Arrival) -> Bool {
      connection == other.connection && transmission == other.transmission
    }

    /// Whether the other arrival was transmitted later and arrived earlier.
    func isOvertaken(by other: Arrival) -> Bool {
      connection == other.connection && transmission < other.transmission
    }
  }
  private struct State {
    /// Every arrival of each message. Only the server knows which one it accepted.
    var arrivals: [String: [Arrival]] = [:]
    /// Messages whose outcome the backend could not report.
    var unknown: Set<MessageID> = []
    /// Messages that their users want sent, even if that duplicates them.
    var allowed: Set<MessageID> = []
  }

  /// The time that the backend remembers an ID beyond its declared window, which is a minimum. A frame that was in
  /// flight when a connection ended arrives later than any sender expects.
  private static let slack: Duration = .seconds(10)

  private let world: WorldState
  private let state = Mutex(State())

  init(world: WorldState) { self.world = world }

  /// Checks a frame that arrives at a running server.
  func take(
    _ frame: Data, on channel: SimulatedChannel, of device: String, to chat: ChatServer
  ) async throws {
    guard world.plan.idempotency != .forever else { return }
    for message in Wire.Send(frame: frame)?.messages ?? [] {
      take(message, on: channel, of: device, isStored: try await chat.hasAccepted(message.id))
    }
  }

  /// - Parameter isStored: whether the server has accepted the message before.
  private func take(
    _ message: Wire.Outgoing, on channel: SimulatedChannel, of device: String, isStored: Bool
  ) {
    guard message.operation == nil else { return }
    let arrival = Arrival(
      at: world.scheduler.now, connection: ObjectIdentifier(channel), transmission: message.handover)
    let (earlier, isAllowed) = state.withLock { state in
      let earlier = state.arrivals[message.id] ?? []
      state.arrivals[message.id, default: []].append(arrival)
      return (earlier, state.allowed.contains(MessageID(rawValue: message.id)))
    }
    guard isStored, let known = earlier.last else { return }
    let isSame = earlier.contains(where: arrival.isCopy)
    // A window of messages needs a link that keeps their order. The messages after a refused one are sent again
    // before their own refusals arrive. A sender cannot know that a later transmission overtook an earlier one in
    // the network. It acts on the refusal of the later one, while the earlier one is accepted.
    let arrivals = earlier + [arrival]
    let isOvertaken = arrivals.indices.contains { index in
      arrivals[..<index].contains(where: arrivals[index].isOvertaken)
    }
    guard !isSame, !isOvertaken, !remembers(known, arrival) else { return }
    world.count(deed: isAllowed ? "allow a second copy" : "send a second copy")
    guard !isAllowed else { return }
    world.fail(
      Violation(
        promise: "nothing twice", expected: "\(device) to ask before \(message.id) leaves again",
        found: "a second copy, where IDs are good for \(world.plan.idempotency.option)"))
  }

  private func remembers(_ earlier: Arrival, _ arrival: Arrival) -> Bool {
    switch world.plan.idempotency {
    case .forever: true
    case .none: false
    case .window(let window, .account): arrival.at - earlier.at <= window + Self.slack
    case .window(let window, .connection):
      arrival.connection == earlier.connection && arrival.at - earlier.at <= window + Self.slack
    }
  }

  /// Records that the backend could not report the outcome of a message.
  func noteUnknown(_ id: MessageID) { state.withLock { _ = $0.unknown.insert(id) } }

  func isUnknown(_ id: MessageID) -> Bool { state.withLock { $0.unknown.contains(id) } }

  /// Records that a user wants a message sent although it may have arrived already.
  func allow(_ id: MessageID) { state.withLock { _ = $0.allowed.insert(id) } }
}

/// The shipped transport with the world's idempotency, and with a server that can be queried.
enum SimulatedTransport {
  static func around(
    _ base: any Transport, world: WorldState, server: SimulatedServer, network: DeviceNetwork, process: String
  ) -> any Transport {
    var capabilities = base.capabilities
    capabilities.idempotency = world.plan.idempotency
    return WrappedTransport(base: base, capabilities: capabilities) { connection, _ in
      AskableConnection(base: connection, world: world, server: server, network: network, process: process)
    }
  }
}

/// A connection on which the server can be queried for the outcomes of messages. The server answers, has no answer,
/// or fails.
private struct AskableConnection: TransportConnection {
  let base: any TransportConnection
  let world: WorldState
  let server: SimulatedServer
  let network: DeviceNetwork
  let process: String
  private let transmissions = Transmissions()

  init(
    base: any TransportConnection, world: WorldState, server: SimulatedServer, network: DeviceNetwork,
    process: String
  ) {
    (self.base, self.world, self.server) = (base, world, server)
    (self.network, self.process) = (network, process)
  }

  var account: UserID? { base.account }

  func send(_ messages: [OutgoingMessage]) async throws {
    for message in messages { transmissions.last.withLock { $0[message.id] = message.transmission } }
    try await base.send(messages)
  }
  func send(_ piece: StreamPiece) async throws { try await base.send(piece) }
  func send(_ mark: IncomingItem.ReadMark) async throws { try await base.send(mark) }
  func receive() async throws -> TransportEvent { withoutWord(try await base.receive()) }

  /// Replaces some receipts by an ambiguous outcome, as a transport does after a proxy's error.
  private func withoutWord(_ event: TransportEvent) -> TransportEvent {
    guard case .receipts(let receipts) = event, let id = receipts.first?.id,
      let transmission = transmissions.last.withLock({ $0[id] }), world.strikes(.noAnswer)
    else { return event }
    world.count(.noAnswer)
    for receipt in receipts { server.backend.noteUnknown(receipt.id) }
    let refusal: Refusal = world.scheduler.draw { $0.chance(0.5) } ? .outcomeUnknown() : .notNow(after: nil)
    world.trace(process, "hears no word about \(id)")
    return .refused(id, transmission: transmission, refusal)
  }
  func upload(_ upload: ChatAttachment.Upload) async throws -> String {
    requireServed(upload.attachment.name)
    return try await base.upload(upload)
  }
  func download(_ download: ChatAttachment.Download) async throws { try await base.download(download) }

  func outcomes(
    of ids: [MessageID], in conversation: ConversationID
  ) async throws -> [MessageID: OutgoingMessage.DeliveryOutcome] {
    requireServed(conversation.rawValue)
    let faults = world.faults
    let way = world.scheduler.draw { $0.milliseconds(faults.delay) }
    try await world.scheduler.sleep(until: world.scheduler.now + way)
    // While the network is cut off, the query gets no answer.
    while !network.isUpOpen || !network.isDownOpen {
      try await world.scheduler.sleep(until: world.scheduler.now + .seconds(1))
    }
    let dice = world.isHealing ? 1 : world.scheduler.draw { $0.unit() }
    guard let chat = server.current, dice > 0.15 else {
      throw ConnectionFailure(.unreachable, detail: "the look-up failed")
    }
    var outcomes: [MessageID: OutgoingMessage.DeliveryOutcome] = [:]
    for id in ids {
      outcomes[id] = world.scheduler.draw({ $0.chance(0.3) }) ? .unknown : try await outcome(of: id, in: chat)
      if outcomes[id] == .unknown { server.backend.noteUnknown(id) }
      world.trace(process, "learns that \(id) is \(outcomes[id]?.word ?? "unknown")")
    }
    world.count(deed: "look up")
    return outcomes
  }

  func history(_ request: HistoryRequest) async throws -> HistoryPage {
    requireServed(request.conversation.rawValue)
    let page = try await base.history(request)
    world.count(deed: world.isHealing ? "get older messages" : "get older messages among faults")
    world.trace(process, "gets \(page.items.count) older items of \(request.conversation)")
    return page
  }

  func search(_ request: SearchRequest) async throws -> SearchResults { try await base.search(request) }

  func outcome(of request: RequestID, in conversation: ConversationID) async throws
    -> ProcessingRequest.Outcome
  {
    requireServed(conversation.rawValue)
    return try await base.outcome(of: request, in: conversation)
  }

  /// Checks that the server is not queried about a local conversation.
  private func requireServed(_ name: String) {
    guard name.contains(DevicePromises.mark) else { return }
    world.fail(
      Violation(
        promise: "nothing leaves the device", expected: "\(process) to keep \(name)",
        found: "a question about it"))
  }

  private func outcome(of id: MessageID, in chat: ChatServer) async throws -> OutgoingMessage.DeliveryOutcome
  {
    for conversation in try await chat.conversationIDs() {
      for item in try await chat.messages(in: conversation) where item.id == id.rawValue {
        return .accepted(
          Receipt(
            id: id, conversation: conversation, order: item.order,
            createdAt: Date(timeIntervalSince1970: Double(item.at) / 1000)))
      }
    }
    return .absent
  }
}

/// The last transmission of each message on a connection.
private final class Transmissions: Sendable {
  let last = Mutex<[MessageID: Int64]>([:])
}

extension OutgoingMessage.DeliveryOutcome {
  fileprivate var word: String {
    switch self {
    case .accepted: "there"
    case .absent: "not there"
    case .unknown: "unknown"
    }
  }
}

extension TransportCapabilities.Idempotency {
  /// The guarantee as the command line takes it: "forever", "none", "30" for a window of the account,
  /// "30-connection".
  package var option: String {
    switch self {
    case .forever: "forever"
    case .none: "none"
    case .window(let window, let scope):
      "\(Int(window / .seconds(1)))" + (scope == .connection ? "-connection" : "")
    }
  }

  /// Reads the form that ``option`` writes. Nil for any other text.
  package init?(option: String) {
    switch option {
    case "forever": self = .forever
    case "none": self = .none
    default:
      let parts = option.split(separator: "-", omittingEmptySubsequences: false)
      guard let seconds = Int(parts[0]), (1...86_400).contains(seconds), parts.count < 3,
        parts.count == 1 || parts[1] == "connection"
      else { return nil }
      self = .window(.seconds(seconds), scope: parts.count == 1 ? .account : .connection)
    }
  }
}
