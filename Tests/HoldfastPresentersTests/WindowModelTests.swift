import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastPresenters
@testable import HoldfastStore

private typealias eg = EngineExample

/// A window with a whole chat, without any view (rules R1, R2, R7).
@Suite(.timeLimit(.minutes(10))) @MainActor struct WindowModelTests {
  private let bench: Bench
  private let client: ChatClient

  init() throws {
    bench = try Bench()
    client = try bench.client()
    try client.takeIn(eg.incoming("1", order: 1), eg.incoming("2", order: 2))
  }

  // R7
  @Test func `a place is opened, and what was sought is forgotten with it`() throws {
    try client.createConversation("notes", isOnDevice: true)
    let window = WindowModel(client, "one")
    window.open(eg.conversation, at: "1")
    #expect((window.selection, window.sought) == (eg.conversation, "1"))
    window.selection = eg.conversation
    #expect(window.sought == "1", "The same conversation is not opened again.")
    window.selection = "notes"
    #expect((window.selection, window.sought) == ("notes", nil))
    window.open("nowhere")
    #expect(window.selection == nil)
    #expect(window.scene.notice?.text == "Conversation not found")
    window.selection = "notes"
    #expect(window.scene.notice == nil)
  }

  // R7.3
  @Test func `a malformed link is said, and one of another app is left alone`() throws {
    let links = try SceneLinks(activityType: "app.kelp.open", base: "kelp://open")
    let window = WindowModel(client, "one")
    func open(_ link: String) throws {
      let url = try #require(URL(string: link))
      window.open { () throws(ChatError) in try links.activity(from: url) }
    }
    try open("kelp://open?conversation=\(eg.conversation.rawValue)")
    #expect(window.selection == eg.conversation)
    try open("other://open?conversation=notes")
    #expect((window.selection, window.problem) == (eg.conversation, nil))
    try open("kelp://open?conversation=notes&conversation=two")
    #expect((window.selection, window.problem?.code) == (eg.conversation, .malformedLink))
    try open("kelp://open?conversation=\(eg.conversation.rawValue)")
    #expect(window.problem == nil)
  }

  // R2
  @Test func `the first window without a scene is the one that was left last, and a further one is new`()
    throws
  {
    let new = client.scenes.idOfNewWindow()
    let window = WindowModel(client, new)
    window.selection = eg.conversation
    try client.hardSave()
    #expect(client.scenes.idOfNewWindow() != new)
    let second = WindowModel(client, client.scenes.idOfNewWindow())
    #expect(second.selection == nil)
    second.scene.state.columns = .detailOnly
    try client.hardSave()
    let later = try bench.client()
    #expect(later.scenes.idOfNewWindow() == second.scene.id)
    let again = WindowModel(later, later.scenes.idOfNewWindow())
    #expect(again.scene.state.columns == .detailOnly)
    #expect(later.scenes.idOfNewWindow() != new, "A second window does not take over the first one's place.")
  }
}
