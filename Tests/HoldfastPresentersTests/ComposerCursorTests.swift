import EngineFixtures
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastPresenters

private typealias eg = EngineExample

/// The selection that a text field of SwiftUI is given (rule D9).
@Suite(.timeLimit(.minutes(10))) @MainActor struct ComposerCursorTests {
  private let client: ChatClient
  private let composer: ComposerModel

  init() throws {
    client = try Bench().client()
    composer = ComposerModel(client, eg.conversation)
  }

  // D9
  @Test func `a selection fits its text, and goes with it`() throws {
    composer.text = "a 👩‍👩‍👧 b"
    #expect(composer.cursor == nil)
    let behind = composer.text.index(composer.text.startIndex, offsetBy: 3)
    composer.cursor = composer.text.startIndex..<behind
    #expect(composer.selection == TextRange(start: 0, end: 10))
    #expect(composer.cursor == composer.text.startIndex..<behind)
    composer.cursor = nil
    #expect(composer.cursor != nil, "A field that has lost the cursor says nothing.")
    composer.text = "a"
    #expect(composer.cursor == nil, "A typed text has no selection until its field says so.")
  }

  // D9
  @Test func `whatever replaces the text takes the selection with it`() throws {
    func type(_ text: String) {
      composer.text = text
      composer.cursor = text.endIndex..<text.endIndex
      #expect(composer.cursor != nil)
    }
    type("sent")
    composer.send()
    #expect((composer.text, composer.cursor) == ("", nil))
    type("discarded")
    composer.discard()
    #expect((composer.text, composer.cursor) == ("", nil))
    composer.undoDiscard()
    #expect(composer.text == "discarded")
    #expect(composer.cursor == nil || composer.cursor == composer.text.endIndex..<composer.text.endIndex)
  }
}
