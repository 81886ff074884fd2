import Holdfast
import HoldfastTesting
import Synchronization

/// The table in which an app keeps its messages, beside the engine's store (rule L8). It has its own disk and
/// transactions: a process that ends leaves its committed rows.
final class AppTable: Sendable {
  struct State: Sendable {
    /// The outcomes that the app was notified of, in order.
    var outcomes: [OutboxOutcome] = []
    /// The number up to which the engine has deleted outcomes.
    var forgotten: Int64 = 0
    /// Acknowledgements whose transaction may or may not have committed: the process ended inside the call.
    var mayBeForgotten: Set<Int64> = []
    /// By message: the newest number when its user tried it again. A later failure has a later number.
    var retried: [MessageID: Int64] = [:]

    /// The number of the last outcome in the table. 0 when the table is empty.
    var last: Int64 { outcomes.last?.number ?? 0 }

    /// Whether the engine, asked for all outcomes, repeats those that it was not allowed to delete.
    func isRepeated(_ found: [OutboxOutcome]) -> Bool {
      let known = found.filter { $0.number <= last }.map(\.withoutConversation)
      return mayBeForgotten.union([forgotten]).contains { number in
        number >= forgotten && known == outcomes.filter { $0.number > number }.map(\.withoutConversation)
      }
    }

    /// The promise that the next outcomes break, if any. Each comes after those in the table, and a delivered
    /// message has no other outcome.
    func violation(in news: [OutboxOutcome]) -> Violation? {
      var (number, delivered) = (last, self.delivered)
      for delivery in news {
        if delivery.number <= number {
          return Violation(
            promise: "an outcome is reported once", expected: "a number above \(number)",
            found: "\(delivery.number)")
        }
        if delivered.contains(delivery.message) {
          return Violation(
            promise: "an outcome is reported once", expected: "\(delivery.message) to be delivered for good",
            found: delivery.failure.map { "failed as \($0.code.rawValue)" } ?? "delivered again")
        }
        number = delivery.number
        if delivery.failure == nil { delivered.insert(delivery.message) }
      }
      return nil
    }

    var delivered: Set<MessageID> { Set(outcomes.filter { $0.failure == nil }.map(\.message)) }
  }

  private let state = Mutex(State())

  var value: State { state.withLock { $0 } }

  func update(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }
}

extension OutboxOutcome {
  /// The outcome without the ID of its conversation, which may have changed since the notification.
  fileprivate var withoutConversation: Self {
    var outcome = self
    outcome.conversation = ""
    return outcome
  }
}
