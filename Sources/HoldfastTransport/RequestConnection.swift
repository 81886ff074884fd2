import Foundation
import HoldfastCore
import Synchronization

/// The connection of a ``RequestTransport``: sends each message by the closure, and tells the engine the answers.
final class RequestConnection: TransportConnection {
  typealias Send = @Sendable (OutgoingMessage) async throws -> RequestTransport.Answer

  private struct State {
    var outgoing: [OutgoingMessage] = []
    var events: [TransportEvent] = [.ready]
    var failure: ConnectionFailure?
  }

  /// Messages whose request never left, on this connection or an earlier one, so that the server does not have them.
  final class Unconnected: Sendable {
    private let ids = Mutex<Set<MessageID>>([])

    func insert(_ id: MessageID) { ids.withLock { _ = $0.insert(id) } }
    func remove(_ id: MessageID) { ids.withLock { _ = $0.remove(id) } }
    func contains(_ id: MessageID) -> Bool { ids.withLock { $0.contains(id) } }
  }

  private let unconnected: Unconnected
  private let state = Mutex(State())
  private let left = Signal()
  private let answered = Signal()

  init(_ unconnected: Unconnected) { self.unconnected = unconnected }

  func send(_ messages: [OutgoingMessage]) async throws {
    state.withLock { $0.outgoing += messages }
    left.raise()
  }

  func receive() async throws -> TransportEvent {
    while true {
      try Task.checkCancellation()
      if let event = state.withLock({ $0.events.isEmpty ? nil : $0.events.removeFirst() }) { return event }
      await answered.wait()
    }
  }

  func lookUp(
    _ ids: [MessageID], in conversation: ConversationID
  ) async throws -> [MessageID: OutgoingMessage.Fate] {
    let absent = Set(ids.filter(unconnected.contains))
    return Dictionary(uniqueKeysWithValues: absent.map { ($0, .absent) })
  }

  /// Sends what leaves. The engine hands over one message of a conversation at a time, so that all go at once.
  ///
  /// - Throws: the first failure of the connection.
  func run(_ send: @escaping Send) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      defer { group.cancelAll() }
      while !Task.isCancelled {
        let (messages, failure) = state.withLock { state in
          defer { state.outgoing = [] }
          return (state.outgoing, state.failure)
        }
        if let failure { throw failure }
        for message in messages { group.addTask { await self.send(message, by: send) } }
        await left.wait()
      }
    }
  }

  private func send(_ message: OutgoingMessage, by send: Send) async {
    unconnected.remove(message.id)
    do {
      let answer = try await send(message)
      tell(message.event(of: answer))
    } catch {
      // The connection has ended, and the engine has forgotten this handover.
      guard !Task.isCancelled else { return }
      guard let failure = ConnectionFailure(unconnected: error) else {
        return tell(message.event(of: .refused(.noAnswer())))
      }
      if failure.reason != .timedOut { unconnected.insert(message.id) }
      state.withLock { $0.failure = $0.failure ?? failure }
      left.raise()
    }
  }

  private func tell(_ event: TransportEvent) {
    state.withLock { $0.events.append(event) }
    answered.raise()
  }
}

extension OutgoingMessage {
  fileprivate func event(of answer: RequestTransport.Answer) -> TransportEvent {
    switch answer {
    case .accepted(let date, let order):
      .receipts([Receipt(id: id, conversation: conversation, order: order, createdAt: date ?? createdAt)])
    case .refused(let refusal): .refused(id, handover: handover, refusal)
    }
  }
}

extension ConnectionFailure {
  /// The failure of a request that never left, so that the server cannot have the message. Nil for every other error.
  ///
  /// The codes are those of `URLError`: cannot find or connect to the host, the name has no address, no internet, data is
  /// not allowed, roaming is off, a call is active. They are compared as numbers, because `URLError` stands in another
  /// module on Linux.
  fileprivate init?(unconnected error: any Error) {
    if let failure = error as? ConnectionFailure {
      self = failure
      return
    }
    let error = error as NSError
    guard error.domain == "NSURLErrorDomain",
      [-1003, -1004, -1006, -1009, -1018, -1019, -1020].contains(error.code)
    else { return nil }
    self.init(.unreachable, detail: "URLError \(error.code)")
  }
}
