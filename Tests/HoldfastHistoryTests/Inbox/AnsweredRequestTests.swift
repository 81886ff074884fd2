import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

extension ChatClient {
  fileprivate nonisolated var processing: ProcessingRequest? {
    get throws { try reader.conversation(eg.conversation, limit: 10).processing }
  }
}

/// Requests of a process that was killed, with the real server (rule P1). Alice asks, and Bob's phone answers.
@Suite(.timeLimit(.minutes(10))) struct AnsweredRequestTests {
  private static let request: RequestID = "request"

  /// Alice asks a question and marks it as in progress. Then her phone is killed.
  private static func ask(_ bench: RelayBench) async throws {
    try await bench.running("alice") { alice in
      try alice.send("What is the weather like?", in: eg.conversation)
      try alice.conversation(eg.conversation).beginProcessing(request)
      try await bench.pass(.seconds(5))
    }
  }

  private static func questions(_ bench: RelayBench) -> [String] {
    bench.frames.compactMap { if case .ask(let ask) = $0 { ask.request } else { nil } }
  }

  // P1.1, P1.2, P1.3
  @Test func `a reply that was finished meanwhile clears the mark`() throws {
    try RelayBench.simulate { bench in
      try await Self.ask(bench)
      try await bench.running("bob") { bob in
        let reply = try await bob.conversation(eg.conversation).beginReply(answering: Self.request)
        try await reply.append("It rains.")
        try await reply.finish()
        try await bench.pass(.seconds(5))
      }
      #expect(try bench.client("alice").processing?.isInterrupted == true)
      try await bench.running("alice") { alice in
        try await bench.pass(.seconds(5))
        #expect(try alice.processing == nil)
        #expect(try alice.rows().map(\.text).last == "It rains.")
      }
    }
  }

  // P1.2, P1.3
  @Test(arguments: [RelayBench.Outcome.arrives, .isLost, .arrivesTwice, .cutsTheLink])
  func `the server's answer alone clears the mark of a request whose reply is here already`(
    outcome: RelayBench.Outcome
  ) throws {
    try RelayBench.simulate { bench in
      try await Self.ask(bench)
      try await bench.running("bob") { bob in
        try bob.conversation(eg.conversation).send(MessageContent("It rains.", request: Self.request))
        try await bench.pass(.seconds(5))
      }
      try await bench.running("alice") { alice in
        try await bench.pass(.seconds(5))
        try alice.conversation(eg.conversation).beginProcessing(Self.request)
      }
      #expect(try bench.client("alice").processing?.isInterrupted == true)
      let asked = Self.questions(bench).count
      let isFirst = Mutexed(true)
      bench.decide { frame in
        guard case .ask = frame else { return .arrives }
        return isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst ? outcome : .arrives
        }
      }
      try await bench.running("alice") { alice in
        try await bench.pass(.seconds(30))
        #expect(try alice.processing == nil)
        let isRepeated = outcome == .isLost || outcome == .cutsTheLink
        #expect(Self.questions(bench).count == asked + (isRepeated ? 2 : 1))
      }
    }
  }

  // P1.2, P1.3
  @Test func `a reply that is still being written keeps the mark under way, until it is finished`() throws {
    try RelayBench.simulate { bench in
      try await Self.ask(bench)
      try await bench.running("bob") { bob in
        let reply = try await bob.conversation(eg.conversation).beginReply(answering: Self.request)
        try await reply.append("It ")
        try await bench.pass(.seconds(5))
        try await bench.running("alice") { alice in
          #expect(try alice.processing?.isInterrupted == true)
          try await bench.pass(.seconds(5))
          #expect(try alice.processing?.isInterrupted == false)
          try await reply.append("rains.")
          try await reply.finish()
          try await bench.pass(.seconds(5))
          #expect(try alice.processing == nil, "On the same connection.")
        }
      }
      #expect(Self.questions(bench) == ["request"])
    }
  }

  // P1.1, P1.2
  @Test func `a request that nobody answers stays interrupted`() throws {
    try RelayBench.simulate { bench in
      try await Self.ask(bench)
      try await bench.running("alice") { alice in
        try await bench.pass(.seconds(60))
        #expect(try alice.processing?.isInterrupted == true)
      }
      #expect(Self.questions(bench) == ["request"])
    }
  }

  // P1.2
  @Test func `a reply whose writer is gone, or that was cut off here, leaves its request interrupted`() throws
  {
    try RelayBench.simulate { bench in
      try await Self.ask(bench)
      try await bench.running("bob") { bob in
        let reply = try await bob.conversation(eg.conversation).beginReply(answering: Self.request)
        try await reply.append("It ")
        try await bench.pass(.seconds(5))
      }
      try await bench.running("alice") { alice in
        try await bench.pass(.seconds(5))
        #expect(try alice.processing?.isInterrupted == true)
        let own = try await alice.conversation(eg.conversation).beginReply(answering: "own")
        try await own.append("I say ")
        try await bench.pass(.seconds(5))
        #expect(try alice.processing?.isInterrupted == false)
        try await own.interrupt()
        try await bench.pass(.seconds(5))
        #expect(try alice.processing?.isInterrupted == true)
        _ = try await alice.message(own.id).continueReply()
      }
      try await bench.running("alice") { alice in
        try await bench.pass(.seconds(5))
        #expect(try alice.processing?.isInterrupted == true)
      }
      #expect(Self.questions(bench) == ["request", "own", "own"])
    }
  }

  // P1.3
  @Test func `only an answer to the request in its own conversation clears the mark`() throws {
    let client = try Bench().client()
    try client.conversation(eg.conversation).beginProcessing(Self.request)
    func arrives(_ id: MessageID, in conversation: ConversationID = eg.conversation, to request: RequestID?)
      throws
    {
      var message = eg.incoming(id, in: conversation, order: nil)
      message.content.request = request
      try client.takeIn(message)
    }
    try arrives("one", to: nil)
    try arrives("two", to: "other")
    try arrives("three", in: "elsewhere", to: Self.request)
    #expect(try client.processing?.id == Self.request)
    try arrives("four", to: Self.request)
    #expect(try client.processing == nil)
  }

  // P1.3
  @Test func `an answer that this device sends or records clears the mark`() throws {
    let client = try Bench().client()
    let chat = client.conversation(eg.conversation)
    let acts: [() throws -> Void] = [
      { _ = try chat.send(MessageContent("an answer", request: Self.request)) },
      { _ = try chat.sendOnce(MessageContent("an answer", request: Self.request), id: "once") },
      {
        let content = MessageContent("an answer", request: Self.request)
        try chat.store(FinishedMessage(id: "recorded", sender: "bot", content: content, createdAt: eg.date))
      },
    ]
    for act in acts {
      try chat.beginProcessing(Self.request)
      try act()
      #expect(try client.processing == nil)
    }
  }

  // P1.2
  @Test func `requests of one ID in two conversations are both asked about`() throws {
    try Bench.simulate { bench in
      let client = try bench.client(isSimulated: true)
      try client.createConversation("elsewhere", members: ["alice", "bob"])
      for conversation in [eg.conversation, "elsewhere"] {
        try client.conversation(conversation).beginProcessing(Self.request)
      }
      try await bench.running { client in
        bench.transport.outcome(.finished)
        bench.transport.say(.ready)
        try await bench.pass(.seconds(1))
        #expect(bench.transport.requests == [Self.request, Self.request])
        #expect(try client.processingRequests().isEmpty)
      }
    }
  }
}
