import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// One test for each transition of a request that is in progress.
@Suite(.timeLimit(.minutes(10))) struct ProcessingTests {
  private func processing(_ client: ChatClient) throws -> ProcessingRequest? {
    try client.reader.conversation(eg.conversation, limit: 10).processing
  }

  // P1.1
  @Test func `a request is under way until it is answered`() throws {
    let bench = try Bench()
    let client = try bench.client()
    try client.conversation(eg.conversation).beginProcessing("first")
    #expect(
      try processing(client)
        == ProcessingRequest(
          id: "first", conversation: eg.conversation, isInterrupted: false, startedAt: eg.date))
    try client.conversation(eg.conversation).beginProcessing("second")
    try client.conversation(eg.conversation).endProcessing("first")
    #expect(try client.processingRequests().map(\.id) == ["second"])
    try client.conversation(eg.conversation).endProcessing("second")
    #expect(try processing(client) == nil)
    #expect(try client.processingRequests().isEmpty)
  }

  // P1
  @Test func `a request that cannot be marked is refused, and changes nothing`() throws {
    let bench = try Bench()
    let client = try bench.client()
    func code(_ body: () throws -> Void) -> ChatError.Code? {
      do { try body() } catch { return (error as? ChatError)?.code }
      return nil
    }
    #expect(code { try client.conversation(eg.conversation).beginProcessing("") } == .malformedID)
    #expect(code { try client.conversation("nowhere").beginProcessing("r") } == .unknownConversation)
    bench.gate.fail()
    #expect(code { try client.conversation(eg.conversation).beginProcessing("r") } == .storageFull)
    bench.gate.heal()
    #expect(code { try client.conversation(eg.conversation).endProcessing("") } == nil)
    #expect(try client.processingRequests().isEmpty)
  }

  // P1.1
  @Test func `under way -> interrupted by a kill, and under way again when its user retries`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        try client.conversation(eg.conversation).beginProcessing("request")
        bench.gate.fail()
      }
      bench.gate.heal()
      let client = try bench.client(isSimulated: true)
      #expect(try processing(client)?.isInterrupted == true)
      #expect(try client.processingRequests().map(\.isInterrupted) == [true])
      try client.conversation(eg.conversation).beginProcessing("request")
      #expect(try processing(client)?.isInterrupted == false)
    }
  }

  // P1.2, P1.3
  @Test func `at launch the backend is asked, once on each connection, and the mark goes with its answer`()
    throws
  {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try client.conversation(eg.conversation).beginProcessing("request")
        try await bench.rest()
        bench.transport.hangUp()
        try await bench.pass(.seconds(1))
        #expect(bench.transport.requests.isEmpty, "Its own process waits for the outcome.")
      }
      try await bench.running { client in
        #expect(try processing(client)?.isInterrupted == true)
        bench.transport.outcome(.running)
        bench.transport.say(.ready)
        try await bench.pass(.seconds(1))
        #expect(bench.transport.requests == ["request"])
        #expect(try processing(client)?.isInterrupted == false)
        bench.transport.outcome(.unknown)
        bench.transport.hangUp()
        try await bench.pass(.seconds(3))
        #expect(bench.transport.requests == ["request", "request"])
        #expect(try processing(client)?.isInterrupted == false)
      }
      try await bench.running { client in
        #expect(try processing(client)?.isInterrupted == true)
        bench.transport.outcome(.finished)
        bench.transport.say(.ready)
        try await bench.pass(.seconds(1))
        #expect(try processing(client) == nil)
      }
    }
  }

  // P1
  @Test
  func `a backend that takes its time keeps nothing waiting, and an answer that comes late is of no use`()
    throws
  {
    try Bench.simulate { bench in
      try bench.client(isSimulated: true).conversation(eg.conversation).beginProcessing("request")
      try await bench.running { client in
        bench.transport.outcome(nil)
        bench.transport.say(.ready)
        let id = try client.send("hello", in: eg.conversation)
        #expect(await bench.transport.transmission(1).id == id)
        try await bench.rest()
        #expect(bench.transport.requests == ["request"])
        try client.conversation(eg.conversation).beginProcessing("newer")
        bench.transport.outcome(.finished)
        try await bench.rest()
        #expect(try processing(client)?.id == "newer")
      }
    }
  }

  // H3, P1.1, P1.3
  @Test func `a reply marks its request, and leads it along`() throws {
    try Bench.simulate { bench in
      let began = Mutexed<MessageID?>(nil)
      try await bench.running { client in
        let id = try await client.conversation(eg.conversation).beginReply(answering: "request").id
        began.withLock { $0 = id }
        #expect(try processing(client)?.id == "request")
        try await client.reply(id).append("Hel")
        try await client.reply(id).interrupt()
        #expect(try processing(client)?.isInterrupted == true)
        _ = try await client.message(id).continueReply()
        #expect(try processing(client)?.isInterrupted == false)
        bench.gate.fail()
      }
      bench.gate.heal()
      let id = try #require(began.withLock { $0 })
      let client = try bench.client(isSimulated: true)
      #expect(try processing(client)?.isInterrupted == true)
      try await client.message(id).retryReply()
      #expect(try processing(client)?.isInterrupted == false)
      try await client.reply(id).append("Hello")
      try await client.reply(id).finish()
      #expect(try processing(client) == nil)
    }
  }

  // P1, H5
  @Test func `a deleted conversation asks for nothing, and a renamed one goes on asking`() throws {
    try Bench.simulate { bench in
      let client = try bench.client(isSimulated: true)
      try client.conversation(eg.conversation).beginProcessing("request")
      try await client.conversation(eg.conversation).replaceID(with: "renamed")
      #expect(try client.processingRequests().map(\.conversation) == ["renamed"])
      try await client.conversation("renamed").delete()
      #expect(try client.processingRequests().isEmpty)
    }
  }

  // P2.1, P2.2
  @Test func `work that is under way when the app is suspended and killed is on disk`() throws {
    try Bench.simulate { bench in
      bench.transport.refuse(ConnectionFailure(.unreachable))
      try await bench.running { client in
        try client.send("question", in: eg.conversation)
        let id = try await client.conversation(eg.conversation).beginReply(answering: "request").id
        try await client.reply(id).append("Hel", reasoning: "hm")
        try await client.suspend()
        bench.gate.fail()
      }
      bench.gate.heal()
      bench.transport.refuse(nil)
      try await bench.running { client in
        try await bench.rest()
        #expect(try client.bodies() == ["question", "Hel"])
        #expect(try client.rows().last?.reasoning == "hm")
        #expect(try client.rows().map(\.status.isComplete) == [true, false])
        #expect(try processing(client)?.id == "request")
        #expect(try client.outbox.unsentCount() == 1)
        bench.transport.say(.ready)
        #expect(await bench.transport.transmission(1).text == "question")
      }
    }
  }
}
