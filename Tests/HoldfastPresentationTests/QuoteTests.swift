import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// Quotes and the formatting of texts, in transit and on the screen (rule D1).
@Suite(.timeLimit(.minutes(10))) struct QuoteTests {
  private func answer(_ id: MessageID, to answered: MessageID, order: Int64) -> IncomingMessage {
    var message = eg.incoming(id, "yes", order: order)
    (message.replyTo, message.formatting) = (answered, Data([9]))
    return message
  }

  // D1.8, D1.10
  @Test func `the answered message and the formatting leave with a message, and an edit brings its own`()
    throws
  {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.send("yes", in: eg.conversation, replyTo: "question")
        let sent = await bench.transport.transmission(1)
        #expect(sent.replyTo == "question")
        #expect(sent.formatting == nil)
        try client.store.write {
          _ = try client.sharedStates.editor.edit(
            id, to: MessageContent.FormattedText("no", formatting: Data([7])), $0)
        }
        #expect(try client.rows().first?.formatting == Data([7]))
        bench.transport.say(.receipts([eg.receipt(id)]))
        let edit = await bench.transport.transmission(2)
        #expect(edit.text == "no")
        #expect(edit.formatting == Data([7]))
        bench.transport.say(.receipts([eg.receipt(edit.id, revision: nil)]))
        try await bench.rest()
        #expect(try client.rows().first?.formatting == Data([7]))
      }
    }
  }

  // D1.8
  @Test func `an answer shows what it answers, as that is now`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(
          .ready,
          .items(
            [
              .message(eg.incoming("question", from: eg.user, "\n coming?\nor not", order: 1)),
              .message(answer("answer", to: "question", order: 2)),
            ], cursor: nil))
        try await bench.rest()
        let row = try #require(try client.rows().last)
        #expect(
          row.quote
            == MessageRow.Quote(
              id: "question", sender: eg.user, isMine: true, excerpt: "coming?", isDeleted: false))
        #expect(row.formatting == Data([9]))
        #expect(try client.rows().first?.quote == nil)
        // The same when the answered message is not among the rows.
        #expect(try client.reader.conversation(eg.conversation, limit: 1).rows.map(\.quote) == [row.quote])
        try client.message("question").edit(to: "when?")
        #expect(try client.rows().last?.quote?.excerpt == "when?")
        bench.transport.say(
          .items(
            [.message(eg.incoming("question", from: eg.user, "", revision: 1, deletedAt: eg.date))],
            cursor: nil))
        try await bench.rest()
        let quote = try #require(try client.rows().last?.quote)
        #expect(quote.isDeleted && quote.excerpt.isEmpty)
        #expect(try client.reader.conversation(eg.conversation, limit: 1).rows.map(\.quote) == [quote])
      }
    }
  }

  // D1.8
  @Test func `a quote shows nothing of another conversation, and none is made up`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        try client.createConversation("secret")
        try client.send("the code is 1234", in: "secret")
        let secret = try #require(try client.reader.conversation("secret", limit: 1).rows.first?.id)
        bench.transport.say(
          .ready,
          .items(
            [
              .message(answer("a", to: secret, order: 1)), .message(answer("b", to: "nowhere", order: 2)),
            ], cursor: nil))
        try await bench.rest()
        let nothing = MessageRow.Quote(id: secret, sender: nil, isMine: false, excerpt: "", isDeleted: false)
        #expect(try client.rows().first?.quote == nothing)
        #expect(try client.rows().last?.quote?.sender == nil)
      }
    }
  }

  // D1
  @Test func `a deletion takes answer and formatting along`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready, .items([.message(answer("a", to: "q", order: 1))], cursor: nil))
        try await bench.rest()
        var gone = answer("a", to: "q", order: 1)
        (gone.revision, gone.deletedAt) = (1, eg.date)
        bench.transport.say(.items([.message(gone)], cursor: nil))
        try await bench.rest()
        let row = try #require(try client.rows().first)
        #expect(row.isDeleted && row.quote == nil && row.formatting == nil)
      }
    }
  }

  // D1.8, D1.10
  @Test func `an answer to an invalid ID is refused, and so is formatting that is too long`() throws {
    let bench = try Bench(maximumMessageBytes: 10)
    let client = try bench.client()
    #expect(throws: ChatError.self) { try client.send("hi", in: eg.conversation, replyTo: "") }
    #expect(
      throws: ChatError(
        .messageTooLong,
        "The formatting has 11 bytes, 10 are allowed. Shorten the text, or send it plain.")
    ) { try client.sender.send(MessageContent("hi", formatting: Data(count: 11)), in: eg.conversation.key) }
    let longest = MessageContent.FormattedText("hi", formatting: Data(count: 10))
    let checked = try client.store.write {
      try client.sender.validated(longest, isAlone: true, in: eg.conversation.key, $0)
    }
    #expect(checked == longest)
    #expect(try client.rows().isEmpty)
  }
}
