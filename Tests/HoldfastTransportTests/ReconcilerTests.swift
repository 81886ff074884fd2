import EngineFixtures
import Testing

@testable import HoldfastCore
@testable import HoldfastTransport

private typealias eg = EngineExample

@Suite struct ReconcilerTests {
  private func known(
    in conversation: ConversationID = eg.conversation, from sender: UserID = eg.other,
    isUnconfirmed: Bool = false, isStreaming: Bool = false, mayHaveArrived: Bool = true
  ) -> KnownMessage {
    KnownMessage(
      conversation: conversation.key, sender: sender, isUnconfirmed: isUnconfirmed, isStreaming: isStreaming,
      mayHaveArrived: mayHaveArrived)
  }

  private func decide(known: KnownMessage?, incoming: IncomingMessage) -> Reconciler.Decision {
    Reconciler.decide(known: known, incoming: incoming, in: incoming.conversation.key, user: eg.user)
  }

  // H11.1
  @Test func `a new message is inserted, and an existing one is ignored`() {
    #expect(decide(known: nil, incoming: eg.incoming("m")) == .insert)
    #expect(decide(known: known(), incoming: eg.incoming("m")) == .ignore)
  }

  // O14
  @Test func `a state with a higher revision is an update, and no other is`() {
    var known = known()
    known.revision = 2
    #expect(decide(known: known, incoming: eg.incoming("m", revision: 3)) == .update)
    for revision in [0, 1, 2] as [Int64] {
      #expect(decide(known: known, incoming: eg.incoming("m", revision: revision)) == .ignore)
    }
    known.sender = "mallory"
    #expect(decide(known: known, incoming: eg.incoming("m", revision: 3)) == .refuse)
  }

  @Test(arguments: [-1, 1 << 60, Int64.min, Int64.max] as [Int64])
  func `a revision that no server counts to is refused`(revision: Int64) {
    #expect(decide(known: known(), incoming: eg.incoming("m", revision: revision)) == .refuse)
    #expect(decide(known: nil, incoming: eg.incoming("m", revision: revision)) == .refuse)
    let pending = PendingOperation(
      id: "o", conversation: eg.conversation.key, target: "m", kind: .edit,
      content: MessageContent("x"),
      mayHaveArrived: true)
    #expect(
      Reconciler.decide(
        pending: pending, receipt: eg.receipt("o", revision: revision), in: eg.conversation.key) == .refuse)
    #expect(
      Reconciler.decide(pending: pending, receipt: eg.receipt("o", revision: 0), in: eg.conversation.key)
        == .confirm)
    #expect(
      Reconciler.decide(pending: pending, receipt: eg.receipt("o", in: "elsewhere"), in: "elsewhere")
        == .refuse)
  }

  // O6.2
  @Test func `an echo confirms what is in the outbox, and finishes what is streaming`() {
    #expect(decide(known: known(isUnconfirmed: true), incoming: eg.incoming("m")) == .confirm)
    #expect(decide(known: known(isStreaming: true), incoming: eg.incoming("m")) == .finish)
  }

  // O6
  @Test func `an ID that is known under another sender or conversation is a forgery, in every state`() {
    for isUnconfirmed in [false, true] {
      let foreignSender = known(from: "mallory", isUnconfirmed: isUnconfirmed)
      #expect(decide(known: foreignSender, incoming: eg.incoming("m")) == .refuse)
      let elsewhere = known(in: "elsewhere", isUnconfirmed: isUnconfirmed)
      #expect(decide(known: elsewhere, incoming: eg.incoming("m")) == .refuse)
      #expect(
        Reconciler.decide(known: elsewhere, receipt: eg.receipt("m"), in: eg.conversation.key) == .refuse)
    }
  }

  // O6
  @Test
  func `a message from the server replaces a partial stream of others, and not one of this device`() {
    #expect(decide(known: known(from: "mallory", isStreaming: true), incoming: eg.incoming("m")) == .replace)
    #expect(decide(known: known(in: "elsewhere", isStreaming: true), incoming: eg.incoming("m")) == .replace)
    #expect(decide(known: known(from: eg.user, isStreaming: true), incoming: eg.incoming("m")) == .refuse)
  }

  // O6
  @Test func `a receipt for what has not left is a forgery, and an echo of it is not`() {
    let waiting = known(isUnconfirmed: true, mayHaveArrived: false)
    #expect(Reconciler.decide(known: waiting, receipt: eg.receipt("m"), in: eg.conversation.key) == .refuse)
    #expect(decide(known: waiting, incoming: eg.incoming("m")) == .confirm)
  }

  // O14
  @Test func `a receipt for an operation that has not left is a forgery`() {
    var pending = PendingOperation(
      id: "o", conversation: eg.conversation.key, target: "m", kind: .delete,
      content: MessageContent(""),
      mayHaveArrived: false)
    #expect(
      Reconciler.decide(pending: pending, receipt: eg.receipt("o", revision: 1), in: eg.conversation.key)
        == .refuse)
    pending.mayHaveArrived = true
    #expect(
      Reconciler.decide(pending: pending, receipt: eg.receipt("o", revision: 1), in: eg.conversation.key)
        == .confirm)
  }

  @Test(arguments: [0, -1, Int64.min, 1 << 60, Int64.max] as [Int64])
  func `an order that no server gives is refused`(order: Int64) {
    #expect(decide(known: nil, incoming: eg.incoming("m", order: order)) == .refuse)
    #expect(
      decide(known: known(isUnconfirmed: true), incoming: eg.incoming("m", order: order))
        == .refuse)
    #expect(
      Reconciler.decide(
        known: known(isUnconfirmed: true), receipt: eg.receipt("m", order: order), in: eg.conversation.key)
        == .ignore)
  }

  @Test(arguments: [nil, 1, (1 << 60) - 1] as [Int64?])
  func `every other order, and none, is taken`(order: Int64?) {
    #expect(decide(known: nil, incoming: eg.incoming("m", order: order)) == .insert)
    #expect(
      Reconciler.decide(
        known: known(isUnconfirmed: true), receipt: eg.receipt("m", order: order), in: eg.conversation.key)
        == .confirm
    )
  }

  @Test func `IDs that are not well formed are refused`() {
    for bad in ["", "a\0b", String(repeating: "x", count: 256)] {
      #expect(decide(known: nil, incoming: eg.incoming(MessageID(rawValue: bad))) == .refuse)
      #expect(
        decide(known: nil, incoming: eg.incoming("m", in: ConversationID(rawValue: bad)))
          == .refuse)
      #expect(
        decide(known: nil, incoming: eg.incoming("m", from: UserID(rawValue: bad))) == .refuse)
      #expect(
        Reconciler.decide(
          known: known(isUnconfirmed: true), receipt: eg.receipt(MessageID(rawValue: bad)),
          in: eg.conversation.key)
          == .ignore)
    }
  }

  // O6.4
  @Test func `a receipt confirms once, and says nothing of what is not here`() {
    #expect(
      Reconciler.decide(known: known(isUnconfirmed: true), receipt: eg.receipt("m"), in: eg.conversation.key)
        == .confirm)
    #expect(Reconciler.decide(known: known(), receipt: eg.receipt("m"), in: eg.conversation.key) == .ignore)
    #expect(Reconciler.decide(known: nil, receipt: eg.receipt("m"), in: eg.conversation.key) == .ignore)
  }
}
