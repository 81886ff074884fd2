import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastAssistant
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// An assistant whose model answers, is slow, fails or is cut off (rules B10, A6).
@Suite(.timeLimit(.minutes(10))) struct ModelAssistantTests {
  typealias Step = ScriptedModel.Step
  private static let answer: [Step] = [
    .part(.reasoning("Hm.")), .part(.text("Hel")), .pause(.seconds(1)), .part(.text("lo")),
    .part(.end(ModelEnd(.stop, word: "stop", usage: ModelUsage(input: 3, output: 2)))),
  ]

  /// Runs an assistant beside `body`.
  private static func running(
    _ scripts: [[Step]], continuesAnswers: Bool = true,
    fields: Set<TransportCapabilities.Field> = Set(TransportCapabilities.Field.allCases),
    _ body: @escaping @Sendable (Bench, ChatClient, Assistant, ScriptedModel) async throws -> Void
  ) throws {
    try Bench.simulate(fields: fields) { bench in
      try await bench.running { client in
        let model = ScriptedModel(bench, continuesAnswers: continuesAnswers, scripts)
        let assistant = Assistant(client, "claude", model: model)
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { await assistant.run() }
          defer { group.cancelAll() }
          try await body(bench, client, assistant, model)
        }
      }
    }
  }

  // B10.2, A6.4, L5.1
  @Test func `a question gets one answer, with its reasoning and what it cost`() throws {
    try Self.running([Self.answer]) { bench, client, assistant, model in
      let answer = try await assistant.ask("Hello?", in: eg.conversation)
      try await bench.pass(.milliseconds(500))
      #expect(try client.row(answer).text == "Hel")
      #expect(try client.row(answer).status.state == .streaming)
      try await bench.pass(.seconds(1))
      let row = try client.row(answer)
      #expect((row.text, row.reasoning, row.sender) == ("Hello", "Hm.", assistant.member))
      #expect(row.status.isComplete)
      let note = row.metadata.flatMap(AnswerNote.init)
      let usage = ModelUsage(input: 3, output: 2)
      let end = ModelEnd(.stop, word: "stop", usage: usage)
      #expect(note == AnswerNote(model: "m", end: end, requests: 1, usage: usage))
      #expect(model.prompts == [ModelPrompt("Hello?")])
      #expect(try client.processingRequests().isEmpty)
    }
  }

  // A6.2
  @Test func `a question with pictures or files is refused before it is stored`() throws {
    try Self.running([Self.answer]) { bench, client, assistant, model in
      for content in [
        MessageContent("What is this?", images: ["a.png"]), MessageContent("And this?", videos: ["b.mp4"]),
      ] {
        await #expect(throws: ChatError.readsTextAlone) {
          try await assistant.ask(content, in: eg.conversation)
        }
      }
      let rows = try client.reader.conversation(eg.conversation, limit: 10).rows
      #expect(rows.isEmpty && model.prompts.isEmpty)
    }
  }

  // B10.3, A6.3
  @Test(arguments: [
    ([Step.part(.text("Hel"))], MessageStatus.State.interrupted, "Hel"),
    ([.part(.text("Hel")), .fail(ModelError(.cutOff, "Cut off."))], .interrupted, "Hel"),
    ([.part(.text("Hel")), .fail(ModelError(.silent, "Silent."))], .interrupted, "Hel"),
    ([.part(.text("Hel")), .fail(ModelError(.serverFailed, "Broken."))], .failed, "Hel"),
    ([.fail(ModelError(.cutOff, "Cut off."))], .failed, ""),
    ([.fail(ModelError(.unauthorized, "No key."))], .failed, ""),
    ([], .failed, ""), ([.part(.end(ModelEnd()))], .failed, ""),
    ([.part(.reasoning("Hm.")), .part(.end(ModelEnd(.length)))], .failed, ""),
    ([.part(.reasoning("Hm."))], .interrupted, ""),
  ]) func `an answer without a normal end keeps what came, and is not asked for again`(
    script: [Step], state: MessageStatus.State, text: String
  ) throws {
    try Self.running([script, Self.answer]) { bench, client, assistant, model in
      let answer = try await assistant.ask("Hello?", in: eg.conversation)
      try await bench.pass(.seconds(3_600))
      let row = try client.row(answer)
      #expect((row.status.state, row.text) == (state, text))
      #expect((row.status.failure != nil) == (state == .failed))
      #expect(model.prompts.count == 1)
      try await assistant.retry(answer)
      try await bench.pass(.seconds(2))
      #expect(try client.rows().map(\.text) == ["Hello?", "Hello"])
      #expect(model.prompts == [ModelPrompt("Hello?"), ModelPrompt("Hello?")])
      let costs = try assistant.costs(in: eg.conversation)
      #expect(costs.usage.output == 2)
      // An error that names no requests counts as none.
      #expect([1, 2].contains(costs.requests))
    }
  }

  private static let tooLong: [Step] = [.fail(ModelError(.promptTooLong, "Too long."))]

  // L16.4, B10.2
  @Test func `a prompt that is too long is asked again once, with fewer turns, and the next one keeps to it`()
    throws
  {
    let words = (1...4).map { "\($0) " + String(repeating: "word ", count: 200) }
    try Self.running([Self.answer, Self.answer, Self.answer, Self.tooLong, Self.answer]) {
      bench, client, assistant, model in
      for question in words.prefix(3) {
        try await assistant.ask(question, in: eg.conversation)
        try await bench.pass(.seconds(2))
      }
      let long = try await assistant.ask(words[3], in: eg.conversation)
      try await bench.pass(.seconds(2))
      #expect(try client.row(long).text == "Hello")
      let counts = model.prompts.map(\.turns.count)
      #expect(Array(counts.prefix(4)) == [1, 3, 5, 7])
      #expect(counts[4] < 7 && model.prompts[4].turns.last?.text.hasPrefix("4 ") == true)
      #expect(counts.count == 5)
      let note = try #require(try client.row(long).metadata.flatMap(AnswerNote.init))
      #expect(note.leftOut == 7 - counts[4])
      #expect(note.requests == 1, "An error that names no requests was no request.")
      let next = try await assistant.ask("And now?", in: eg.conversation)
      try await bench.pass(.seconds(2))
      #expect(try client.row(next).text == "Hello")
      #expect(model.prompts.count == 6)
      #expect(model.prompts[5].turns.reduce(0) { $0 + $1.text.utf8.count } <= note.promptBytes ?? 0)
      #expect(try client.row(next).metadata.flatMap(AnswerNote.init)?.leftOut ?? 0 > 0)
    }
  }

  // L16.4
  @Test func `a prompt that is too long twice fails, and what was learned of it helps the next one`() throws {
    let words = (1...3).map { "\($0) " + String(repeating: "word ", count: 200) }
    try Self.running([Self.answer, Self.answer, Self.tooLong, Self.tooLong, Self.answer]) {
      bench, client, assistant, model in
      for question in words {
        try await assistant.ask(question, in: eg.conversation)
        try await bench.pass(.seconds(2))
      }
      let failed = try #require(try client.rows().last)
      #expect((failed.status.state, failed.status.failure?.explanation) == (.failed, "Too long."))
      #expect(model.prompts.count == 4)
      try await assistant.retry(failed.id)
      try await bench.pass(.seconds(2))
      #expect(try client.row(failed.id).text == "Hello")
      #expect(model.prompts.count == 5)
      #expect(model.prompts[4].byteCount < model.prompts[3].byteCount || model.prompts[4].turns.count == 1)
    }
  }

  // L16.4
  @Test func `nothing is asked again behind a word`() throws {
    let glued: [Step] = [.part(.text("Half an answer"))] + Self.tooLong
    try Self.running([Self.answer, glued, Self.answer]) { bench, client, assistant, model in
      try await assistant.ask("Hello?", in: eg.conversation)
      try await bench.pass(.seconds(2))
      let answer = try await assistant.ask("And now?", in: eg.conversation)
      try await bench.pass(.seconds(2))
      #expect(try client.row(answer).text == "Half an answer")
      #expect(try client.row(answer).status.state == .failed)
      #expect(model.prompts.count == 2)
    }
  }

  // L16.4
  @Test func `a question that is too long alone is asked once`() throws {
    try Self.running([Self.tooLong]) { bench, client, assistant, model in
      let answer = try await assistant.ask("Hello?", in: eg.conversation)
      try await bench.pass(.seconds(2))
      #expect(try client.row(answer).status.state == .failed)
      #expect(model.prompts.count == 1)
    }
  }

  // L16.7
  @Test(arguments: [
    (ModelEnd(.length), true, "The model reached its limit while it was still thinking."),
    (ModelEnd(.length), false, "The model reached its limit while it was still thinking."),
    (
      ModelEnd(.length, usage: ModelUsage(input: 9, output: 0)), false,
      "The conversation leaves no room for an answer."
    ),
    (ModelEnd(.stop), true, "The model thought, and gave no answer."),
    (ModelEnd(.stop), false, "The model gave no answer."),
    (ModelEnd(.filter), false, "The service withheld the answer."),
    (
      ModelEnd(.tools, toolCalls: [ModelToolCall(name: "tide", arguments: "{}")]), true,
      "The model wants to call a tool, and none is offered to it."
    ),
  ]) func `an answer that ends without a word says why, to a person`(
    end: ModelEnd, thinks: Bool, sentence: String
  ) throws {
    let thought: [Step] = thinks ? [.part(.reasoning("Hm."))] : []
    try Self.running([thought + [.part(.end(end))]]) { bench, client, assistant, model in
      let answer = try await assistant.ask("Hello?", in: eg.conversation)
      try await bench.pass(.seconds(2))
      let row = try client.row(answer)
      #expect(row.status.failure?.explanation == sentence)
      #expect(row.metadata.flatMap(AnswerNote.init)?.end?.toolCalls == end.toolCalls)
      #expect(row.reasoning == (thinks ? "Hm." : nil))
    }
  }

  // E4.1
  @Test func `an answer without an end is cut off behind a megabyte, and what came is kept`() throws {
    let piece = String(repeating: "again and again ", count: 4_096)
    let endless = [Step](repeating: .part(.text(piece)), count: 100)
    try Self.running([endless, Self.answer]) { bench, client, assistant, model in
      let answer = try await assistant.ask("Hello?", in: eg.conversation)
      try await bench.pass(.seconds(3_600))
      let row = try client.row(answer)
      #expect(row.status.state == .interrupted)
      #expect(row.text == String(repeating: piece, count: 17))
      #expect(model.prompts.count == 1)
    }
  }

  // A6.3, L9.2
  @Test func `Stop keeps the words so far, and Continue goes on behind them`() throws {
    try Self.running([Self.answer, [.part(.text("p!")), .part(.end(ModelEnd()))]]) {
      bench, client, assistant, model in
      let answer = try await assistant.ask("Hello?", in: eg.conversation)
      try await bench.pass(.milliseconds(500))
      try await assistant.stop(answer)
      try await bench.pass(.seconds(2))
      #expect(try client.row(answer).status.state == .interrupted)
      try await assistant.continueAnswer(answer)
      try await bench.pass(.seconds(2))
      #expect(try client.row(answer).text == "Help!")
      #expect(model.prompts.map(\.beginning) == [nil, "Hel"])
      #expect(try client.rows().count == 2)
    }
  }

  // A6.3
  @Test func `a model that does not go on with answers is not asked to`() throws {
    try Self.running([[.part(.text("Hel"))]], continuesAnswers: false) { bench, client, assistant, model in
      let answer = try await assistant.ask("Hello?", in: eg.conversation)
      try await bench.pass(.seconds(1))
      #expect(!assistant.continuesAnswers(in: eg.conversation))
      await #expect(throws: ChatError.self) { try await assistant.continueAnswer(answer) }
      #expect(try client.row(answer).status.state == .interrupted)
      #expect(model.prompts.count == 1)
    }
  }

  // A6.3, L10.5
  @Test func `an answer is written again whether it is whole or was cut off, whichever an app asks for`()
    throws
  {
    try Self.running([[.part(.text("Hel"))], Self.answer, Self.answer]) { bench, client, assistant, model in
      let chat = try client.createConversation("notes", isOnDevice: true)
      let answer = try await assistant.ask("Hello?", in: chat.id)
      try await bench.pass(.seconds(3_600))
      #expect(try chat.messages(last: 1)[0].status.state == .interrupted)
      try await assistant.regenerate(answer)
      try await bench.pass(.seconds(2))
      #expect(try chat.messages(last: 1)[0].text == "Hello")
      try await assistant.retry(answer)
      try await bench.pass(.seconds(2))
      #expect(model.prompts.count == 3)
      #expect(try client.message(answer).versions().map(\.text) == ["Hello"])
      await #expect(throws: ChatError.self) { try await assistant.retry("unknown") }
    }
  }

  // L10.5, L10.6, A6.3, A6.4
  @Test func `a whole answer is given again from its question, and all its costs are counted`() throws {
    let other: [Step] = [
      .part(.text("Good day")), .pause(.seconds(1)),
      .part(.end(ModelEnd(.stop, usage: ModelUsage(input: 3, output: 5)))),
    ]
    try Self.running([Self.answer, other, [.fail(ModelError(.unauthorized, "No key."))]]) {
      bench, client, assistant, model in
      let chat = try client.createConversation("notes", isOnDevice: true)
      let answer = try await assistant.ask("Hello?", in: chat.id)
      try await bench.pass(.seconds(2))
      try chat.send("Thanks")
      try await assistant.regenerate(answer)
      try await bench.pass(.milliseconds(500))
      let during = try chat.messages(last: 9)
      #expect(during.map(\.text) == ["Hello?", "Good day", "Thanks"])
      #expect(during[1].reasoning == nil)
      try await bench.pass(.seconds(2))
      let row = try chat.messages(last: 9)[1]
      #expect((row.text, row.status.state, row.versions, row.editedAt) == ("Good day", .delivered, 1, nil))
      #expect(model.prompts.allSatisfy { $0 == ModelPrompt("Hello?") })
      let note = row.metadata.flatMap(AnswerNote.init)
      #expect((note?.requests, note?.usage.output) == (1, 5))
      let earlier = try #require(try client.message(answer).versions().first).content
      #expect((earlier.text, earlier.reasoning) == ("Hello", "Hm."))
      #expect(earlier.metadata.flatMap(AnswerNote.init)?.usage.output == 2)
      // The reason is shown beside the earlier answer.
      try await assistant.regenerate(answer)
      try await bench.pass(.seconds(2))
      let failed = try chat.messages(last: 9)[1]
      #expect((failed.text, failed.status.state) == ("Good day", .failed))
      #expect(failed.status.failure?.explanation == "No key.")
      #expect(failed.actions == [.retryReply, .keepEarlierReply, .delete])
      let costs = AnswerCosts(requests: 2, usage: ModelUsage(input: 6, output: 7))
      #expect(try assistant.costs(in: chat.id).usage == costs.usage)
      try client.message(answer).delete()
      #expect(try chat.messages(last: 9).map(\.text) == ["Hello?", "Thanks"])
      #expect(try assistant.costs(in: chat.id).usage == costs.usage)
    }
  }

  // A6.2
  @Test func `an answer is asked for with what is in front of it, wherever it is`() throws {
    try Self.running([[], Self.answer]) { bench, client, assistant, model in
      let chat = try client.createConversation("notes", isOnDevice: true)
      let first = try await assistant.ask("First?", in: chat.id)
      try await bench.pass(.seconds(2))
      for number in 0..<500 { try chat.send("note \(number)") }
      try await assistant.retry(first)
      try await bench.pass(.seconds(2))
      #expect(model.prompts.map(\.turns) == [[.init(.user, "First?")], [.init(.user, "First?")]])
    }
  }

  // B10.2
  @Test func `another member's question is answered, and its mark is known by the question`() throws {
    try Self.running([Self.answer]) { bench, client, assistant, _ in
      bench.transport.say(.ready)
      bench.transport.say(.items([.message(eg.incoming("q", "Hello?", order: 1))], cursor: nil))
      try await bench.rest()
      let answer = try await assistant.answer("q", in: eg.conversation)
      #expect(try client.processingRequests().map(\.id) == ["q"])
      try await bench.pass(.seconds(2))
      let sent = await bench.transport.transmission(1)
      #expect((sent.id, sent.text, sent.content.request) == (answer, "Hello", "q"))
    }
  }

  // B7.1, B10.2
  @Test func `a server that keeps neither reasoning nor metadata gets the answer alone`() throws {
    try Self.running([Self.answer], fields: []) { bench, client, assistant, _ in
      let answer = try await assistant.ask("Hello?", in: eg.conversation)
      try await bench.pass(.seconds(2))
      let row = try client.row(answer)
      #expect((row.text, row.reasoning, row.metadata) == ("Hello", nil, nil))
      #expect(row.status.isComplete)
    }
  }

  // L9.1, B10.3
  @Test func `a question that was asked before a kill is not asked again after it`() async throws {
    let bench = try Bench()
    let model = ScriptedModel(bench, [Self.answer])
    let answer: MessageID
    do {
      let client = try bench.client()
      answer = try await Assistant(client, "claude", model: model).ask("Hello?", in: eg.conversation)
    }
    let client = try bench.client()
    let assistant = Assistant(client, "claude", model: model)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await assistant.run() }
      await Task.yield()
      group.cancelAll()
    }
    #expect(model.prompts.isEmpty)
    #expect(try client.row(answer).status.failure?.cause == .replyLost)
  }

  // L10.1, B10.2
  @Test func `a conversation has its own model, and one that is not there fails its answer`() throws {
    struct Unknown: LocalizedError { var errorDescription: String? { "There is no such model." } }
    try Bench.simulate { bench in
      try await bench.running { client in
        let large = ScriptedModel(bench, name: "large", [Self.answer])
        let assistant = Assistant(client, "claude") { name in
          guard name == "large" else { throw Unknown() }
          return large
        }
        let chat = client.conversation(eg.conversation)
        await withTaskGroup(of: Void.self) { group in
          group.addTask { await assistant.run() }
          defer { group.cancelAll() }
          do {
            let failed = try await assistant.ask("Hello?", in: chat.id)
            try await bench.pass(.seconds(2))
            #expect(try client.row(failed).status.failure?.explanation == "There is no such model.")
            try chat.setMetadata(
              JSONEncoder().encode(["assistant": Assistant.Settings(system: "Rhyme.", model: "large")]))
            try await assistant.retry(failed)
            try await bench.pass(.seconds(2))
            #expect(try client.row(failed).text == "Hello")
            #expect(large.prompts == [ModelPrompt("Hello?", system: "Rhyme.")])
          } catch { Issue.record(error) }
        }
      }
    }
  }

  // L9.2
  @Test func `an assistant that no longer runs interrupts what it writes`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let assistant = Assistant(client, "claude", model: ScriptedModel(bench, [Self.answer]))
        var answer: MessageID?
        await withTaskGroup(of: Void.self) { group in
          group.addTask { await assistant.run() }
          answer = try? await assistant.ask("Hello?", in: eg.conversation)
          try? await bench.pass(.milliseconds(500))
          group.cancelAll()
        }
        let row = try client.row(try #require(answer))
        #expect((row.text, row.status.state) == ("Hel", .interrupted))
        #expect(try assistant.costs(in: eg.conversation).requests == 1, "It was counted before it left.")
      }
    }
  }
}
