import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// A save costs the same with a long history as with a short one. The cost is counted in pages, which do not depend
/// on the load of the machine. `Lab/Benchmarks/` measures the time.
@Suite(.timeLimit(.minutes(10))) struct CostOfSavingTests {
  private func client(after messages: Int64) throws -> (Bench, ChatClient) {
    let bench = try Bench(inMemory: true)
    let client = try bench.client()
    for first in stride(from: 1, through: messages, by: 500) {
      try client.takeIn((first..<first + 500).map(incoming))
    }
    return (bench, client)
  }

  private func incoming(_ order: Int64) -> IncomingMessage {
    let id = "\(UInt64(order) &* 0x9E37_79B9_7F4A_7C15)"
    return eg.incoming(MessageID(rawValue: id), "message number \(order) of a long history", order: order)
  }

  /// The highest number of pages that one call of `save` adds to the journal.
  private func pages(_ client: ChatClient, _ save: (Int) async throws -> Void) async throws -> Int64 {
    let journal = client.store.folder.appendingPathComponent(Store.journalName)
    var most: Int64 = 0
    for number in 0..<20 {
      try client.store.emptyJournal()
      try await save(number)
      most = max(most, (try FileStatus(of: journal).byteCount - 32) / (24 + 4096))
    }
    return most
  }

  private func costs(after messages: Int64) async throws -> [String: Int64] {
    let (bench, client) = try client(after: messages)
    defer { withExtendedLifetime(bench) {} }
    var costs: [String: Int64] = [:]
    costs["an incoming message"] = try await pages(client) { number in
      try client.takeIn(incoming(messages + 1 + Int64(number)))
    }
    costs["a send"] = try await pages(client) { try client.send("hello \($0)", in: eg.conversation) }
    costs["a draft"] = try await pages(client) { number in
      client.drafts.edit("half a thought, \(number)", in: eg.conversation)
      try client.hardSave()
    }
    costs["a conversation"] = try await pages(client) { number in
      try client.createConversation(ConversationID(rawValue: "c\(number)"), members: [eg.user])
    }
    costs["a reply in pieces"] = try await pages(client) { _ in
      let id = try await client.conversation(eg.conversation).beginReply().id
      try await client.reply(id).append("so it is")
      try await client.reply(id).finish()
    }
    return costs
  }

  // H2.4
  @Test func `a save writes as many pages with a long history as with a short one`() async throws {
    let (short, long) = (try await costs(after: 500), try await costs(after: 20_000))
    for (what, pages) in short {
      #expect(pages > 0)
      // A page of an index is sometimes split, whatever the length of the history. Each split writes two more pages.
      #expect(try #require(long[what]) <= pages + 4, "\(what): \(pages) pages at first")
    }
  }
}
