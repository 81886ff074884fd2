import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

@Suite(.timeLimit(.minutes(10))) struct EmptyingTests {
  // L7.2, L7.3
  @Test func `an emptied conversation stays with its draft, and Undo brings back its messages`() throws {
    try Bench.simulate { bench in
      bench.path.set(isUp: false)
      try await bench.running { client in
        try await bench.rest()
        try Trip.make(client)
        try client.takeIn(eg.incoming("theirs", in: Trip.id, "from bob"))
        try client.send("unsent one", in: Trip.id)
        try client.message("theirs").react("👍")
        client.drafts.edit("half a draft", in: Trip.id)
        let before = try client.reader.conversation(Trip.id, limit: 100)
        let listed = try client.reader.list(limit: 10).rows.count
        let question = try client.conversation(Trip.id).emptyingQuestion()
        try expect((question.messages, question.unsent) == (2, 1), "\(question)")
        try expect(question.sentence.hasSuffix("The conversation stays."), question.sentence)

        try await client.conversation(Trip.id).empty()
        let emptied = try client.reader.conversation(Trip.id, limit: 100)
        try expect(emptied.exists && emptied.rows.isEmpty, "it is there, and empty")
        let list = try client.reader.list(limit: 10)
        try expect(list.rows.filter { $0.id == Trip.id }.map(\.unsentCount) == [0], "\(list.rows)")
        try expect(list.rows.count == listed, "no other conversation is shown")
        try expect(list.undoable.map(\.id) == [Trip.id] && list.undoable[0].isEmptied, "Undo is offered")
        try expect(try client.outbox.unsentCount() == 0, "nothing of it is unsent")
        try expect(try client.search("unsent bob").hits.isEmpty, "not found")
        try expect(client.drafts.text(in: Trip.id) == "half a draft", "the composer keeps its text")
        do {
          _ = try client.message("theirs").react("👎")
          throw Missed("a message of it takes no reaction")
        } catch let error as ChatError { try expect(error.code == .unknownMessage, "\(error.code)") }

        try await bench.pass(.seconds(7))
        try await client.conversation(Trip.id).undoEmptying()
        let after = try client.reader.conversation(Trip.id, limit: 100)
        try expect(after == before, "\(after) is not \(before)")
        try expect(try client.outbox.unsentCount() == 2, "a message and a reaction")
        try expect(try client.reader.list(limit: 10).undoable.isEmpty, "there is nothing to undo")
        try expect(try client.search("unsent").hits.count == 1, "found again")
      }
    }
  }

  // L7.2, O4.1
  @Test func `after Undo the older messages leave before those that were written since`() throws {
    try Bench.simulate { bench in
      bench.path.set(isUp: false)
      try await bench.running { client in
        try await bench.rest()
        try Trip.make(client)
        try client.send("first", in: Trip.id)
        try client.send("second", in: Trip.id)
        try await client.conversation(Trip.id).empty()
        try client.send("third", in: Trip.id)
        try await client.conversation(Trip.id).undoEmptying()
        try expect(try Trip.bodies(client) == ["first", "second", "third"], "\(try Trip.bodies(client))")
        bench.path.set(isUp: true)
        for (number, text) in ["first", "second", "third"].enumerated() {
          let sent = await bench.transport.transmission(number + 1)
          try expect(sent.text == text, "\(sent.text) is not \(text)")
          bench.transport.say(.receipts([eg.receipt(sent.id, in: Trip.id, order: Int64(number) + 1)]))
        }
      }
    }
  }

  // L7.2
  @Test func `after eight seconds the messages are erased, and no file has anything of them`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        try client.createConversation(Trip.id, members: [eg.user])
        try client.send("Unforgettable words", in: Trip.id)
        try client.send("Nobody answers", in: Trip.id)
        try await bench.pass(.seconds(1))
        try expect(
          try client.reader.list(limit: 10).rows.contains { $0.title == "Unforgettable words" }, "the title")
        try await client.conversation(Trip.id).empty()
        try await bench.pass(.seconds(30))
        do {
          try await client.conversation(Trip.id).undoEmptying()
          throw Missed("it is too late for Undo")
        } catch let error as ChatError { try expect(error.code == .tooLate, "\(error.code)") }
        try await client.enterBackground()
        let files = try bench.files(having: "Unforgettable")
        try expect(files.isEmpty, "\(files)")
        try expect(client.store.deletions.value.marks.isEmpty, "nothing is left to erase")
        try client.send("A new beginning", in: Trip.id)
        try expect(try Trip.bodies(client) == ["A new beginning"], "\(try Trip.bodies(client))")
        try expect(
          try client.reader.list(limit: 10).rows.first?.title == "A new beginning", "it gives a new title")
      }
    }
  }

  // L7.4
  @Test func `the server's repetitions stay away, and its later messages come`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        try Trip.make(client)
        bench.transport.say(
          .items(
            [
              .message(eg.incoming("a", in: Trip.id, "old", order: 1)),
              .message(eg.incoming("b", in: Trip.id, "older", order: 2)),
            ], cursor: nil))
        try await bench.rest()
        try await client.conversation(Trip.id).empty()
        try await bench.pass(.seconds(10))
        bench.transport.say(
          .items(
            [
              .message(eg.incoming("a", in: Trip.id, "old", order: 1)),
              .message(eg.incoming("b", in: Trip.id, "older, edited", order: 2, revision: 1)),
              .message(eg.incoming("c", in: Trip.id, "new", order: 3)),
            ], cursor: nil))
        try await bench.rest()
        try expect(try Trip.bodies(client) == ["new"], "\(try Trip.bodies(client))")
      }
    }
  }

  // L7.2
  @Test func `a change that comes while Undo is offered is there after Undo`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        try Trip.make(client)
        let message = eg.incoming("a", in: Trip.id, "Come at nine", order: 1)
        bench.transport.say(.items([.message(message)], cursor: nil))
        try await bench.rest()
        try await client.conversation(Trip.id).empty()
        bench.transport.say(
          .items(
            [
              .message(eg.incoming("a", in: Trip.id, "Come at ten", order: 1, revision: 1)),
              .message(eg.incoming("b", in: Trip.id, "Written meanwhile", order: 2)),
            ], cursor: nil))
        try await bench.rest()
        try expect(try Trip.bodies(client) == ["Written meanwhile"], "\(try Trip.bodies(client))")
        try await client.conversation(Trip.id).undoEmptying()
        let texts = try Trip.bodies(client)
        try expect(texts == ["Come at ten", "Written meanwhile"], "\(texts)")
      }
    }
  }

  // L7.2, O6.1
  @Test func `a message on its way is not sent again, and its echo does not bring it back`() throws {
    try Bench.simulate(window: 4) { bench in
      try await bench.running { client in
        try Trip.make(client)
        try client.send("one", in: Trip.id)
        let one = await bench.transport.transmission(1)
        try await client.conversation(Trip.id).empty()
        try client.send("two", in: Trip.id)
        let two = await bench.transport.transmission(2)
        try expect(two.text == "two", "it leaves at once")
        try await bench.pass(.seconds(10))
        bench.transport.say(
          .items(
            [
              .message(eg.incoming(one.id, in: Trip.id, from: eg.user, "one", order: 1)),
              .message(eg.incoming(two.id, in: Trip.id, from: eg.user, "two", order: 2)),
            ], cursor: nil))
        try await bench.rest()
        try expect(try Trip.bodies(client) == ["two"], "\(try Trip.bodies(client))")
        try expect(try client.outbox.unsentCount() == 0, "nothing waits")
      }
    }
  }

  // L7.2
  @Test func `a kill ends the Undo, and the next launch erases the messages`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        try Trip.make(client)
        try client.send("Unforgettable", in: Trip.id)
        try await client.conversation(Trip.id).empty()
      }
      try await bench.running { client in
        try expect(try client.reader.list(limit: 10).undoable.isEmpty, "nothing offers Undo")
        try await bench.pass(.seconds(30))
        try await client.enterBackground()
        try expect(try bench.files(having: "Unforgettable").isEmpty, "erased")
        try expect(try client.reader.conversation(Trip.id, limit: 10).exists, "the conversation stays")
      }
    }
  }

  // L7.2
  @Test func `emptying again, deleting and renaming leave nothing of what was emptied before`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        try Trip.make(client)
        try client.send("Unforgettable one", in: Trip.id)
        try await client.conversation(Trip.id).empty()
        try client.send("Unforgettable two", in: Trip.id)
        try await client.conversation(Trip.id).empty()
        try await client.conversation(Trip.id).replaceID(with: "journey")
        try await client.conversation("journey").undoEmptying()
        let rows = try client.reader.conversation("journey", limit: 10).rows.map(\.text)
        try expect(rows == ["Unforgettable two"], "\(rows)")
        try await client.conversation("journey").empty()
        try await client.conversation("journey").delete()
        try await client.conversation("journey").undoDeletion()
        try expect(try client.reader.conversation("journey", limit: 10).rows.isEmpty, "it is empty")
        do {
          try await client.conversation("journey").undoEmptying()
          throw Missed("the deletion has ended this Undo")
        } catch let error as ChatError { try expect(error.code == .tooLate, "\(error.code)") }
        try await bench.pass(.seconds(30))
        try await client.enterBackground()
        try expect(try bench.files(having: "Unforgettable").isEmpty, "erased")
      }
    }
  }

  // L7.2
  @Test func `a reply that is being written ends, and a new one is written on`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        try Trip.make(client)
        let id = try await client.conversation(Trip.id).beginReply().id
        try await client.reply(id).append("half an answer")
        try await client.conversation(Trip.id).empty()
        do {
          try await client.reply(id).append(" more")
          throw Missed("nobody writes it now")
        } catch let error as ChatError { try expect(error.code == .unknownMessage, "\(error.code)") }
        let second = try await client.conversation(Trip.id).beginReply()
        try await second.append("a new answer")
        // The engine applies deletions with each event, and must not change this reply.
        bench.transport.say(
          .items([.message(eg.incoming("theirs", in: Trip.id, "from bob", order: 1))], cursor: nil))
        try await bench.rest()
        try await second.append(", whole")
        try await second.finish()
        try await client.conversation(Trip.id).undoEmptying()
        let rows = try client.reader.conversation(Trip.id, limit: 10).rows
        try expect(
          rows.contains { $0.text == "half an answer" && $0.status.state == .interrupted }, "\(rows)")
        try expect(rows.contains { $0.text == "a new answer, whole" }, "\(rows)")
      }
    }
  }

  // L7.2, B13.3
  @Test func `messages that no server numbers are behind the emptied ones, and count as unread`()
    async throws
  {
    let bench = try Bench()
    let client = try bench.client()
    try client.createConversation("alone", members: [eg.user], isOnDevice: true)
    let chat = client.conversation("alone")
    for number in 1...3 {
      try chat.store(
        FinishedMessage(
          id: MessageID(rawValue: "m\(number)"), sender: "model", role: .assistant,
          content: MessageContent("\(number)"),
          createdAt: eg.date))
    }
    try chat.markRead()
    try await chat.empty()
    try chat.store(
      FinishedMessage(
        id: "m4", sender: "model", role: .assistant, content: MessageContent("four"), createdAt: eg.date))
    #expect(try client.reader.list(limit: 10).rows.first { $0.id == "alone" }?.unreadCount == 1)
    try await chat.undoEmptying()
    let rows = try client.reader.conversation("alone", limit: 10).rows
    #expect(rows.map(\.id) == ["m1", "m2", "m3", "m4"])
    #expect(try client.reader.list(limit: 10).rows.first { $0.id == "alone" }?.unreadCount == 1)
  }

  // L7.2
  @Test func `an unfinished edit goes with its message, and comes back with it`() async throws {
    let bench = try Bench()
    let client = try bench.client()
    try Trip.make(client)
    let id = try client.send("Buy bread", in: Trip.id)
    let composer = await ComposerModel(client, Trip.id)
    await composer.beginEdit(id)
    await composer.edit("Buy bread and", selection: nil)
    await composer.hardSave()
    try await client.conversation(Trip.id).empty()
    #expect(client.drafts.unfinishedEdit(in: Trip.id.key) == nil)
    try await client.conversation(Trip.id).undoEmptying()
    let edits = try client.store.read {
      try $0.drafts.restorable(DraftKey(conversation: Trip.id.key, slot: .edit))
    }
    #expect(edits?.content.text == "Buy bread and")
    #expect(edits?.editing == id)
  }
}
