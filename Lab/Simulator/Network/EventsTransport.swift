import ChatServer
import Foundation
import Holdfast
import HoldfastRelay
import HoldfastTransport
import Synchronization

/// A server that sends events instead of states (rule B2), without numbers (rule B3). With the names of
/// ``NamedTransport`` it behaves like the backend of most apps.
///
/// The reference server behind it keeps the record. Its states become events here: each message as it was sent, in
/// the order of the conversation, and each operation at a random place among them, also before its message, and
/// sometimes twice. Receipts have no orders and no revisions.
enum EventsTransport {
  static func around(_ base: any Transport, world: WorldState, server: SimulatedServer) -> any Transport {
    world.plan.backend == .events ? around(base, stage: world, server: server) : base
  }

  static func around(
    _ base: any Transport, stage: any EventDelivery, server: any RecordingServer
  ) -> any Transport {
    var capabilities = base.capabilities
    (capabilities.window, capabilities.placesByEvents) = (1, true)
    return WrappedTransport(base: base, capabilities: capabilities) { connection, cursor in
      EventsConnection(base: connection, stage: stage, server: server, cursor: cursor)
    }
  }
}

/// The record of what phones have sent: the reference server keeps only the resulting states.
final class SentRecord: Sendable {
  private struct State {
    var messages: [String: MessageContent] = [:]
    var operations: [String: (operation: MessageOperation, content: MessageContent)] = [:]
  }

  private let state = Mutex(State())

  func note(_ message: OutgoingMessage) {
    state.withLock { state in
      guard let operation = message.operation else {
        return state.messages[message.id.rawValue] = message.content
      }
      state.operations[message.id.rawValue] = (operation, message.content)
    }
  }

  func content(of message: String) -> MessageContent? { state.withLock { $0.messages[message] } }

  func operation(_ id: String) -> (operation: MessageOperation, content: MessageContent)? {
    state.withLock { $0.operations[id] }
  }
}

private struct EventsConnection: TransportConnection {
  let base: any TransportConnection
  let stage: any EventDelivery
  let server: any RecordingServer
  private let emitted = EmittedEvents()
  /// The place from which the connection was resumed. The device has all earlier events.
  private let cursor: Int64

  init(
    base: any TransportConnection, stage: any EventDelivery, server: any RecordingServer, cursor: SyncCursor?
  ) {
    (self.base, self.stage, self.server) = (base, stage, server)
    self.cursor = Self.number(cursor)
  }

  /// The place in the reference server's log. A place of the newest messages contains the log's end when their pages
  /// began.
  private static func number(_ cursor: SyncCursor?) -> Int64 {
    let digits = cursor?.rawValue.split { !$0.isNumber }.first
    return digits.flatMap { Int64($0) } ?? 0
  }

  /// Whether a page has the newest messages of conversations, which are not part of the log.
  private static func isRecent(_ cursor: SyncCursor?) -> Bool {
    cursor.map { Int64($0.rawValue) == nil } ?? false
  }

  var account: UserID? { base.account }

  func send(_ messages: [OutgoingMessage]) async throws {
    for message in messages { server.sent.note(message) }
    try await base.send(messages)
  }
  func send(_ piece: StreamPiece) async throws { try await base.send(piece) }
  func send(_ mark: IncomingItem.ReadMark) async throws { try await base.send(mark) }

  func receive() async throws -> TransportEvent {
    switch try await base.receive() {
    case .items(let items, let cursor):
      var (emitted, operations): ([IncomingItem], [IncomingItem]) = ([], [])
      for item in items { try await emit(item, isRecent: Self.isRecent(cursor), &emitted, &operations) }
      return .items(mixed(emitted, operations), cursor: cursor)
    case .receipts(let receipts):
      var emitted: [Receipt] = []
      for receipt in receipts { emitted.append(try await withoutNumbers(receipt)) }
      return .receipts(emitted)
    case let other: return other
    }
  }

  private func running() throws -> ChatServer {
    guard let chat = server.current else {
      throw ConnectionFailure(.unreachable, detail: "the server is down")
    }
    return chat
  }

  private func emit(
    _ item: IncomingItem, isRecent: Bool, _ emitted: inout [IncomingItem], _ operations: inout [IncomingItem]
  ) async throws {
    switch item {
    case .message(let message):
      let chat = try running()
      let conversation = Self.first(message.conversation)
      let served = try await chat.messages(in: conversation)
      guard let present = served.first(where: { $0.id == message.id.rawValue }) else {
        // A forgery.
        return emitted.append(item)
      }
      let before = try await chat.lastOrder(in: conversation, upTo: cursor)
      let last =
        self.emitted.orders.withLock {
          $0.updateValue(
            max($0[conversation] ?? before, present.order), forKey: conversation)
        } ?? before
      emitted += served.filter { $0.order > last && $0.order <= present.order }.compactMap {
        asSent($0, in: message.conversation)
      }
      operations += try await self.operations(on: present, in: message, chat) + forged(message)
    case .readMark(var mark):
      mark.order = nil
      operations.append(.readMark(mark))
    case .conversation(let conversation):
      // Messages that are left out do not arrive by events either.
      if isRecent {
        let place = conversation.history.flatMap { Int64($0.rawValue) } ?? 1
        self.emitted.orders.withLock { $0[Self.first(conversation.id)] = place - 1 }
      }
      emitted.append(item)
    case .removed, .operation: emitted.append(item)
    }
  }

  /// A message as it was sent, without later changes.
  private func asSent(_ item: Wire.MessageItem, in conversation: ConversationID) -> IncomingItem? {
    guard var message = IncomingMessage(item) else { return nil }
    message.conversation = conversation
    message.content = server.sent.content(of: item.id) ?? message.content
    (message.order, message.revision, message.editedAt, message.deletedAt) = (nil, 0, nil, nil)
    message.reactions = []
    return .message(message)
  }

