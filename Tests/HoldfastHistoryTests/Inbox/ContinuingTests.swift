import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// One test for each transition of a reply that is cut off.
@Suite(.timeLimit(.minutes(10))) struct ContinuingTests {
  /// Writes the beginning of a reply, and ends the app as a kill does: nothing is stored at the end.
  private func cutOff(
    _ text: String, reasoning: String = "", on bench: Bench, answering request: RequestID? = nil
  ) async throws -> MessageID {
    let began = Mutexed<MessageID?>(nil)
    try await bench.running { client in
      bench.transport.say(.ready)
      let id = try await client.conversation(eg.conversation).beginReply(answering: request).id
      began.withLock { $0 = id }
      try await client.reply(id).append(text, reasoning: reasoning)
      try await bench.pass(.milliseconds(300))
      bench.gate.fail()
    }
    bench.gate.heal()
    return try #require(began.withLock { $0 })
  }

  private func failure(_ body: () async throws -> Void) async -> ChatError.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? ChatError)?.code
    }
  }

  // H3.2, H3.3, U14
  @Test func `interrupted -> writing on, behind what is there`() throws {
    try Bench.simulate { bench in
      let id = try await cutOff("Hel", reasoning: "hm", on: bench)
      try await bench.running { client in
        let row = try #require(try client.rows().first)
        #expect(row.status.state == .interrupted)
        #expect(row.status.text == "Interrupted")
        #expect(row.actions == [.continueReply, .retryReply, .delete])
        bench.transport.say(.ready)
        let reply = try await client.message(id).continueReply()
        #expect((reply.textSoFar, reply.reasoningSoFar) == ("Hel", "hm"))
        #expect(try client.rows().map(\.status.state) == [.streaming])
        #expect(try client.rows().map(\.actions) == [[]])
        try await client.reply(id).append("lo", reasoning: "!")
        #expect(try client.bodies() == ["Hello"])
        try await client.reply(id).finish()
        let message = await bench.transport.transmission(1)
        #expect(message.id == id)
        #expect(message.text == "Hello")
        #expect(message.reasoning == "hm!")
        #expect(try client.rows().map(\.status.isComplete) == [true])
      }
    }
  }

  // H3.3
  @Test func `a reply is cut off and continued any number of times`() throws {
    try Bench.simulate { bench in
      let id = try await cutOff("0", on: bench)
      for number in 1...5 {
        try await bench.running { client in
          _ = try await client.message(id).continueReply()
          try await client.reply(id).append("\(number)")
          try await bench.pass(.milliseconds(300))
          bench.gate.fail()
        }
        bench.gate.heal()
      }
      let client = try bench.client(isSimulated: true)
      #expect(try await client.message(id).continueReply().textSoFar == "012345")
    }
  }

  // H3.1, H3.2
  @Test(arguments: [90, 249, 251, 300, 777, 1490, 61_000])
  func `a kill takes what came in the last 250 ms, and nothing before`(milliseconds: Int) throws {
    try Bench.simulate { bench in
      let began = Mutexed<MessageID?>(nil)
      try await bench.running { client in
        let id = try await client.conversation(eg.conversation).beginReply().id
        began.withLock { $0 = id }
        for _ in 0..<(milliseconds / 10) {
          try await client.reply(id).append("x")
          try await bench.pass(.milliseconds(10))
        }
        try await bench.pass(.milliseconds(milliseconds % 10))
        bench.gate.fail()
      }
      bench.gate.heal()
      let client = try bench.client(isSimulated: true)
      let id = try #require(began.withLock { $0 })
      let stored = try await client.message(id).continueReply().textSoFar.count
      #expect(stored >= (milliseconds - 250) / 10)
      #expect(stored <= milliseconds / 10)
    }
  }

  // H3.1
  @Test func `words are in the tail within 250 ms, synced within a second more, and stored at 64 KB`() throws
  {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try await client.conversation(eg.conversation).beginReply().id
        let tail = client.store.tail
        func write(_ word: String, seconds: Int) async throws {
          for _ in 0..<(seconds * 100) {
            try await client.reply(id).append(word)
            try await bench.pass(.milliseconds(10))
          }
        }
        func stored() throws -> Int { try client.store.read { try $0.streams.prefix(of: id).text.count } }
        try await write("x", seconds: 20)
        #expect(try stored() == 25, "The first quarter of a second, which the list shows.")
        #expect((14...17).contains(tail.syncs))
        try await bench.pass(.seconds(2))
        let syncs = tail.syncs
        try await bench.pass(.seconds(600))
        #expect(tail.syncs == syncs, "Nothing came.")
        #expect(try client.storedPieces(of: id).count == 2_000)

        try await write(String(repeating: "y", count: 100), seconds: 7)
        #expect((60_000...70_000).contains(try stored()))
        #expect(tail.byteCount < 15_000)
        #expect(try client.storedPieces(of: id).count > 2_000 + 69_000)
      }
    }
  }

  // H3.4
  @Test func `another attempt has no word of the one before, whatever else is being written`() throws {
    try Bench.simulate { bench in
      let ids = Mutexed<[MessageID]>([])
      try await bench.running { client in
        let (chat, notes) = (
          client.conversation(eg.conversation), try client.createConversation("notes", isOnDevice: true)
        )
        let (other, reply) = (
          try await chat.beginReply(), try await notes.beginReply(as: .assistant("claude", of: eg.user))
        )
        for text in ["One", " two"] {
          try await reply.append(text)
          try await other.append(text)
          try await bench.pass(.milliseconds(300))
        }
        #expect(!client.store.tail.isEmpty)
        try await reply.finish()
        let next = try await client.message(reply.id).regenerateReply()
        try await next.append("Anew")
        try await bench.pass(.milliseconds(300))
        ids.withLock { $0 = [reply.id, other.id] }
        bench.gate.fail()
      }
      bench.gate.heal()
      let client = try bench.client(isSimulated: true)
      #expect(try ids.withLock { $0 }.map { try client.storedPieces(of: $0) } == ["Anew", "One two"])
    }
  }

  // H3.1
  @Test func `a kill takes nothing of 64 KB that came before the last moment`() throws {
    try Bench.simulate { bench in
      let began = Mutexed<MessageID?>(nil)
      let text = String(repeating: "x", count: TokenBuffer.maximumBytes)
      try await bench.running { client in
        let id = try await client.conversation(eg.conversation).beginReply().id
        began.withLock { $0 = id }
        try await client.reply(id).append(text)
        try await bench.rest()
        bench.gate.fail()
      }
      bench.gate.heal()
      let id = try #require(began.withLock { $0 })
      #expect(try await bench.client(isSimulated: true).message(id).continueReply().textSoFar == text)
    }
  }

  // H3.4, S9
  @Test func `interrupted -> writing anew, and nothing of the earlier text is left`() throws {
    try Bench.simulate { bench in
      let id = try await cutOff("a secret beginning", reasoning: "a secret thought", on: bench)
      try await bench.running { client in
        bench.transport.say(.ready)
        try await client.message(id).retryReply()
        #expect(try client.bodies() == [""])
        #expect(try client.rows().map(\.status.state) == [.streaming])
        try await client.reply(id).append("Anew")
        try await bench.pass(.milliseconds(300))
        try await client.reply(id).append(".")
        try await bench.pass(.milliseconds(300))
        #expect(try client.storedPieces(of: id) == "Anew.")
        for file in try FileManager.default.contentsOfDirectory(atPath: bench.scratch.url.path) {
          #expect(try bench.scratch.bytes(of: file).range(of: Data("secret".utf8)) == nil)
        }
        bench.gate.fail()
      }
      bench.gate.heal()
      try await bench.running { client in
        #expect(try client.bodies() == ["Anew."])
        bench.transport.say(.ready)
        _ = try await client.message(id).continueReply()
        try await client.reply(id).finish()
        let message = await bench.transport.transmission(1)
        #expect(message.id == id)
        #expect(message.text == "Anew.")
        #expect(message.reasoning == nil)
      }
    }
  }

  // H3.3, H4.3
  @Test func `a reply that was cut off keeps its place, and the list shows its beginning`() throws {
    try Bench.simulate { bench in
      let id = try await cutOff("Hel", on: bench)
      try await bench.running { client in
        #expect(try client.reader.list(limit: 1).rows.map(\.excerpt) == ["Hel"])
        bench.transport.say(
          .ready, .items([.message(eg.incoming("later", "later", order: 1))], cursor: nil))
        try await bench.rest()
        #expect(try client.bodies() == ["Hel", "later"])
        _ = try await client.message(id).continueReply()
        #expect(try client.bodies() == ["later", "Hel"])
        try await client.reply(id).append("lo")
        try await client.reply(id).finish()
        #expect(try client.bodies() == ["later", "Hello"])
      }
    }
  }

  // H3.4
  @Test func `a retry that brings nothing gives the earlier text back`() throws {
    try Bench.simulate { bench in
      let id = try await cutOff("Hel", on: bench)
      try await bench.running { client in
        try await client.message(id).retryReply()
        try await client.reply(id).interrupt()
        #expect(try client.bodies() == ["Hel"])
        #expect(try client.rows().map(\.status.state) == [.interrupted])
        try await client.message(id).retryReply()
        #expect(await failure { try await client.reply(id).finish() } == .emptyMessage)
        bench.gate.fail()
      }
      bench.gate.heal()
      #expect(try bench.client(isSimulated: true).bodies() == ["Hel"])
    }
  }

  // H3.2
  @Test func `writing -> interrupted, with all that was appended`() throws {
    try Bench.simulate { bench in
      let client = try bench.client(isSimulated: true)
      let id = try await client.conversation(eg.conversation).beginReply().id
      try await client.reply(id).append("Hel")
      bench.gate.fail()
      #expect(await failure { try await client.reply(id).interrupt() } == .storageFull)
      #expect(try client.rows().map(\.status.state) == [.streaming], "It is still being written.")
      bench.gate.heal()
      try await client.reply(id).interrupt()
      #expect(try client.storedPieces(of: id) == "Hel")
      #expect(try client.rows().map(\.status.state) == [.interrupted])
      #expect(await failure { try await client.reply(id).append("lo") } == .unknownMessage)
      #expect(await failure { try await client.reply(id).interrupt() } == .unknownMessage)
      #expect(try await client.message(id).continueReply().textSoFar == "Hel")
    }
  }

  // H3.3, H3.4
  @Test func `only what was cut off on this device can be continued or retried`() throws {
    try Bench.simulate { bench in
      let id = try await cutOff("Hel", on: bench)
      try await bench.running { client in
        bench.transport.say(.ready)
        bench.transport.say(.piece(eg.piece(0, "theirs", of: "theirs")))
        bench.transport.say(.piece(eg.piece(0, "mine, elsewhere", of: "elsewhere", from: eg.user)))
        bench.transport.say(.items([.message(eg.incoming("whole", "whole"))], cursor: nil))
        try await bench.rest()
        bench.transport.hangUp()
        try await bench.rest()
        let offers = try client.rows().filter { $0.status.state == .interrupted }.map { ($0.id, $0.actions) }
        #expect(Set(offers.filter { !$0.1.isEmpty }.map(\.0)) == [id])
        #expect(offers.count == 3)
        for other in ["theirs", "elsewhere"] as [MessageID] {
          #expect(await failure { _ = try await client.message(other).continueReply() } == .notYourMessage)
          #expect(await failure { try await client.message(other).retryReply() } == .notYourMessage)
        }
        #expect(await failure { _ = try await client.message("nowhere").continueReply() } == .unknownMessage)
        #expect(await failure { try await client.message("").retryReply() } == .unknownMessage)
        #expect(await failure { try await client.message("whole").retryReply() } == .notInterrupted)
        _ = try await client.message(id).continueReply()
        #expect(await failure { _ = try await client.message(id).continueReply() } == .beingWritten)
        #expect(await failure { try await client.message(id).retryReply() } == .beingWritten)
        try await client.reply(id).finish()
        #expect(await failure { _ = try await client.message(id).continueReply() } == .notInterrupted)
        bench.gate.fail()
        #expect(await failure { _ = try await client.message(id).continueReply() } == .notInterrupted)
      }
    }
  }

  // H3.3, H5.1
  @Test func `a conversation that was deleted takes its reply along, and Undo brings it back, interrupted`()
    throws
  {
    try Bench.simulate { bench in
      let client = try bench.client(isSimulated: true)
      let id = try await client.conversation(eg.conversation).beginReply().id
      try await client.reply(id).append("Hel")
      try await client.storeTokens()
      try await client.conversation(eg.conversation).delete()
      #expect(await failure { _ = try await client.message(id).continueReply() } == .unknownMessage)
      try await client.conversation(eg.conversation).undoDeletion()
      #expect(try await client.message(id).continueReply().textSoFar == "Hel")
    }
  }

  // H3.3
  @Test func `pieces that a server still has of a reply that was cut off here are no part of it`() throws {
    try Bench.simulate { bench in
      let id = try await cutOff("Hel", on: bench)
      @Sendable func echo(_ sequence: Int64, _ text: String) -> TransportEvent {
        .piece(eg.piece(sequence, text, of: id, from: eg.user))
      }
      try await bench.running { client in
        bench.transport.say(.ready, echo(0, "Hel"), echo(1, "lo"))
        try await bench.rest()
        #expect(try client.bodies() == ["Hel"])
        #expect(try client.rows().map(\.status.state) == [.interrupted])
        _ = try await client.message(id).continueReply()
        bench.transport.say(echo(0, "Hel"), echo(1, "lo"))
        try await bench.rest()
        try await client.reply(id).append("p")
        bench.transport.say(echo(2, "!"))
        try await bench.rest()
        #expect(try client.bodies() == ["Help"])
      }
    }
  }

  // H3
  @Test func `of a reply that is continued or retried, others see nothing before the whole`() throws {
    try Bench.simulate { bench in
      let id = try await cutOff("Hel", on: bench)
      let count = bench.transport.pieces.count
      try await bench.running { client in
        bench.transport.say(.ready)
        try await bench.rest()
        _ = try await client.message(id).continueReply()
        try await client.reply(id).append("lo")
        try await client.reply(id).interrupt()
        try await client.message(id).retryReply()
        try await client.reply(id).append("Bye")
        try await bench.pass(.seconds(1))
        #expect(bench.transport.pieces.count == count)
        try await client.reply(id).finish()
        #expect(await bench.transport.transmission(1).text == "Bye")
        let next = try await client.conversation(eg.conversation).beginReply().id
        try await client.reply(next).append("next")
        try await bench.rest()
        #expect(bench.transport.pieces.count == count + 1)
      }
    }
  }

  // O15, H3.3
  @Test(arguments: [true, false])
  func `when two processes write one reply, the one that took it over continues`(isFinished: Bool) throws {
    try Bench.simulate { bench in
      let shared = SharedBench(bench)
      let (first, second) = (try shared.client(shared.app), try shared.client(shared.other))
      let id = try await first.conversation(eg.conversation).beginReply().id
      try await first.reply(id).append("Hel")
      try await first.storeTokens()
      #expect(await second.refusalToContinue(id) == .beingWritten)
      // A process that begins to drain assumes that the others are gone.
      try await shared.running(second) {
        #expect(try await second.message(id).continueReply().textSoFar == "Hel")
        try await second.reply(id).append("p")
        try await second.storeTokens()
        try await first.reply(id).append("lo")
        if isFinished {
          #expect(await first.refusalToFinish(id) == .beingWritten)
        } else {
          try await first.storeTokens()
        }
        #expect(await first.refusalToAppend(to: id) == .unknownMessage)
        try await second.reply(id).finish()
        #expect(try second.bodies() == ["Help"])
        #expect(try first.bodies() == ["Help"])
      }
    }
  }
}

extension ChatClient {
  fileprivate nonisolated func refusalToContinue(_ id: MessageID) async -> ChatError.Code? {
    do { try await message(id).continueReply() } catch { return error.code }
    return nil
  }

  fileprivate nonisolated func refusalToFinish(_ id: MessageID) async -> ChatError.Code? {
    do { try await reply(id).finish() } catch { return error.code }
    return nil
  }

  fileprivate nonisolated func refusalToAppend(to id: MessageID) async -> ChatError.Code? {
    do { try await reply(id).append("!") } catch { return (error as? ChatError)?.code }
    return nil
  }
}
