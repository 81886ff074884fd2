import Foundation
import Holdfast
import HoldfastTransport
import Synchronization

/// A server that assigns message names (rule B1), as most do: `id-7` is `$id-7` there.
///
/// The echo of an own message arrives under its ID or, half of the time, under the server's name only. Replies and
/// read marks use the server's names. With hostile frames, another message arrives under a name that is taken.
enum NamedTransport {
  static func around(
    _ base: any Transport, world: WorldState, user: UserID, process: String
  ) -> any Transport {
    world.plan.backend == .states ? base : around(base, stage: world, user: user, process: process)
  }

  static func around(
    _ base: any Transport, stage: any EventDelivery, user: UserID, process: String
  ) -> any Transport {
    WrappedTransport(base: base, capabilities: base.capabilities) { connection, _ in
      NamedConnection(base: connection, stage: stage, user: user, process: process)
    }
  }
}

/// The simulated server's name of a message.
enum ServerName {
  private static let mark: Character = "$"

  static func of(_ id: MessageID) -> String { "\(mark)\(id.rawValue)" }

  /// Whether a row arrived under the server's name, before the receipt of its message.
  static func isName(_ id: MessageID) -> Bool { id.rawValue.first == mark }

  /// The ID of the message that has the name, or the ID itself.
  static func ours(_ id: MessageID) -> MessageID {
    isName(id) ? MessageID(rawValue: String(id.rawValue.dropFirst())) : id
  }
}

private struct NamedConnection: TransportConnection {
  let base: any TransportConnection
  let stage: any EventDelivery
  let user: UserID
  let process: String
  /// The time at which the server's name of each message was sent on this connection together with its own ID. An
  /// echo under the name alone does not identify the message.
  private let arrivals = Arrivals()

  /// A name may arrive while a change of its message is in flight.
  private static let slack: Duration = .seconds(1)

  init(base: any TransportConnection, stage: any EventDelivery, user: UserID, process: String) {
    (self.base, self.stage, self.user, self.process) = (base, stage, user, process)
  }

  var account: UserID? { base.account }

  func send(_ messages: [OutgoingMessage]) async throws {
    try await base.send(
      messages.map { message in
        var message = message
        if var operation = message.operation {
          check(message.serverIDs.target, of: operation.target, for: message.id)
          operation.target = ServerName.ours(operation.target)
          message.operation = operation
        }
        if let answered = message.content.replyTo {
          check(message.serverIDs.replyTo, of: answered, for: message.id)
          message.content.replyTo = ServerName.ours(answered)
        }
        return message
      })
  }

  private func check(_ name: String?, of id: MessageID, for message: MessageID) {
    let expected = ServerName.of(ServerName.ours(id))
    let now = stage.now
    let isKnown = arrivals.at.withLock { $0[ServerName.ours(id)].map { now - $0 > Self.slack } ?? false }
    guard name != expected, name != nil || isKnown else { return }
    stage.fail(
      Violation(
        promise: "the server's names are given back",
        expected: "\(process) to send \(message) with \(expected)",
        found: name ?? "no name"))
  }

  func send(_ piece: StreamPiece) async throws { try await base.send(piece) }

  func send(_ mark: IncomingItem.ReadMark) async throws {
    check(mark.serverID, of: mark.message, for: mark.message)
    var mark = mark
    mark.message = ServerName.ours(mark.message)
    try await base.send(mark)
  }

  func receive() async throws -> TransportEvent {
    switch try await base.receive() {
    case .items(let items, let cursor): .items(items.flatMap(named), cursor: cursor)
    case .receipts(let receipts): .receipts(receipts.map(named))
    case let other: other
    }
  }

  private func named(_ receipt: Receipt) -> Receipt {
    var receipt = receipt
    note(receipt.id)
    receipt.serverID = ServerName.of(receipt.id)
    return receipt
  }

  private func note(_ id: MessageID) {
    let now = stage.now
    arrivals.at.withLock { _ = $0.updateValue($0[id] ?? now, forKey: id) }
  }

  private func named(_ item: IncomingItem) -> [IncomingItem] {
    switch item {
    case .message(var message):
      message.serverID = ServerName.of(message.id)
      message.content.replyTo = message.content.replyTo.map { MessageID(rawValue: ServerName.of($0)) }
      let forged = forged(message)
      if hidesOurs(message) {
        message.id = MessageID(rawValue: ServerName.of(message.id))
      } else {
        note(message.id)
      }
      return [.message(message)] + forged
    case .readMark(var mark):
      mark.message = MessageID(rawValue: ServerName.of(mark.message))
      return [.readMark(mark)]
    case .operation(var operation):
      operation.operation.target = MessageID(rawValue: ServerName.of(operation.operation.target))
      return [.operation(operation)]
    case .conversation, .removed: return [item]
    }
  }

  /// Whether the echo arrives under the server's name only. A reply has its row before it is whole.
  private func hidesOurs(_ message: IncomingMessage) -> Bool {
    guard message.sender == user, message.role == .user else { return false }
    let isHidden = stage.hidesIDs(of: user)
    if isHidden { stage.count(deed: "hear an echo under the server's name") }
    return isHidden
  }

  /// Forges another message under a name that is taken.
  private func forged(_ message: IncomingMessage) -> [IncomingItem] {
    guard stage.lies() else { return [] }
    var forged = message
    forged.id = MessageID(rawValue: "\(FrameForger.mark)-\(message.id)")
    forged.content = MessageContent(FrameForger.mark)
    stage.count(deed: "hear a name twice")
    return [.message(forged)]
  }

  func outcomes(
    of ids: [MessageID], in conversation: ConversationID
  ) async throws -> [MessageID: OutgoingMessage.DeliveryOutcome] {
    try await base.outcomes(of: ids, in: conversation).mapValues { outcome in
      if case .accepted(let receipt) = outcome { .accepted(named(receipt)) } else { outcome }
    }
  }

  func history(_ request: HistoryRequest) async throws -> HistoryPage {
    var request = request
    request.sought = request.sought.map(ServerName.ours)
    if let oldest = request.oldest { request.oldest?.id = ServerName.ours(oldest.id) }
    var page = try await base.history(request)
    page.items = page.items.flatMap(named)
    return page
  }

  func search(_ request: SearchRequest) async throws -> SearchResults {
    let results = try await base.search(request)
    let items = results.messages.map(IncomingItem.message).flatMap(named)
    let messages = items.compactMap { if case .message(let message) = $0 { message } else { nil } }
    return SearchResults(messages, hasMore: results.hasMore)
  }

  func outcome(
    of request: RequestID, in conversation: ConversationID
  ) async throws -> ProcessingRequest.Outcome {
    try await base.outcome(of: request, in: conversation)
  }

  func upload(_ upload: ChatAttachment.Upload) async throws -> String { try await base.upload(upload) }
  func download(_ download: ChatAttachment.Download) async throws { try await base.download(download) }
}

private final class Arrivals: Sendable {
  let at = Mutex<[MessageID: Duration]>([:])
}
