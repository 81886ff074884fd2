import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastPresenters
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// The actions in the list of conversations, without any view.
@Suite(.timeLimit(.minutes(10))) @MainActor struct ConversationListActsTests {
  private let client: ChatClient
  private let acts: ConversationListActs

  init() throws {
    client = try Bench().client()
    acts = ConversationListActs(client)
  }

  /// Runs the actions while `body` runs.
  private func running(_ body: @escaping @MainActor () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await acts.run() }
      defer { group.cancelAll() }
      try await body()
    }
  }

  /// Returns once the condition holds.
  private func hold(_ condition: @MainActor () throws -> Bool) async rethrows {
    while try !condition() { await Task.yield() }
  }

  private func titles() throws -> Int { try client.reader.list(limit: 10).rows.count }

  // H5.1
  @Test func `a conversation is deleted, and comes back`() async throws {
    try await running {
      acts.delete(eg.conversation)
      try await hold { try titles() == 0 }
      let offer = try #require(client.reader.list(limit: 10).undoable.first)
      acts.undo(offer)
      try await hold { try titles() == 1 }
    }
  }

  // H5.4
  @Test func `all are deleted once their user has said so, and never more than was asked about`() async throws
  {
    try client.createConversation("trip")
    try await running {
      acts.askDeleteAll()
      #expect(acts.question?.conversations == 2)
      #expect(acts.confirmation == .delete)
      acts.question = nil
      acts.confirm()
      #expect(try titles() == 2, "Nobody has said so.")
      acts.askDeleteAll()
      try client.createConversation("work")
      acts.confirm()
      await hold { acts.question?.conversations == 3 }
      await hold { acts.problem?.code == .confirmationOutdated }
      #expect(try titles() == 3)
      acts.confirm()
      try await hold { try titles() == 0 }
      await hold { acts.problem == nil }
    }
  }

  // H18.2
  @Test func `one gets another title, and the automatic one without a title`() async throws {
    let row = try #require(try client.reader.list(limit: 10).rows.first)
    acts.askRename(row)
    #expect(acts.newTitle == row.title)
    acts.newTitle = "  Holiday "
    acts.rename()
    #expect(acts.renamed == nil)
    #expect(try client.reader.list(limit: 10).rows.first?.title == "Holiday")
    acts.askRename(row)
    acts.newTitle = String(repeating: "x", count: 1_001)
    acts.rename()
    #expect(acts.problem?.code == .titleTooLong)
    acts.askRename(row)
    acts.cancelRename()
    acts.rename()
    #expect(try client.reader.list(limit: 10).rows.first?.title == "Holiday")
    acts.askRename(row)
    acts.newTitle = " "
    acts.rename()
    #expect(try client.reader.list(limit: 10).rows.first?.title == row.title)
    #expect(acts.problem == nil)
  }

  // H5.3
  @Test func `the messages of one are cleared, and the conversation stays`() async throws {
    try client.takeIn(eg.incoming("1", "Hello", order: 1))
    try await running {
      acts.askEmpty(eg.conversation)
      #expect(acts.question?.messages == 1)
      #expect(acts.confirmation == .empty)
      acts.confirm()
      try await hold { try client.reader.conversation(eg.conversation, limit: 10).rows.isEmpty }
      #expect(try titles() == 1)
      acts.askEmpty("nobody's")
      #expect(acts.problem?.code == .unknownConversation)
    }
  }
}
