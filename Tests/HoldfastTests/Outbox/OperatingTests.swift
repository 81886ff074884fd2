import Foundation
import Testing

@testable import Holdfast

private typealias eg = EngineExample

/// What the user does to messages that are there; nothing runs but the intents.
@Suite(.timeLimit(.minutes(10))) struct OperatingTests {
  private let bench: Bench

  init() throws { bench = try Bench(maximumMessageBytes: 100) }

  private func failure(_ body: () async throws -> Void) async -> ChatError.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? ChatError)?.code
    }
  }

  /// A message of ours that the server has.
  private func delivered(_ text: String, order: Int64 = 1, _ client: ChatClient) throws -> MessageID {
    let id = try client.send(text, in: eg.conversation)
    try client.store.write {
      try $0.confirmMessage(id, in: eg.conversation, order: order, createdAt: eg.date)
    }
    return id
  }

  private func receive(_ message: IncomingMessage, _ client: ChatClient) throws {
    _ = try client.store.write { try $0.take(message, now: eg.date) }
  }

  private func queue(_ client: ChatClient) throws -> [MessageID] {
    try client.store.read { try $0.outboxEntries(of: eg.conversation, behind: 0, limit: 100) }.map(\.id)
  }

  private func park(_ id: MessageID, _ client: ChatClient) throws {
    try client.store.write { try $0.park(id, in: eg.conversation, reason: eg.rejection) }
  }

  private func depart(_ id: MessageID, _ client: ChatClient) throws {
    try client.store.writeUnsynced { try $0.countDeparture(of: id) }
  }

  private func row(_ id: MessageID, _ client: ChatClient) throws -> MessageRow {
    try #require(try client.rows().first { $0.id == id })
  }

  // O14
  @Test func `a queued message is edited in place, and keeps its ID and its place`() throws {
    let client = try bench.client()
    let ids = try ["one", "two"].map { try client.send($0, in: eg.conversation) }
    #expect(try client.editMessage(ids[0], to: " eins ") == nil)
    #expect(try client.bodies() == ["eins", "two"])
    #expect(try queue(client) == ids)
    #expect(try client.rows().map(\.change) == [nil, nil])
    #expect(try row(ids[0], client).editedAt == nil, "Nobody has seen another text.")
  }

  // O8, O14
  @Test func `a failed message is edited in place, and still waits for its retry`() async throws {
    let client = try bench.client()
    let id = try client.send("one", in: eg.conversation)
    try park(id, client)
    try client.editMessage(id, to: "two")
    #expect(try row(id, client).body == "two")
    #expect(try row(id, client).delivery == .failed(eg.rejection))
    try await client.retry(id)
    #expect(try queue(client) == [id])
  }

  // O14
  @Test func `an edit of a message that may have arrived waits behind it, and is shown at once`() throws {
    let client = try bench.client()
    let id = try client.send("one", in: eg.conversation)
    try depart(id, client)
    let operation = try #require(try client.editMessage(id, to: "two"))
    #expect(try queue(client) == [id, operation])
    let shown = try row(id, client)
    #expect(shown.body == "two")
    #expect(shown.editedAt != nil)
    #expect(shown.change?.id == operation)
    #expect(shown.change?.kind == .edit)
    #expect(shown.change?.status == "Edit queued - Will send when online")
    #expect(shown.change?.tone == .queued)
    #expect(try client.store.read { try $0.row("SELECT body FROM message")?[0] as String? } == "one")
  }

  // O14, O11
  @Test func `what was done to a message is there after a relaunch`() throws {
    let (id, operations) = try {
      let client = try bench.client()
      let id = try delivered("one", client)
      return (id, [try client.editMessage(id, to: "two"), try client.react("👍", to: id)])
    }()
    let client = try bench.client()
    #expect(try queue(client) == operations)
    #expect(try row(id, client).body == "two")
    #expect(try row(id, client).reactions == [Reaction(value: "👍", count: 1, isMine: true)])
  }

  // O14
  @Test func `a second edit takes the place of one that has not left, and waits behind one that has`() throws
  {
    let client = try bench.client()
    let id = try delivered("one", client)
    try client.editMessage(id, to: "two")
    let second = try #require(try client.editMessage(id, to: "three"))
    #expect(try queue(client) == [second])
    #expect(try row(id, client).change?.text == "three")
    try depart(second, client)
    let third = try #require(try client.editMessage(id, to: "four"))
    #expect(try queue(client) == [second, third])
    #expect(try row(id, client).body == "four")
  }

  // O14
  @Test func `a message that came back is edited in place, and the edit that waited says nothing more`()
    throws
  {
    let client = try bench.client()
    let id = try client.send("one", in: eg.conversation)
    try depart(id, client)
    try client.editMessage(id, to: "two")
    try client.store.write { try $0.forgetDepartures([id], areRefused: true) }
    #expect(try client.editMessage(id, to: "three") == nil)
    #expect(try queue(client) == [id])
    #expect(try client.bodies() == ["three"])
  }

  // O14
  @Test func `a queued message that is deleted is gone, with the reactions that waited for it`() throws {
    let client = try bench.client()
    let id = try client.send("one", in: eg.conversation)
    try client.react("👍", to: id)
    #expect(try client.deleteMessage(id) == nil)
    #expect(try client.rows().isEmpty)
    #expect(try client.unsentCount() == 0)
  }

  // O14
  @Test func `a deletion takes away the edits and reactions that wait, and the text is not shown`() throws {
    let client = try bench.client()
    let id = try delivered("one", client)
    try client.editMessage(id, to: "two")
    try client.react("👍", to: id)
    let operation = try #require(try client.deleteMessage(id))
    #expect(try queue(client) == [operation])
    let shown = try row(id, client)
    #expect(shown.isDeleted)
    #expect(shown.body == "")
    #expect(shown.reactions.isEmpty)
    #expect(shown.change?.status == "Deletion queued - Will send when online")
    #expect(try client.listSnapshot(limit: 1).rows.first?.excerpt == "Message deleted")
  }

  // H4
  @Test func `the list shows an edit that waits, and says that the last message was deleted`() throws {
    let client = try bench.client()
    let id = try delivered("one", client)
    try client.editMessage(id, to: "two")
    #expect(try client.listSnapshot(limit: 1).rows.first?.excerpt == "two")
    #expect(try client.listSnapshot(limit: 1).rows.first?.unsentCount == 0)
    try receive(eg.incoming(id, from: eg.user, "", revision: 1, deletedAt: eg.date), client)
    #expect(try client.listSnapshot(limit: 1).rows.first?.excerpt == "Message deleted")
  }

  // O14
  @Test func `a reaction to a queued message waits behind it, and its removal takes it away`() throws {
    let client = try bench.client()
    let id = try client.send("one", in: eg.conversation)
    let reaction = try #require(try client.react("👍", to: id))
    #expect(try queue(client) == [id, reaction])
    #expect(try row(id, client).reactions == [Reaction(value: "👍", count: 1, isMine: true)])
    #expect(try client.react("👍", to: id) == nil)
    #expect(try client.unreact("👍", from: id) == nil)
    #expect(try queue(client) == [id])
    #expect(try row(id, client).reactions.isEmpty)
  }

  @Test func `a reaction of others is joined, and only the own one is taken back`() throws {
    let client = try bench.client()
    try receive(
      eg.incoming("m", revision: 1, reactions: [SentReaction("👍", from: eg.other)]), client)
    #expect(try client.unreact("👍", from: "m") == nil)
    try client.react("👍", to: "m")
    #expect(try row("m", client).reactions == [Reaction(value: "👍", count: 2, isMine: true)])
  }

  // O14
  @Test func `what cannot be done says why, and changes nothing`() async throws {
    let client = try bench.client()
    let own = try delivered("one", client)
    try receive(eg.incoming("theirs", order: 2), client)
    try receive(eg.incoming("gone", from: eg.user, order: 3, revision: 1, deletedAt: eg.date), client)
    let stream = try await client.beginStream(in: eg.conversation)
    let before = try client.rows()
    #expect(await failure { try client.editMessage(own, to: " \n") } == .emptyMessage)
    #expect(
      await failure { try client.editMessage(own, to: String(repeating: "x", count: 101)) } == .messageTooLong
    )
    for id in ["nowhere", "", "theirs\0"] as [MessageID] {
      #expect(await failure { try client.editMessage(id, to: "x") } == .unknownMessage)
      #expect(await failure { try client.deleteMessage(id) } == .unknownMessage)
      #expect(await failure { try client.react("👍", to: id) } == .unknownMessage)
    }
    #expect(await failure { try client.editMessage("theirs", to: "x") } == .notYourMessage)
    #expect(await failure { try client.deleteMessage("theirs") } == .notYourMessage)
    #expect(await failure { try client.editMessage("gone", to: "x") } == .messageDeleted)
    #expect(await failure { try client.deleteMessage("gone") } == .messageDeleted)
    #expect(await failure { try client.react("👍", to: "gone") } == .messageDeleted)
    #expect(await failure { try client.editMessage(stream, to: "x") } == .messageUnfinished)
    for value in ["", "a\nb", "\0", String(repeating: "x", count: 65)] {
      #expect(await failure { try client.react(value, to: "theirs") } == .malformedReaction)
    }
    #expect(try client.rows() == before)
    #expect(try client.unsentCount() == 0)
  }

  @Test func `a message that is being deleted cannot be changed any more`() async throws {
    let client = try bench.client()
    let id = try delivered("one", client)
    try client.deleteMessage(id)
    #expect(await failure { try client.editMessage(id, to: "two") } == .messageDeleted)
    #expect(await failure { try client.react("👍", to: id) } == .messageDeleted)
  }

  @Test func `a backend that cannot do it is not asked, and queued messages can be edited all the same`()
    async throws
  {
    let bench = try Bench(operations: [.edit])
    let client = try bench.client()
    let id = try delivered("one", client)
    #expect(await failure { try client.deleteMessage(id) } == .unsupported)
    #expect(await failure { try client.react("👍", to: id) } == .unsupported)
    #expect(await failure { try client.editMessage(id, to: "two") } == nil)
    let queued = try client.send("three", in: eg.conversation)
    #expect(await failure { try client.deleteMessage(queued) } == nil)
  }

  // O12
  @Test func `operations count for the outbox's limits`() async throws {
    let client = try bench.client(limits: OutboxLimits(perConversation: 2, total: 2))
    let id = try client.send("one", in: eg.conversation)
    try client.react("👍", to: id)
    #expect(await failure { try client.react("🎉", to: id) } == .outboxFull)
    #expect(await failure { try client.send("two", in: eg.conversation) } == .outboxFull)
    #expect(await failure { try client.unreact("👍", from: id) } == nil, "What takes away needs no room.")
  }

  // N2
  @Test func `the banner counts messages, and what is unsent counts everything`() throws {
    let client = try bench.client()
    let id = try delivered("one", client)
    try client.editMessage(id, to: "two")
    try client.send("three", in: eg.conversation)
    #expect(try client.store.read { try $0.queuedCount() } == 1)
    #expect(try client.unsentCount() == 2)
    #expect(try client.outboxHealth().waiting == 2)
  }

  // O8
  @Test func `a failed message's operations wait, and follow it when it is retried`() async throws {
    let client = try bench.client()
    let failed = try client.send("one", in: eg.conversation)
    let reactions = try ["👍", "🎉"].map { try #require(try client.react($0, to: failed)) }
    try park(failed, client)
    let next = try client.send("two", in: eg.conversation)
    #expect(try queue(client) == [next])
    #expect(try row(failed, client).change?.status == "Reaction waits for its message")
    try await client.retry(failed)
    #expect(try queue(client) == [next, failed] + reactions)
  }

  // O8, O14
  @Test func `a failed edit shows the server's text, and can be retried or deleted`() async throws {
    let client = try bench.client()
    let id = try delivered("one", client)
    let operation = try #require(try client.editMessage(id, to: "two"))
    try park(operation, client)
    let shown = try row(id, client)
    #expect(shown.body == "one")
    #expect(shown.editedAt == nil)
    #expect(shown.delivery == .delivered)
    #expect(
      shown.change
        == RowChange(
          id: operation, kind: .edit, text: "two", failure: eg.rejection, tone: .failed,
          status: "Edit failed - Tap to retry"))
    try await client.retry(operation)
    #expect(try queue(client) == [operation])
    #expect(try row(id, client).body == "two")
    try await client.cancel(operation)
    #expect(try row(id, client).body == "one")
    #expect(try row(id, client).change == nil)
    #expect(try client.unsentCount() == 0)
  }

  // O14
  @Test func `an edit takes the place of one that failed`() throws {
    let client = try bench.client()
    let id = try delivered("one", client)
    let first = try #require(try client.editMessage(id, to: "two"))
    try park(first, client)
    let second = try #require(try client.editMessage(id, to: "three"))
    #expect(try queue(client) == [second])
    #expect(try client.unsentCount() == 1)
  }

  // O14
  @Test func `an edit that fails with a newer one behind it goes away without a question`() throws {
    let client = try bench.client()
    let id = try delivered("one", client)
    let first = try #require(try client.editMessage(id, to: "two"))
    try depart(first, client)
    let second = try #require(try client.editMessage(id, to: "three"))
    try park(first, client)
    #expect(try row(id, client).change?.id == second)
    #expect(try client.unsentCount() == 1)
  }

  // O14
  @Test func `a message that the server refused takes over what was done to it meanwhile`() throws {
    let client = try bench.client()
    let ids = try ["one", "two"].map { try client.send($0, in: eg.conversation) }
    for id in ids { try depart(id, client) }
    try client.editMessage(ids[0], to: "eins")
    try client.deleteMessage(ids[1])
    try client.store.write { transaction in
      try transaction.forgetDepartures(ids, areRefused: true)
      for id in ids { try transaction.park(id, in: eg.conversation, reason: eg.rejection) }
    }
    #expect(try client.rows().map(\.body) == ["eins"])
    #expect(try client.rows().map(\.change) == [nil])
    #expect(try client.unsentCount() == 1)
  }

  // O9
  @Test func `an operation that may have arrived cannot be cancelled, and none can be taken back`()
    async throws
  {
    let client = try bench.client()
    let id = try delivered("one", client)
    let operation = try #require(try client.editMessage(id, to: "two"))
    #expect(await failure { try await client.takeBack(operation) } == .unknownMessage)
    #expect(try queue(client) == [operation])
    try depart(operation, client)
    #expect(await failure { try await client.cancel(operation) } == .tooLate)
  }

  // O9, O14
  @Test func `a message that is taken back comes with the text that is shown`() async throws {
    let client = try bench.client()
    let id = try client.send("one", in: eg.conversation)
    try depart(id, client)
    try client.editMessage(id, to: "two")
    try client.store.write { try $0.forgetDepartures([id], areRefused: true) }
    #expect(try await client.takeBack(id).text == "two")
    #expect(try client.unsentCount() == 0)
  }

  // S4
  @Test func `a full disk is a typed error, and changes nothing`() async throws {
    let client = try bench.client()
    let id = try delivered("one", client)
    let before = try client.rows()
    bench.gate.fail()
    #expect(await failure { try client.editMessage(id, to: "two") } == .storageFull)
    #expect(await failure { try client.deleteMessage(id) } == .storageFull)
    #expect(await failure { try client.react("👍", to: id) } == .storageFull)
    bench.gate.heal()
    #expect(try client.rows() == before)
    #expect(try client.unsentCount() == 0)
  }

  // H11
  @Test
  func `a state with a higher revision replaces the one that is here, and an older one changes nothing`()
    throws
  {
    let client = try bench.client()
    try receive(eg.incoming("m", "one"), client)
    let later = eg.date.addingTimeInterval(5)
    let second = eg.incoming(
      "m", "two", revision: 2, editedAt: later, reactions: [SentReaction("👍", from: eg.other)])
    try receive(second, client)
    let shown = try row("m", client)
    #expect(shown.body == "two")
    #expect(shown.editedAt == later)
    #expect(shown.reactions == [Reaction(value: "👍", count: 1, isMine: false)])
    for old in [eg.incoming("m", "one"), eg.incoming("m", "one and a half", revision: 1)] {
      try receive(old, client)
    }
    #expect(try row("m", client) == shown)
    try receive(eg.incoming("m", "must not be here", revision: 3, deletedAt: later), client)
    #expect(try row("m", client).isDeleted)
    #expect(try row("m", client).body == "")
    #expect(try row("m", client).reactions.isEmpty)
  }

  // O14
  @Test func `a deletion that comes from the server ends what waits, and not what is on its way`() throws {
    let client = try bench.client()
    let id = try delivered("one", client)
    let away = try #require(try client.react("👍", to: id))
    try depart(away, client)
    let failed = try #require(try client.react("🎉", to: id))
    try park(failed, client)
    try client.editMessage(id, to: "two")
    try receive(eg.incoming(id, from: eg.user, "", revision: 1, deletedAt: eg.date), client)
    #expect(try queue(client) == [away])
    #expect(try row(id, client).body == "")
    // Its answer: the message is deleted. Nobody is asked about that.
    try park(away, client)
    #expect(try client.unsentCount() == 0)
    #expect(try row(id, client).change == nil)
  }
}
