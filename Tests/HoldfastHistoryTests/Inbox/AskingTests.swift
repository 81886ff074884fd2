import EngineFixtures
import Foundation
import Synchronization
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// Questions to an assistant, and the writing of its answers (rule L9).
@Suite(.timeLimit(.minutes(10))) struct AskingTests {
  private static let assistant = UserID.assistant("claude", of: eg.user)

  // L9.1
  @Test func `a question, its mark and the beginning of its reply are one commit`() async throws {
    let bench = try Bench()
    let client = try bench.client()
    let chat = client.conversation(eg.conversation)
    bench.gate.fail()
    await #expect(throws: ChatError.self) { try await chat.ask("Hello?", of: Self.assistant) }
    bench.gate.heal()
    #expect(try client.rows().isEmpty)
    #expect(try client.processingRequests().isEmpty)
    #expect(try client.outbox.health().waiting == 0)

    let before = bench.gate.commits
    let reply = try await chat.ask("Hello?", of: Self.assistant)
    #expect(bench.gate.commits == before + 1)
    let rows = try client.rows()
    #expect(rows.map(\.id) == [reply.question, reply.id])
    #expect(rows.map(\.sender) == [eg.user, Self.assistant])
    #expect(rows.map(\.status.state) == [.queued, .streaming])
    #expect(try client.processingRequests().map(\.id.rawValue) == [reply.question?.rawValue])
  }

  // L9.1, L4.1
  @Test func `a kill after a question leaves no question that nobody answers`() async throws {
    let bench = try Bench()
    _ = try await bench.client().conversation(eg.conversation).ask("Hello?", of: Self.assistant)
    let client = try bench.client()
    let rows = try client.rows()
    #expect(rows.map(\.text) == ["Hello?", ""])
    #expect(rows.last?.status.failure?.cause == .replyLost)
    #expect(rows.last?.actions == [.retryReply, .delete])
    #expect(try client.processingRequests().map(\.isInterrupted) == [true])
  }

  // L9.1
  @Test func `a question that cannot be sent begins no reply`() async throws {
    let bench = try Bench(maximumMessageBytes: 10)
    let client = try bench.client()
    let chat = client.conversation(eg.conversation)
    for (question, assistant) in [
      ("  ", Self.assistant), ("longer than ten", Self.assistant),
      ("Hello?", UserID.assistant("claude", of: eg.other)),
    ] {
      await #expect(throws: ChatError.self) { try await chat.ask(question, of: assistant) }
    }
    await #expect(throws: ChatError.self) {
      try await client.conversation("unknown").ask("Hello?", of: Self.assistant)
    }
    #expect(try client.rows().isEmpty)
    #expect(try client.processingRequests().isEmpty)
  }

  // L9.1
  @Test @MainActor func `the composer's text is asked, or stays where it is`() async throws {
    let bench = try Bench()
    let client = try bench.client()
    let composer = ComposerModel(client, eg.conversation)
    #expect(await composer.ask(Self.assistant) == nil)
    #expect(composer.problem?.code == .emptyMessage)
    composer.edit("Hello?")
    bench.gate.fail()
    #expect(await composer.ask(Self.assistant) == nil)
    bench.gate.heal()
    #expect(composer.snapshot.text == "Hello?")
    #expect(try client.rows().isEmpty)
    let reply = try #require(await composer.ask(Self.assistant))
    #expect((composer.snapshot.text, composer.problem) == ("", nil))
    #expect(try client.rows().map(\.id) == [reply.question, reply.id])
  }

  // L9.1
  @Test @MainActor func `a composer that edits a message sends the edit, and asks nothing`() async throws {
    let client = try Bench().client()
    let composer = ComposerModel(client, eg.conversation)
    let message = try client.send("Helo", in: eg.conversation)
    composer.beginEdit(message)
    composer.edit("Hello")
    #expect(await composer.ask(Self.assistant) == nil)
    #expect(try client.rows().map(\.text) == ["Hello"])
  }

  /// The ways in which an answer ends, and the reply that each leaves.
  enum Script: String, CaseIterable, Sendable {
    case words, nothing, fault, sentence, cancellation, finishes, interrupts, fails

    struct Named: LocalizedError { var errorDescription: String? { "The model is overloaded." } }
    struct Nameless: Error {}

    var ending: ReplyEnding {
      switch self {
      case .words, .finishes: .finished
      case .cancellation, .interrupts: .interrupted
      case .nothing: .failed(FailureReason(.replyEmpty))
      case .fault: .failed(FailureReason(.replyBroken))
      case .sentence, .fails: .failed(FailureReason(.replyFailed, "The model is overloaded."))
      }
    }

    func write(_ reply: ReplyHandle) async throws {
      if self != .nothing { try await reply.append("Hello") }
      switch self {
      case .words, .nothing: break
      case .fault: throw Nameless()
      case .sentence: throw Named()
      case .cancellation: throw CancellationError()
      case .finishes: try await reply.finish(metadata: Data("7 tokens".utf8))
      case .interrupts: try await reply.interrupt()
      case .fails: try await reply.fail("The model is overloaded.")
      }
    }

    /// The state of the row.
    var state: MessageStatus.State {
      switch ending {
      case .finished: .queued
      case .interrupted: .interrupted
      case .failed: .failed
      }
    }
  }

  // L9.2
  @Test(arguments: Script.allCases) func `a reply ends as its writing ends`(script: Script)
    async throws
  {
    let bench = try Bench()
    let client = try bench.client()
    let ending = try await client.conversation(eg.conversation)
      .answer(to: "Hello?", as: Self.assistant) { try await script.write($0) }
    #expect(ending == script.ending)
    for client in [client, try bench.client()] {
      let row = try #require(try client.rows().last)
      #expect(row.status.state == script.state)
      #expect(row.text == (script == .nothing ? "" : "Hello"))
      if case .failed(let reason) = ending { #expect(row.status.failure == reason) }
      #expect(try client.processingRequests().isEmpty == (ending == .finished))
    }
  }

  // L9.2
  @Test func `Stop ends the writing, and what had come is kept`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let reply = try await client.conversation(eg.conversation).ask("Hello?", of: Self.assistant)
        let wasCancelled = Mutexed(false)
        async let ending = reply.write { reply in
          try await reply.append("Hel")
          try? await bench.pass(.seconds(60))
          wasCancelled.withLock { $0 = Task.isCancelled }
          try await reply.append("lo")
        }
        try await bench.pass(.seconds(1))
        try await client.message(reply.id).stopReply()
        #expect(try await ending == .interrupted)
        #expect(wasCancelled.withLock { $0 })
        let row = try client.row(reply.id)
        #expect((row.text, row.status.state) == ("Hel", .interrupted))
        #expect(bench.scheduler.now < .seconds(50), "The writing was not waited for.")
      }
    }
  }

  // L9.2
  @Test func `a reply whose task is cancelled is interrupted, although its stream ends as at its end`() throws
  {
    try Bench.simulate { bench in
      try await bench.running { client in
        let reply = try await client.conversation(eg.conversation).ask("Hello?", of: Self.assistant)
        let (words, model) = AsyncStream<String>.makeStream()
        let ending = await withTaskGroup(of: ReplyEnding?.self) { group in
          group.addTask {
            try? await reply.write { reply in for await word in words { try await reply.append(word) } }
          }
          model.yield("Hel")
          try? await bench.pass(.seconds(1))
          group.cancelAll()
          return await group.next() ?? nil
        }
        #expect(ending == .interrupted)
        let row = try client.row(reply.id)
        #expect((row.text, row.status.state) == ("Hel", .interrupted))
      }
    }
  }

  // L9.2, H5.1
  @Test func `the writing ends with its conversation`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let chat = client.conversation(eg.conversation)
        let reply = try await chat.ask("Hello?", of: Self.assistant)
        async let ending = reply.write { reply in
          try await reply.append("Hel")
          try await bench.pass(.seconds(600))
        }
        try await bench.pass(.seconds(1))
        try await chat.delete()
        #expect(try await ending == .interrupted)
        #expect(bench.scheduler.now < .seconds(50))
      }
    }
  }

  // L9.2
  @Test func `a reply that nobody writes here is not written`() async throws {
    let client = try Bench().client()
    let reply = try await client.conversation(eg.conversation).ask("Hello?", of: Self.assistant)
    try await reply.interrupt()
    await #expect(throws: ChatError.self) { try await reply.write { try await $0.append("Hello") } }
    let again = try await client.message(reply.id).retryReply()
    #expect(try await again.write { try await $0.append("Hello") } == .finished)
  }

  // L9.2
  @Test func `a reply whose end cannot be stored is still being written, and ends later`() async throws {
    let bench = try Bench()
    let client = try bench.client()
    let reply = try await client.conversation(eg.conversation).ask("Hello?", of: Self.assistant)
    bench.gate.fail()
    await #expect(throws: ChatError.self) { try await reply.write { try await $0.append("Hello") } }
    bench.gate.heal()
    #expect(try client.row(reply.id).status.state == .streaming)
    try await reply.finish()
    #expect(try client.row(reply.id).text == "Hello")
  }

  // L9.1
  @Test func `a question leaves before its reply, and the reply names it`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let chat = client.conversation(eg.conversation)
        let reply = try await chat.ask("Hello?", of: Self.assistant)
        try await reply.write { try await $0.append("Hello") }
        let question = await bench.transport.transmission(1)
        #expect((question.id, question.text) == (reply.question, "Hello?"))
        bench.transport.say(.receipts([eg.receipt(question.id)]))
        let answer = await bench.transport.transmission(2)
        #expect((answer.id, answer.sender) == (reply.id, Self.assistant))
        #expect(answer.content.request?.rawValue == question.id.rawValue)
      }
    }
  }

  // H3.1, L9.2
  @Test func `a reply that nobody cuts off is never shown as interrupted, whenever it is looked at`()
    async throws
  {
    let client = try Bench(inMemory: true).client()
    let chat = try client.createConversation("device", isOnDevice: true)
    let isOver = Mutexed(false)
    try await withThrowingTaskGroup(of: [MessageStatus.State].self) { group in
      group.addTask {
        // This runs on a thread of its own: it reads the rows all the time.
        var seen: Set<MessageStatus.State> = []
        while !isOver.withLock({ $0 }) {
          for row in try chat.messages(last: 4) where row.role == .assistant { seen.insert(row.status.state) }
          await Task.yield()
        }
        return Array(seen)
      }
      for number in 0..<100 {
        try await chat.answer(to: "Question \(number)?", as: Self.assistant) { reply in
          for word in ["a", "b", "c"] { try await reply.append(word) }
        }
      }
      isOver.withLock { $0 = true }
      let seen = Set(try await group.next() ?? [])
      #expect(seen.isSubset(of: [.streaming, .delivered]), "\(seen)")
    }
  }
}
