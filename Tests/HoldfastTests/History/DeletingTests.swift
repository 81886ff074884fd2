import Foundation
import Testing

@testable import Holdfast

private typealias eg = EngineExample

@Suite(.timeLimit(.minutes(10))) struct DeletingTests {
  static let trip: ConversationID = "trip"

  private static func makeTrip(_ client: ChatClient) throws {
    try client.createConversation(trip, members: [eg.user, eg.other])
  }

  private static func bodies(_ client: ChatClient) throws -> [String] {
    try client.conversationSnapshot(trip, limit: 100).rows.map(\.body)
  }

  private static func find(_ text: String, in bench: Bench) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: bench.scratch.url.path).filter { name in
      (try? bench.scratch.bytes(of: name))?.range(of: Data(text.utf8)) != nil
    }
  }

  private static func expect(_ condition: Bool, _ what: String) throws {
    if !condition { throw Missed(what) }
  }

  // H5, U18
  @Test func `a deleted conversation is nowhere to be seen, and Undo brings back everything`() throws {
    try Bench.simulate { bench in
      bench.transport.refuse(LinkFailure(.unreachable))
      try await bench.running { client in
        try Self.makeTrip(client)
        try client.setActiveConversation(Self.trip)
        try client.store.write {
          _ = try $0.take(eg.incoming("theirs", in: Self.trip, "from bob"), now: eg.date)
        }
        let sent = try client.send("unsent one", in: Self.trip)
        try client.send("unsent two", in: Self.trip)
        try client.react("👍", to: "theirs")
        client.edit("half a draft", in: Self.trip)
        let before = try client.conversationSnapshot(Self.trip, limit: 100)
        try await bench.pass(.seconds(3))

        try await client.deleteConversation(Self.trip)
        try Self.expect(try !client.conversationSnapshot(Self.trip, limit: 100).exists, "it is not there")
        let list = try client.listSnapshot(limit: 10)
        try Self.expect(!list.rows.contains { $0.id == Self.trip }, "not in the list")
        try Self.expect(list.undoable.map(\.id) == [Self.trip], "Undo is offered")
        try Self.expect(try client.unsentCount() == 0, "nothing of it is unsent")
        try Self.expect(try client.search("unsent bob").hits.isEmpty, "not found")
        try Self.expect(try client.search("unsent").hits.isEmpty, "not found")
        try Self.expect(try client.activeConversation() == nil, "it is not the active one")
        try Self.expect(client.draftText(in: Self.trip) == "", "the composer is empty")
        do {
          try client.send("no", in: Self.trip)
          throw Missed("a deleted conversation takes no message")
        } catch let error as ChatError {
          try Self.expect(error.code == .unknownConversation, "\(error.code)")
        }
        do {
          _ = try client.react("👎", to: "theirs")
          throw Missed("a message of it takes no reaction")
        } catch let error as ChatError { try Self.expect(error.code == .unknownMessage, "\(error.code)") }

        try await bench.pass(.seconds(7))
        try await client.undoDeletion(of: Self.trip)
        let after = try client.conversationSnapshot(Self.trip, limit: 100)
        try Self.expect(after == before, "\(after) is not \(before)")
        try Self.expect(client.draftText(in: Self.trip) == "half a draft", "the draft is back")
        try Self.expect(try client.unsentCount() == 3, "two messages and a reaction")
        try Self.expect(try client.activeConversation() == Self.trip, "it is the active one again")
        try Self.expect(try client.listSnapshot(limit: 10).undoable.isEmpty, "there is nothing to undo")
        try Self.expect(try client.search("unsent").hits.count == 2, "found again")

        bench.transport.refuse(nil)
        await client.reconnectNow()
        let first = await bench.transport.departure(1)
        try Self.expect(first.id == sent, "in order, under the same ID")
        try await bench.pass(.seconds(60))
        try Self.expect(try client.conversationSnapshot(Self.trip, limit: 100).exists, "it stays")
      }
    }
  }

  // H5, S9, U18
  @Test func `after eight seconds it is erased, and no file has anything of it`() throws {
    try Bench.simulate { bench in
      bench.transport.refuse(LinkFailure(.unreachable))
      try await bench.running { client in
        try Self.makeTrip(client)
        for number in 0..<450 {
          let body = number == 17 ? "seventeen quixotic" : "number \(number)"
          try client.store.write {
            _ = try $0.take(
              eg.incoming(
                MessageID(rawValue: "m\(number)"), in: Self.trip, body, order: Int64(number + 1)),
              now: eg.date)
          }
        }
        try client.send("zanzibar unsent", in: Self.trip)
        client.edit("version with mandolin in it", in: Self.trip)
        try client.hardSave()
        client.edit("draft", in: Self.trip)
        try client.hardSave()
        try await bench.pass(.seconds(5))
        try Self.expect(try !Self.find("quixotic", in: bench).isEmpty, "it was there")
        try await client.deleteConversation(Self.trip)
        try await bench.pass(.seconds(60))
        do {
          try await client.undoDeletion(of: Self.trip)
          throw Missed("it is too late")
        } catch let error as ChatError { try Self.expect(error.code == .tooLate, "\(error.code)") }
        try Self.expect(try client.listSnapshot(limit: 10).undoable.isEmpty, "Undo is not offered any more")
        for word in ["quixotic", "zanzibar", "mandolin", "seventeen"] {
          let files = try Self.find(word, in: bench)
          try Self.expect(files.isEmpty, "\(word) is in \(files)")
        }
        try Self.expect(try client.store.read { try $0.conversation(Self.trip) } == nil, "the row is gone")
      }
    }
  }

  // H5
  @Test func `an app that is killed while Undo is offered erases it at the next launch`() throws {
    try Bench.simulate { bench in
      do {
        let client = try bench.client(isSimulated: true)
        try Self.makeTrip(client)
        try client.send("quixotic", in: Self.trip)
        try await client.deleteConversation(Self.trip)
      }
      do {
        let client = try bench.client(isSimulated: true)
        try Self.expect(try !client.conversationSnapshot(Self.trip, limit: 10).exists, "it stays hidden")
        try Self.expect(try client.unsentCount() == 0, "and unsent")
      }
      try await bench.running { client in
        try await bench.pass(.seconds(10))
        try Self.expect(try client.store.read { try $0.conversation(Self.trip) } == nil, "the row is gone")
        try Self.expect(try Self.find("quixotic", in: bench).isEmpty, "and the text")
      }
    }
  }

  // H5
  @Test func `what others write after the deletion brings it back with that alone`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        try Self.makeTrip(client)
        bench.transport.say(
          .items(
            [
              .conversation(
                IncomingConversation(id: Self.trip, title: "The trip", members: ["alice", "bob", "carol"])),
              .message(eg.incoming("a", in: Self.trip, "old", order: 1)),
              .message(eg.incoming("b", in: Self.trip, "older", order: 2)),
            ], cursor: nil))
        try await bench.rest()
        try await client.deleteConversation(Self.trip)
        bench.transport.say(
          .items([.message(eg.incoming("c", in: Self.trip, "during", order: 3))], cursor: nil))
        try await bench.rest()
        try Self.expect(
          try !client.conversationSnapshot(Self.trip, limit: 10).exists, "Undo is still offered")
        try await bench.pass(.seconds(10))
        try Self.expect(try Self.bodies(client) == ["during"], "\(try Self.bodies(client))")

        try await client.deleteConversation(Self.trip)
        try await bench.pass(.seconds(10))
        try Self.expect(try !client.conversationSnapshot(Self.trip, limit: 10).exists, "gone")
        // The server tells again what it told, and of a change of what was deleted.
        bench.transport.say(
          .items(
            [
              .message(eg.incoming("a", in: Self.trip, "old", order: 1)),
              .message(eg.incoming("b", in: Self.trip, "older, edited", order: 2, revision: 1)),
              .conversation(
                IncomingConversation(id: Self.trip, title: "The trip", members: ["alice", "bob", "carol"])),
            ], cursor: nil))
        try await bench.rest()
        try Self.expect(try !client.conversationSnapshot(Self.trip, limit: 10).exists, "it stays gone")
        bench.transport.say(
          .items([.message(eg.incoming("d", in: Self.trip, "after", order: 4))], cursor: nil))
        try await bench.rest()
        try Self.expect(try Self.bodies(client) == ["after"], "\(try Self.bodies(client))")
        let members = try client.store.read { try $0.conversation(Self.trip) }?.members
        try Self.expect(members == ["alice", "bob", "carol"], "\(members ?? [])")
      }
    }
  }

  // H5, O6
  @Test func `what is on its way is not sent again, and its echo does not bring the conversation back`()
    throws
  {
    try Bench.simulate(window: 4) { bench in
      try await bench.running { client in
        try Self.makeTrip(client)
        try client.send("one", in: Self.trip)
        try client.send("two", in: Self.trip)
        let two = await bench.transport.departure(2)
        try await client.deleteConversation(Self.trip)
        bench.transport.say(.refused(two.id, handover: two.handover, .rejected(eg.rejection)))
        try await bench.pass(.seconds(10))
        bench.transport.say(
          .items(
            [
              .message(eg.incoming(bench.transport.sent[0].id, in: Self.trip, from: eg.user, "one", order: 1))
            ],
            cursor: nil))
        try await bench.rest()
        try Self.expect(try client.store.read { try $0.conversation(Self.trip) } == nil, "it stays gone")
        try client.send("three", in: eg.conversation)
        let three = await bench.transport.departure(3)
        try Self.expect(three.body == "three", "nothing else has left")
      }
    }
  }

  // H5
  @Test func `whoever makes it anew ends the Undo, and begins with nothing`() async throws {
    let bench = try Bench()
    let client = try bench.client()
    try Self.makeTrip(client)
    try client.send("old", in: Self.trip)
    try await client.deleteConversation(Self.trip)
    try Self.makeTrip(client)
    #expect(try client.conversationSnapshot(Self.trip, limit: 10).exists)
    #expect(try Self.bodies(client) == [])
    await #expect(throws: ChatError.self) { try await client.undoDeletion(of: Self.trip) }
    try client.send("new", in: Self.trip)
    #expect(try Self.bodies(client) == ["new"])
  }

  // H5, D16
  @Test func `the files of a deleted conversation go with it, and not before Undo is over`() async throws {
    let bench = try Bench(carriesAttachments: true)
    let client = try bench.client()
    try Self.makeTrip(client)
    try client.attach(Data("picture of a walrus".utf8), name: "walrus.png", in: Self.trip)
    try client.sendDraft(in: Self.trip)
    try client.attach(Data("picture of a narwhal".utf8), name: "narwhal.png", in: Self.trip)
    try await client.deleteConversation(Self.trip)
    #expect(try Self.find("walrus", in: bench).count > 1)
    try await client.undoDeletion(of: Self.trip)
    #expect(client.draftAttachments(in: Self.trip).map(\.name) == ["narwhal.png"])
    try await client.deleteAllConversations(confirmedBy: try client.deletionQuestion())
    while try client.store.write({ try $0.eraseSome(of: Self.trip, limit: 1) }) {}
    #expect(try client.auditAttachments(isSwept: false) == AttachmentAudit())
    try client.store.emptyJournal()
    for word in ["walrus", "narwhal"] { #expect(try Self.find(word, in: bench).isEmpty, "\(word)") }
  }

  // H5
  @Test func `a conversation that gets the ID of a deleted one takes nothing of it`() async throws {
    let bench = try Bench()
    let client = try bench.client()
    try Self.makeTrip(client)
    try client.send("old", in: Self.trip)
    try client.send("mine", in: eg.conversation)
    try await client.deleteConversation(Self.trip)
    try await client.renameConversation(eg.conversation, to: Self.trip)
    #expect(try Self.bodies(client) == ["mine"])
  }

  // H5
  @Test func `all are deleted behind a question, and only what it told of`() async throws {
    let bench = try Bench()
    let client = try bench.client()
    try Self.makeTrip(client)
    try client.send("one", in: Self.trip)
    client.edit("draft", in: eg.conversation)
    try client.hardSave()
    #expect(
      try client.deletionQuestion(for: Self.trip)
        == DeletionQuestion(conversation: Self.trip, conversations: 1, messages: 1, unsent: 1, drafts: 0))
    let outdated = try client.deletionQuestion()
    #expect(
      outdated == DeletionQuestion(conversation: nil, conversations: 2, messages: 1, unsent: 1, drafts: 1))
    try client.send("two", in: Self.trip)
    await #expect(throws: ChatError.self) { try await client.deleteAllConversations(confirmedBy: outdated) }
    let ofOne = try client.deletionQuestion(for: Self.trip)
    await #expect(throws: ChatError.self) { try await client.deleteAllConversations(confirmedBy: ofOne) }
    #expect(try client.listSnapshot(limit: 10).rows.count == 2)
    try await client.deleteAllConversations(confirmedBy: try client.deletionQuestion())
    #expect(try client.listSnapshot(limit: 10) == ConversationListSnapshot(rows: []))
    #expect(try client.unsentCount() == 0)
    #expect(client.draftText(in: eg.conversation) == "")
    await #expect(throws: ChatError.self) { try await client.undoDeletion(of: Self.trip) }
    #expect(throws: ChatError.self) { try client.deletionQuestion(for: Self.trip) }
    #expect(try client.deletionQuestion().conversations == 0)
  }

  // H5
  @Test func `all that was deleted is erased by run()`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        try Self.makeTrip(client)
        try client.send("quixotic", in: Self.trip)
        client.edit("zanzibar", in: eg.conversation)
        try client.hardSave()
        try await bench.pass(.seconds(5))
        try await client.deleteConversation(Self.trip)
        try await client.deleteAllConversations(confirmedBy: try client.deletionQuestion())
        try await bench.pass(.seconds(20))
        for word in ["quixotic", "zanzibar"] {
          try Self.expect(try Self.find(word, in: bench).isEmpty, word)
        }
      }
    }
  }

  // H5, H3
  @Test func `a reply that is being written in it ends, and Undo shows what had come`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        try Self.makeTrip(client)
        let id = try await client.beginStream(in: Self.trip)
        try await client.append("half an answer", to: id)
        try await client.deleteConversation(Self.trip)
        do {
          try await client.append(" more", to: id)
          throw Missed("nobody writes in it")
        } catch let error as ChatError { try Self.expect(error.code == .unknownMessage, "\(error.code)") }
        try await client.undoDeletion(of: Self.trip)
        let rows = try client.conversationSnapshot(Self.trip, limit: 10).rows
        try Self.expect(rows.map(\.body) == ["half an answer"], "\(rows)")
        try Self.expect(rows.first?.completeness == .interrupted, "it is interrupted")
      }
    }
  }

  // H5, O15
  @Test func `another process on the store sees the deletion and the Undo, and erases only after it`() throws
  {
    try Bench.simulate { bench in
      let shared = SharedBench(bench)
      let app = try shared.client(shared.app)
      let other = try shared.client(shared.other)
      try Self.makeTrip(app)
      try app.send("one", in: Self.trip)
      try await shared.running(other) {
        try await app.deleteConversation(Self.trip)
        await other.noticeOthers()
        try Self.expect(try !other.conversationSnapshot(Self.trip, limit: 10).exists, "hidden there too")
        try Self.expect(try other.listSnapshot(limit: 10).undoable.isEmpty, "Undo is not its own to offer")
        try await bench.pass(.seconds(7))
        try await app.undoDeletion(of: Self.trip)
        await other.noticeOthers()
        try Self.expect(try Self.bodies(other) == ["one"], "back there too")
        try await bench.pass(.seconds(60))
        try Self.expect(try Self.bodies(other) == ["one"], "and it stays")
        try await app.deleteConversation(Self.trip)
        await other.noticeOthers()
        try await bench.pass(.seconds(60))
        try Self.expect(
          try other.store.read { try $0.conversation(Self.trip) } == nil, "erased by the one that runs")
      }
    }
  }
}