  private func operations(
    on item: Wire.MessageItem, in message: IncomingMessage, _ chat: ChatServer
  ) async throws -> [IncomingItem] {
    guard let revision = item.revision else { return [] }
    let last = emitted.revisions.withLock { $0.updateValue(revision, forKey: item.id) } ?? 0
    return try await operations(on: item, in: message, chat, after: last)
  }

  private func operations(
    on item: Wire.MessageItem, in message: IncomingMessage, _ chat: ChatServer, after last: Int64
  ) async throws -> [IncomingItem] {
    guard let revision = item.revision, revision > last else { return [] }
    return try await chat.operations(on: item.id).compactMap { accepted in
      guard accepted.revision > last, accepted.revision <= revision,
        let sent = server.sent.operation(accepted.id)
      else { return nil }
      stage.count(deed: "hear of an operation as an event")
      return .operation(
        IncomingOperation(
          sent.operation, sent.content, in: message.conversation, by: UserID(rawValue: accepted.sender),
          at: Self.date(of: accepted.revision, on: item),
          serverID: ServerName.of(MessageID(rawValue: accepted.id))))
    }
  }

  /// A forged edit of a message by someone other than its sender.
  private func forged(_ message: IncomingMessage) -> [IncomingItem] {
    guard stage.lies() else { return [] }
    stage.count(deed: "hear of somebody else's edit")
    return [
      .operation(
        IncomingOperation(
          MessageOperation(.edit, of: message.id), MessageContent(FrameForger.mark), in: message.conversation,
          by: UserID(rawValue: FrameForger.mark), at: message.createdAt + 3_600, serverID: FrameForger.mark))
    ]
  }

  /// The time of an operation. The clock of the reference server may jump, which a server that orders by time cannot
  /// afford.
  private static func date(of revision: Int64, on item: Wire.MessageItem) -> Date {
    Date(timeIntervalSince1970: Double(item.at + revision) / 1000)
  }

  /// Puts each operation at a random place, some of them twice.
  private func mixed(_ emitted: [IncomingItem], _ operations: [IncomingItem]) -> [IncomingItem] {
    guard !operations.isEmpty else { return emitted }
    return stage.draw { random in
      var items = emitted
      for operation in operations {
        for _ in 0..<(random.chance(0.1) ? 2 : 1) {
          items.insert(operation, at: Int.random(in: 0...items.count, using: &random))
        }
      }
      return items
    }
  }

  private func withoutNumbers(_ receipt: Receipt) async throws -> Receipt {
    var receipt = receipt
    // A forgery keeps its impossible numbers, which identify it.
    let possible = 0..<TimelinePlace.maximumOrder
    guard possible.contains(receipt.order ?? 0), possible.contains(receipt.revision ?? 0) else {
      return receipt
    }
    (receipt.order, receipt.revision) = (nil, nil)
    guard let sent = server.sent.operation(receipt.id.rawValue) else { return receipt }
    let chat = try running()
    let target = sent.operation.target.rawValue
    let item = try await chat.messages(in: Self.first(receipt.conversation)).first { $0.id == target }
    let accepted = try await chat.operations(on: target).first { $0.id == receipt.id.rawValue }
    if let item, let accepted { receipt.createdAt = Self.date(of: accepted.revision, on: item) }
    return receipt
  }

  private static func first(_ conversation: ConversationID) -> ConversationID {
    ConversationID(rawValue: ConversationNames.first(conversation.rawValue))
  }

  func outcomes(
    of ids: [MessageID], in conversation: ConversationID
  ) async throws -> [MessageID: OutgoingMessage.DeliveryOutcome] {
    try await base.outcomes(of: ids, in: conversation).mapValues { outcome in
      guard case .accepted(var receipt) = outcome else { return outcome }
      receipt.order = nil
      return .accepted(receipt)
    }
  }

  /// Pages like a server without numbers: each message as it was sent, and each operation beside it.
  func history(_ request: HistoryRequest) async throws -> HistoryPage {
    var request = request
    // Nothing has a number here, so a page begins at the last page's place, or with the newest message.
    request.oldest = nil
    var page = try await base.history(request)
    let chat = try running()
    var (emitted, operations): ([IncomingItem], [IncomingItem]) = ([], [])
    for case .message(let message) in page.items {
      guard
        let present = try await chat.messages(in: Self.first(message.conversation)).first(where: {
          $0.id == message.id.rawValue
        })
      else { continue }
      if let sent = asSent(present, in: message.conversation) { emitted.append(sent) }
      operations += try await self.operations(on: present, in: message, chat, after: 0)
    }
    page.items = mixed(emitted, operations)
    page.beginsWithNewest = request.before == nil
    return page
  }

  /// Search results have no numbers either.
  func search(_ request: SearchRequest) async throws -> SearchResults {
    var results = try await base.search(request)
    for index in results.messages.indices { results.messages[index].order = nil }
    return results
  }

  func outcome(
    of request: RequestID, in conversation: ConversationID
  ) async throws -> ProcessingRequest.Outcome {
    try await base.outcome(of: request, in: conversation)
  }

  func upload(_ upload: ChatAttachment.Upload) async throws -> String { try await base.upload(upload) }
  func download(_ download: ChatAttachment.Download) async throws { try await base.download(download) }
}

/// The events that a connection has delivered.
private final class EmittedEvents: Sendable {
  /// The last message of each conversation.
  let orders = Mutex<[ConversationID: Int64]>([:])
  /// The last revision of each message.
  let revisions = Mutex<[String: Int64]>([:])
}
