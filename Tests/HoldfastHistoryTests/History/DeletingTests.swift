import EngineFixtures
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

@Suite(.timeLimit(.minutes(10))) struct DeletingTests {
  // H5.1, H5.3, U18
  @Test func `a deleted conversation is nowhere to be seen, and Undo brings back everything`() throws {
    try Bench.simulate { bench in
      bench.path.set(isUp: false)
      try await bench.running { client in
        try await bench.rest()
        try Trip.make(client)
        try client.setActiveConversation(Trip.id)
        try client.takeIn(eg.incoming("theirs", in: Trip.id, "from bob"))
        let sent = try client.send("unsent one", in: Trip.id)
        try client.send("unsent two", in: Trip.id)
        try client.message("theirs").react("👍")
        client.drafts.edit("half a draft", in: Trip.id)
        let before = try client.reader.conversation(Trip.id, limit: 100)
        try await bench.pass(.seconds(3))

        try await client.conversation(Trip.id).delete()
        try expect(try !client.reader.conversation(Trip.id, limit: 100).exists, "it is not there")
        let list = try client.reader.list(limit: 10)
        try expect(!list.rows.contains { $0.id == Trip.id }, "not in the list")
        try expect(list.undoable.map(\.id) == [Trip.id], "Undo is offered")
        try expect(try client.outbox.unsentCount() == 0, "nothing of it is unsent")
        try expect(try client.search("unsent bob").hits.isEmpty, "not found")
        try expect(try client.search("unsent").hits.isEmpty, "not found")
        try expect(try client.activeConversation() == nil, "it is not the active one")
        try expect(client.drafts.text(in: Trip.id) == "", "the composer is empty")
        do {
          try client.send("no", in: Trip.id)
          throw Missed("a deleted conversation takes no message")
        } catch let error as ChatError {
          try expect(error.code == .unknownConversation, "\(error.code)")
        }
        do {
          _ = try client.message("theirs").react("👎")
          throw Missed("a message of it takes no reaction")
        } catch let error as ChatError { try expect(error.code == .unknownMessage, "\(error.code)") }

        try await bench.pass(.seconds(7))
        try await client.conversation(Trip.id).undoDeletion()
        let after = try client.reader.conversation(Trip.id, limit: 100)
        try expect(after == before, "\(after) is not \(before)")
        try expect(client.drafts.text(in: Trip.id) == "half a draft", "the draft is back")
        try expect(try client.outbox.unsentCount() == 3, "two messages and a reaction")
        try expect(try client.activeConversation() == Trip.id, "it is the active one again")
        try expect(try client.reader.list(limit: 10).undoable.isEmpty, "there is nothing to undo")
        try expect(try client.search("unsent").hits.count == 2, "found again")

        bench.path.set(isUp: true)
        let first = await bench.transport.transmission(1)
        try expect(first.id == sent, "in order, under the same ID")
        try await bench.pass(.seconds(60))
        try expect(try client.reader.conversation(Trip.id, limit: 100).exists, "it stays")
      }
    }
  }

  // H5
  @Test func `a message after the deletion brings the conversation back with that message alone`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        try Trip.make(client)
        bench.transport.say(
          .items(
            [
              .conversation(
                IncomingConversation(id: Trip.id, title: "The trip", members: ["alice", "bob", "carol"])),
              .message(eg.incoming("a", in: Trip.id, "old", order: 1)),
              .message(eg.incoming("b", in: Trip.id, "older", order: 2)),
            ], cursor: nil))
        try await bench.rest()
        try await client.conversation(Trip.id).delete()
        bench.transport.say(
          .items([.message(eg.incoming("c", in: Trip.id, "during", order: 3))], cursor: nil))
        try await bench.rest()
        try expect(
          try !client.reader.conversation(Trip.id, limit: 10).exists, "Undo is still offered")
        try await bench.pass(.seconds(10))
        try expect(try Trip.bodies(client) == ["during"], "\(try Trip.bodies(client))")

        try await client.conversation(Trip.id).delete()
        try await bench.pass(.seconds(10))
        try expect(try !client.reader.conversation(Trip.id, limit: 10).exists, "gone")
        // The server repeats an earlier message, and sends a change of a deleted one.
        bench.transport.say(
          .items(
            [
              .message(eg.incoming("a", in: Trip.id, "old", order: 1)),
              .message(eg.incoming("b", in: Trip.id, "older, edited", order: 2, revision: 1)),
              .conversation(
                IncomingConversation(id: Trip.id, title: "The trip", members: ["alice", "bob", "carol"])),
            ], cursor: nil))
        try await bench.rest()
        try expect(try !client.reader.conversation(Trip.id, limit: 10).exists, "it stays gone")
        bench.transport.say(
          .items([.message(eg.incoming("d", in: Trip.id, "after", order: 4))], cursor: nil))
        try await bench.rest()
        try expect(try Trip.bodies(client) == ["after"], "\(try Trip.bodies(client))")
        let members = try client.storedConversation(Trip.id)?.members
        try expect(members == ["alice", "bob", "carol"], "\(members ?? [])")
      }
    }
  }

  // H5, B3.2
  @Test(arguments: [true, false])
  func `what a server without numbers sends again does not bring back what was erased`(isDeletion: Bool)
    throws
  {
    try Bench.simulate { bench in
      try await bench.running { client in
        try Trip.make(client)
        bench.transport.say(.ready)
        let own = try client.send("mine", in: Trip.id)
        await bench.transport.transmission(1)
        bench.transport.say(.receipts([eg.receipt(own, in: Trip.id, order: nil, serverID: "$1")]))
        let waiting = try client.send("not answered", in: Trip.id)
        await bench.transport.transmission(2)
        let known: [IncomingItem] = [
          .message(eg.incoming(own, in: Trip.id, from: eg.user, "mine", order: nil, serverID: "$1")),
          .message(eg.incoming("a", in: Trip.id, "old", order: nil, serverID: "$2")),
          .message(eg.incoming("$3", in: Trip.id, "older", order: nil, serverID: "$3")),
        ]
        bench.transport.say(.items(known, cursor: nil))
        try await bench.rest()
        let trip = client.conversation(Trip.id)
        try await isDeletion ? trip.delete() : trip.empty()
        try await bench.pass(.seconds(10))
        bench.transport.say(
          .items(
            known.reversed() + [
              .message(eg.incoming("$2", in: Trip.id, "old", order: nil, serverID: "$2")),
              .message(eg.incoming(waiting, in: Trip.id, from: eg.user, order: nil, serverID: "$4")),
            ], cursor: nil))
        try await bench.rest()
        try expect(try client.reader.conversation(Trip.id, limit: 10).exists != isDeletion, "sent again")
        try expect(try Trip.bodies(client) == [], "\(try Trip.bodies(client))")
        bench.transport.say(
          .items([.message(eg.incoming("$5", in: Trip.id, "new", order: nil, serverID: "$5"))], cursor: nil))
        try await bench.rest()
        try expect(try Trip.bodies(client) == ["new"], "\(try Trip.bodies(client))")
      }
    }
  }

  // O6.1, H5
  @Test func `a message on its way is not sent again, and its echo does not bring the conversation back`()
    throws
  {
    try Bench.simulate(window: 4) { bench in
      try await bench.running { client in
        try Trip.make(client)
        try client.send("one", in: Trip.id)
        try client.send("two", in: Trip.id)
        let two = await bench.transport.transmission(2)
        try await client.conversation(Trip.id).delete()
        bench.transport.say(.refused(two.id, transmission: two.transmission, .rejected(eg.rejection)))
        try await bench.pass(.seconds(10))
        bench.transport.say(
          .items(
            [
              .message(eg.incoming(bench.transport.sent[0].id, in: Trip.id, from: eg.user, "one", order: 1))
            ],
            cursor: nil))
        try await bench.rest()
        try expect(try client.storedConversation(Trip.id) == nil, "it stays gone")
        try client.send("three", in: eg.conversation)
        let three = await bench.transport.transmission(3)
        try expect(three.text == "three", "nothing else has left")
      }
    }
  }

  // H5
  @Test func `creating the conversation again ends the Undo, and begins with nothing`() async throws {
    let bench = try Bench()
    let client = try bench.client()
    try Trip.make(client)
    try client.send("old", in: Trip.id)
    try await client.conversation(Trip.id).delete()
    try Trip.make(client)
    #expect(try client.reader.conversation(Trip.id, limit: 10).exists)
    #expect(try Trip.bodies(client) == [])
    await #expect(throws: ChatError.self) { try await client.conversation(Trip.id).undoDeletion() }
    try client.send("new", in: Trip.id)
    #expect(try Trip.bodies(client) == ["new"])
  }

  // H5
  @Test func `a conversation that gets the ID of a deleted one takes nothing of it`() async throws {
    let bench = try Bench()
    let client = try bench.client()
    try Trip.make(client)
    try client.send("old", in: Trip.id)
    try client.send("mine", in: eg.conversation)
    try await client.conversation(Trip.id).delete()
    try await client.conversation(eg.conversation).replaceID(with: Trip.id)
    #expect(try Trip.bodies(client) == ["mine"])
  }

  // H5.2
  @Test func `all are deleted behind a question, and only what it named`() async throws {
    let bench = try Bench()
    let client = try bench.client()
    try Trip.make(client)
    try client.send("one", in: Trip.id)
    client.drafts.edit("draft", in: eg.conversation)
    try client.hardSave()
    #expect(
      try client.conversation(Trip.id).deletionQuestion()
        == DeletionQuestion(conversation: Trip.id, conversations: 1, messages: 1, unsent: 1, drafts: 0))
    let outdated = try client.deletionQuestion()
    #expect(
      outdated == DeletionQuestion(conversation: nil, conversations: 2, messages: 1, unsent: 1, drafts: 1))
    try client.send("two", in: Trip.id)
    await #expect(throws: ChatError.self) { try await client.deleteAllConversations(confirmedBy: outdated) }
    let ofOne = try client.conversation(Trip.id).deletionQuestion()
    await #expect(throws: ChatError.self) { try await client.deleteAllConversations(confirmedBy: ofOne) }
    #expect(try client.reader.list(limit: 10).rows.count == 2)
    try await client.deleteAllConversations(confirmedBy: try client.deletionQuestion())
    #expect(try client.reader.list(limit: 10) == ConversationListSnapshot(rows: []))
    #expect(try client.outbox.unsentCount() == 0)
    #expect(client.drafts.text(in: eg.conversation) == "")
    await #expect(throws: ChatError.self) { try await client.conversation(Trip.id).undoDeletion() }
    #expect(throws: ChatError.self) { try client.conversation(Trip.id).deletionQuestion() }
    #expect(try client.deletionQuestion().conversations == 0)
  }

  // H3, H5.1
  @Test func `a reply that is being written in it ends, and Undo shows what had come`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        try Trip.make(client)
        let id = try await client.conversation(Trip.id).beginReply().id
        try await client.reply(id).append("half an answer")
        try await client.conversation(Trip.id).delete()
        do {
          try await client.reply(id).append(" more")
          throw Missed("nobody writes in it")
        } catch let error as ChatError { try expect(error.code == .unknownMessage, "\(error.code)") }
        try await client.conversation(Trip.id).undoDeletion()
        let rows = try client.reader.conversation(Trip.id, limit: 10).rows
        try expect(rows.map(\.text) == ["half an answer"], "\(rows)")
        try expect(rows.first?.status.state == .interrupted, "it is interrupted")
      }
    }
  }
}
