import Holdfast
import HoldfastTransport

/// The server has taken a message that was sent.
struct ReceiptBenchmark: Benchmark {
  static let name = "receipt"
  static let summary = "from the receipt, until the engine has stored it and asks for the next event"
  static let samples = 1_000
  static let isOnline = true
  // Once a message is confirmed, the outbox looks for the ones behind it.
  static let bystanders = [
    "SELECT refusedCode, refusedExplanation FROM conversation",
    "SELECT position, coalesce(messageID, operationID)",
  ]

  private let rig: Rig
  private let leanStore: LeanStore
  /// The message that awaits its receipt, as the engine knows it and as both kinds of C do.
  private final class Sent {
    var engine: MessageID = ""
    var raw = ""
  }
  private let sent = Sent()

  init(_ rig: Rig) throws {
    self.rig = rig
    leanStore = try rig.openLean()
  }

  func prepare(_ number: Int) async throws {
    sent.engine = try rig.client.send(typedText(number), in: rig.conversation)
    sent.raw = RawStore.makeID()
    _ = try rig.raw.send(typedText(number), as: sent.raw, in: rig.conversation, from: Rig.user)
    _ = try leanStore.send(typedText(number), as: sent.raw, in: rig.conversation, from: Rig.user)
    try await rig.backend.waitForTransmissions(number + 1)
  }

  func engine(_ number: Int) async throws -> Duration {
    let message = Rig.messages([order(number)])[0]
    return try await rig.backend.say(
      .receipts([
        Receipt(
          id: sent.engine, conversation: rig.conversation, order: message.order, createdAt: message.createdAt)
      ]))
  }

  func raw(_ number: Int) throws -> Duration {
    try rig.raw.takeReceipt(of: sent.raw, in: rig.conversation, order: order(number))
  }

  func lean(_ number: Int) throws -> Duration? {
    try leanStore.takeReceipt(of: sent.raw, in: rig.conversation, order: order(number))
  }

  private func order(_ number: Int) -> Int { rig.history + 1 + number }
}
