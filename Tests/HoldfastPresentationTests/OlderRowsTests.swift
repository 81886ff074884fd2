import EngineFixtures
import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// A timeline whose older messages come from the server (rules B6, H7), as a view uses it.
@MainActor @Suite(.timeLimit(.minutes(10))) struct OlderRowsTests {
  private let scratch: ScratchFolder
  private let transport = ScriptedTransport(TransportCapabilities(carriesHistory: true))
  private let path = NetworkPath(isUp: true)

  init() throws { scratch = try ScratchFolder() }

  private func client() throws -> ChatClient {
    var configuration = ChatConfiguration()
    configuration.path = path
    let client = try ChatClient(
      storage: .folder(scratch.url), transport: transport, user: eg.user, configuration: configuration)
    try client.createConversation(eg.conversation, members: [eg.user, eg.other])
    return client
  }

  private static func messages(_ numbers: ClosedRange<Int>) -> [IncomingItem] {
    numbers.map {
      .message(eg.incoming(MessageID(rawValue: "m\($0)"), "text \($0)", order: Int64($0)))
    }
  }

  /// Sends the newest messages, as a first connection does.
  private func deliver(_ numbers: ClosedRange<Int>) {
    let conversation = IncomingConversation(
      id: eg.conversation, title: nil, members: [eg.user, eg.other], history: HistoryPlace(rawValue: "p"))
    transport.say(.ready, .items([.conversation(conversation)] + Self.messages(numbers), cursor: nil))
  }

  private func answer(_ numbers: ClosedRange<Int>, before place: String? = nil) {
    transport.answerHistory(
      .success(
        HistoryPage(items: Self.messages(numbers), before: place.map(HistoryPlace.init(rawValue:)))))
  }

  private func until(
    _ condition: @escaping @MainActor @Sendable () -> Bool, _ client: ChatClient, _ model: ConversationModel
  ) async {
    await Shown.until(condition) {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await client.run() }
        group.addTask { await model.run() }
      }
    }
  }

  // B6.1, H7.2, U23
  @Test func `the shown rows grow by what the server gives, and say what there is above them`() async throws {
    let client = try client()
    let model = ConversationModel(client, eg.conversation)
    deliver(200...250)
    await until({ model.rowIDs.count == 51 && model.older == .onServer }, client, model)
    #expect(model.noteAbove == nil)
    // Without a connection, the model says so.
    #expect(client.isRunning == false)
    model.reload()
    #expect(model.older == .offline)
    #expect(model.noteAbove == "More messages load when you are online")
    model.loadOlder()
    #expect(model.older == .offline)
    answer(100...199, before: "p100")
    transport.say(.ready)
    await until({ model.rowIDs.count == 151 && model.older == .onServer }, client, model)
    #expect(model.rowIDs.first == "m100" && model.rowIDs.last == "m250")
    model.loadOlder()
    answer(1...99)
    transport.say(.ready)
    await until({ model.rowIDs.count == 250 && model.older == .none }, client, model)
  }

  // B6.3, U23
  @Test
  func `a timeline around a message that is not here shows the newest, and goes there once it has come`()
    async throws
  {
    let client = try client()
    deliver(900...950)
    let first = ConversationModel(client, eg.conversation)
    await until({ first.rowIDs.count == 51 }, client, first)
    let model = ConversationModel(client, eg.conversation, around: "m705")
    #expect(model.rowIDs.last == "m950")
    answer(800...899, before: "p800")
    answer(700...799, before: "p700")
    answer(600...699, before: "p600")
    transport.say(.ready)
    await until({ model.rowIDs.contains("m705") && !model.rowIDs.contains("m950") }, client, model)
    #expect(model.hasNewer)
    #expect(transport.historyRequests.map(\.sought) == ["m705", "m705"])
    #expect(model.rowIDs.first == "m700")
  }

  // B6.3
  @Test func `whoever goes to the newest is not taken back to what was sought`() async throws {
    let client = try client()
    deliver(100...150)
    let first = ConversationModel(client, eg.conversation)
    await until({ first.rowIDs.count == 51 }, client, first)
    transport.say(.ready)
    let model = ConversationModel(client, eg.conversation, around: "m20")
    await until({ model.older == .loading }, client, model)
    model.loadNewest()
    answer(1...99)
    transport.say(.ready)
    await until({ model.older == .onDevice }, client, model)
    #expect(model.rowIDs.last == "m150")
  }

  // H7.3, B6.1
  @Test func `a conversation that was never loaded loads when it is looked at, and is empty meanwhile`()
    async throws
  {
    let client = try client()
    transport.say(
      .ready,
      .items(
        [.conversation(IncomingConversation(id: eg.conversation, title: nil, members: [eg.user, eg.other]))],
        cursor: nil))
    let model = ConversationModel(client, eg.conversation)
    #expect(model.note == "No messages yet")
    await until({ model.older == .onServer || model.older == .loading }, client, model)
    let second = ConversationModel(client, eg.conversation)
    transport.say(.ready)
    await until({ second.older == .loading }, client, second)
    #expect(second.note == "Loading messages..." && second.problem == nil && second.noteAbove == nil)
    answer(1...3)
    transport.say(.ready)
    await until({ second.rowIDs.count == 3 && second.older == .none }, client, second)
  }
}
