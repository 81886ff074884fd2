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

  // R7
  @Test func `the same message is opened again, and its search ends when the reader moves`() throws {
    let window = WindowModel(client, "one")
    window.open(eg.conversation, at: "1")
    let first = window.openings
    window.place(of: eg.conversation).anchor = ScrollPositions.Anchor(message: "2")
    #expect(window.sought == nil)
    window.open(eg.conversation, at: "1")
    #expect((window.sought, window.openings) == ("1", first + 1))
    window.open(nil)
    #expect((window.selection, window.sought) == (nil, nil))
  }

  // R2
  @Test func `the first window without a scene begins where the last one was, and a further one is new`()
    throws
  {
    let first = WindowModel(client, client.scenes.idOfNewWindow())
    first.selection = eg.conversation
    first.scene.state.columns = .detailOnly
    try client.hardSave()
    let second = WindowModel(client, client.scenes.idOfNewWindow())
    #expect(second.selection == nil, "It is not the first one of this process.")
    let later = try bench.client()
    let new = WindowModel(later, later.scenes.idOfNewWindow())
    #expect((new.selection, new.scene.state.columns) == (eg.conversation, .detailOnly))
    // The system brings the earlier window back after all: both keep their places apart.
    let back = WindowModel(later, first.scene.id)
    back.selection = nil
    try later.hardSave()
    #expect(new.selection == eg.conversation)
    #expect(WindowModel(try bench.client(), new.scene.id).selection == eg.conversation)
  }
}
