import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// Changes by the user to existing messages. Only the intents run.
@Suite(.timeLimit(.minutes(10))) struct OperatingTests {
  private let bench: Bench

  init() throws { bench = try Bench(maximumMessageBytes: 100) }

  // O14.1
  @Test func `a queued message is edited in place, and keeps its ID and its place`() throws {
    let client = try bench.client()
    let ids = try ["one", "two"].map { try client.send($0, in: eg.conversation) }
    #expect(try client.message(ids[0]).edit(to: " eins ") == nil)
    #expect(try client.bodies() == ["eins", "two"])
    #expect(try client.queue() == ids)
    #expect(try client.rows().map(\.operation) == [nil, nil])
    #expect(try client.row(ids[0]).editedAt == nil, "Nobody has seen another text.")
  }

  // O8, O14.1
  @Test func `a failed message is edited in place, and still waits for its retry`() async throws {
    let client = try bench.client()
    let id = try client.send("one", in: eg.conversation)
    try client.fail(id)
    try client.message(id).edit(to: "two")
    #expect(try client.row(id).text == "two")
    #expect(try client.row(id).status.failure == eg.rejection)
    try await client.message(id).retry()
    #expect(try client.queue() == [id])
  }

  // O14.2
  @Test func `an edit of a message that may have arrived waits behind it, and is shown at once`() throws {
    let client = try bench.client()
    let id = try client.send("one", in: eg.conversation)
    try client.transmit(id)
    let operation = try #require(try client.message(id).edit(to: "two"))
    #expect(try client.queue() == [id, operation])
    let shown = try client.row(id)
    #expect(shown.text == "two")
    #expect(shown.editedAt != nil)
    #expect(shown.operation?.id == operation)
    #expect(shown.operation?.kind == .edit)
    #expect(shown.operation?.status.text == "Edit queued - Will send when online")
    #expect(shown.operation?.status.tone == .queued)
    #expect(try client.storedMessage(id)?.content.text == "one")
  }

  // O11.1, O14
  @Test func `changes of a message are there after a relaunch`() throws {
    let (id, operations) = try {
      let client = try bench.client()
      let id = try client.delivered("one")
      return (id, [try client.message(id).edit(to: "two"), try client.message(id).react("👍")])
    }()
    let client = try bench.client()
    #expect(try client.queue() == operations)
    #expect(try client.row(id).text == "two")
    #expect(try client.row(id).reactions == [MessageRow.Reaction(value: "👍", count: 1, isMine: true)])
  }

  // O14
  @Test func `a second edit takes the place of one that has not left, and waits behind one that has`() throws
  {
    let client = try bench.client()
    let id = try client.delivered("one")
    try client.message(id).edit(to: "two")
    let second = try #require(try client.message(id).edit(to: "three"))
    #expect(try client.queue() == [second])
    #expect(try client.row(id).operation?.text == "three")
    try client.transmit(second)
    let third = try #require(try client.message(id).edit(to: "four"))
    #expect(try client.queue() == [second, third])
    #expect(try client.row(id).text == "four")
  }

  // O14.1
  @Test func `a message that came back is edited in place, and the edit that waited says nothing more`()
    throws
  {
    let client = try bench.client()
    let id = try client.send("one", in: eg.conversation)
    try client.transmit(id)
    try client.message(id).edit(to: "two")
    try client.comeBack(id, isRefused: true)
    #expect(try client.message(id).edit(to: "three") == nil)
    #expect(try client.queue() == [id])
    #expect(try client.bodies() == ["three"])
  }

  // O14
  @Test func `a queued message that is deleted is gone, with the reactions that waited for it`() throws {
    let client = try bench.client()
    let id = try client.send("one", in: eg.conversation)
    try client.message(id).react("👍")
    #expect(try client.message(id).delete() == nil)
    #expect(try client.rows().isEmpty)
    #expect(try client.outbox.unsentCount() == 0)
  }

  // O14
  @Test func `a deletion takes away the edits and reactions that wait, and the text is not shown`() throws {
    let client = try bench.client()
    let id = try client.delivered("one")
    try client.message(id).edit(to: "two")
    try client.message(id).react("👍")
    let operation = try #require(try client.message(id).delete())
    #expect(try client.queue() == [operation])
    let shown = try client.row(id)
    #expect(shown.isDeleted)
    #expect(shown.text == "")
    #expect(shown.reactions.isEmpty)
    #expect(shown.operation?.status.text == "Deletion queued - Will send when online")
    #expect(try client.reader.list(limit: 1).rows.first?.excerpt == "Message deleted")
  }

  // H4.3
  @Test func `the list shows an edit that waits, and says that the last message was deleted`() throws {
    let client = try bench.client()
    let id = try client.delivered("one")
    try client.message(id).edit(to: "two")
    #expect(try client.reader.list(limit: 1).rows.first?.excerpt == "two")
    #expect(try client.reader.list(limit: 1).rows.first?.unsentCount == 0)
    try client.takeIn(eg.incoming(id, from: eg.user, "", revision: 1, deletedAt: eg.date))
    #expect(try client.reader.list(limit: 1).rows.first?.excerpt == "Message deleted")
  }

  // O14.4
  @Test func `a reaction to a queued message waits behind it, and its removal takes it away`() throws {
    let client = try bench.client()
    let id = try client.send("one", in: eg.conversation)
    let reaction = try #require(try client.message(id).react("👍"))
    #expect(try client.queue() == [id, reaction])
    #expect(try client.row(id).reactions == [MessageRow.Reaction(value: "👍", count: 1, isMine: true)])
    #expect(try client.message(id).react("👍") == nil)
    #expect(try client.message(id).unreact("👍") == nil)
    #expect(try client.queue() == [id])
    #expect(try client.row(id).reactions.isEmpty)
  }

  @Test func `a reaction of others is joined, and only the own one is taken back`() throws {
    let client = try bench.client()
    try client.takeIn(
      eg.incoming("m", revision: 1, reactions: [IncomingMessage.Reaction("👍", from: eg.other)]))
    #expect(try client.message("m").unreact("👍") == nil)
    try client.message("m").react("👍")
    #expect(try client.row("m").reactions == [MessageRow.Reaction(value: "👍", count: 2, isMine: true)])
  }

  // O14
  @Test func `a refused change gives the reason, and changes nothing`() async throws {
    let client = try bench.client()
    let own = try client.delivered("one")
    try client.takeIn(eg.incoming("theirs", order: 2))
    try client.takeIn(eg.incoming("gone", from: eg.user, order: 3, revision: 1, deletedAt: eg.date))
    let stream = try await client.conversation(eg.conversation).beginReply().id
    let before = try client.rows()
    #expect(await failureCode { try client.message(own).edit(to: " \n") } == .emptyMessage)
    #expect(
      await failureCode { try client.message(own).edit(to: String(repeating: "x", count: 101)) }
        == .messageTooLong
    )
    for id in ["nowhere", "", "theirs\0"] as [MessageID] {
      #expect(await failureCode { try client.message(id).edit(to: "x") } == .unknownMessage)
      #expect(await failureCode { try client.message(id).delete() } == .unknownMessage)
      #expect(await failureCode { try client.message(id).react("👍") } == .unknownMessage)
    }
    #expect(await failureCode { try client.message("theirs").edit(to: "x") } == .notYourMessage)
    #expect(await failureCode { try client.message("theirs").delete() } == .notYourMessage)
    #expect(await failureCode { try client.message("gone").edit(to: "x") } == .messageDeleted)
    #expect(await failureCode { try client.message("gone").delete() } == .messageDeleted)
    #expect(await failureCode { try client.message("gone").react("👍") } == .messageDeleted)
    #expect(await failureCode { try client.message(stream).edit(to: "x") } == .messageUnfinished)
    for value in ["", "a\nb", "\0", String(repeating: "x", count: 65)] {
      #expect(await failureCode { try client.message("theirs").react(value) } == .malformedReaction)
    }
    #expect(try client.rows() == before)
    #expect(try client.outbox.unsentCount() == 0)
  }

  @Test func `a message that is being deleted cannot be changed`() async throws {
    let client = try bench.client()
    let id = try client.delivered("one")
    try client.message(id).delete()
    #expect(await failureCode { try client.message(id).edit(to: "two") } == .messageDeleted)
    #expect(await failureCode { try client.message(id).react("👍") } == .messageDeleted)
  }

  @Test func `a backend that cannot do it is not asked, and queued messages can be edited all the same`()
    async throws
  {
    let bench = try Bench(operations: [.edit])
    let client = try bench.client()
    let id = try client.delivered("one")
    #expect(await failureCode { try client.message(id).delete() } == .unsupported)
    #expect(await failureCode { try client.message(id).react("👍") } == .unsupported)
    #expect(await failureCode { try client.message(id).edit(to: "two") } == nil)
    let queued = try client.send("three", in: eg.conversation)
    #expect(await failureCode { try client.message(queued).delete() } == nil)
  }

  // O12.1
  @Test func `operations count for the outbox's limits`() async throws {
    let client = try bench.client(.init(outbox: .init(perConversation: 2, total: 2)))
    let id = try client.send("one", in: eg.conversation)
    try client.message(id).react("👍")
    #expect(await failureCode { try client.message(id).react("🎉") } == .outboxFull)
    #expect(await failureCode { try client.send("two", in: eg.conversation) } == .outboxFull)
    #expect(
      await failureCode { try client.message(id).unreact("👍") } == nil, "What takes away needs no room.")
  }

  // N2
  @Test func `the banner counts messages, and what is unsent counts everything`() throws {
    let client = try bench.client()
    let id = try client.delivered("one")
    try client.message(id).edit(to: "two")
    try client.send("three", in: eg.conversation)
    #expect(try client.queuedCount() == 1)
    #expect(try client.outbox.unsentCount() == 2)
    #expect(try client.outbox.health().waiting == 2)
  }

  // S4.1
  @Test func `a full disk is a typed error, and changes nothing`() async throws {
    let client = try bench.client()
    let id = try client.delivered("one")
    let before = try client.rows()
    bench.gate.fail()
    #expect(await failureCode { try client.message(id).edit(to: "two") } == .storageFull)
    #expect(await failureCode { try client.message(id).delete() } == .storageFull)
    #expect(await failureCode { try client.message(id).react("👍") } == .storageFull)
    bench.gate.heal()
    #expect(try client.rows() == before)
    #expect(try client.outbox.unsentCount() == 0)
  }
}
