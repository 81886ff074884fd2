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
@Suite(.timeLimit(.minutes(10))) @MainActor struct ConversationListActionsTests {
  private let client: ChatClient
  private let actions: ConversationListActions

  init() throws {
    client = try Bench().client()
    actions = ConversationListActions(client)
  }

  /// Runs the actions while `body` runs.
  private func running(_ body: @escaping @MainActor () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await actions.run() }
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
      actions.delete(eg.conversation)
      try await hold { try titles() == 0 }
      let deletion = try #require(client.reader.list(limit: 10).undoable.first)
      actions.undo(deletion)
      try await hold { try titles() == 1 }
    }
  }

  // H5.4
  @Test func `all are deleted once their user has said so, and never more than was asked about`() async throws
  {
    try client.createConversation("trip")
    try await running {
      actions.askDeleteAll()
      #expect(actions.question?.conversations == 2)
      #expect(actions.confirmation == .delete)
      actions.question = nil
      actions.confirm()
      #expect(try titles() == 2, "Nobody has said so.")
      actions.askDeleteAll()
      try client.createConversation("work")
      actions.confirm()
      await hold { actions.question?.conversations == 3 }
      await hold { actions.problem?.code == .confirmationOutdated }
      #expect(try titles() == 3)
      actions.confirm()
      try await hold { try titles() == 0 }
      await hold { actions.problem == nil }
    }
  }

  // H18.2
  @Test func `one gets another title, and the automatic one without a title`() async throws {
    let row = try #require(try client.reader.list(limit: 10).rows.first)
    actions.askRename(row)
    #expect(actions.newTitle == row.title)
    actions.newTitle = "  Holiday "
    actions.rename()
    #expect(actions.renamed == nil)
    #expect(try client.reader.list(limit: 10).rows.first?.title == "Holiday")
    actions.askRename(row)
    actions.newTitle = String(repeating: "x", count: 1_001)
    actions.rename()
    #expect(actions.problem?.code == .titleTooLong)
    actions.askRename(row)
    actions.cancelRename()
    actions.rename()
    #expect(try client.reader.list(limit: 10).rows.first?.title == "Holiday")
    actions.askRename(row)
    actions.newTitle = " "
    actions.rename()
    #expect(try client.reader.list(limit: 10).rows.first?.title == row.title)
    #expect(actions.problem == nil)
  }

  // H5.3
  @Test func `the messages of one are cleared, and the conversation stays`() async throws {
    try client.takeIn(eg.incoming("1", "Hello", order: 1))
    try await running {
      actions.askEmpty(eg.conversation)
      #expect(actions.question?.messages == 1)
      #expect(actions.confirmation == .empty)
      actions.confirm()
      try await hold { try client.reader.conversation(eg.conversation, limit: 10).rows.isEmpty }
      #expect(try titles() == 1)
      actions.askEmpty("nobody's")
      #expect(actions.problem?.code == .unknownConversation)
    }
  }
}
