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
    let other = "another text that is longer"
    composer.cursor = other.startIndex..<other.endIndex
    #expect(composer.cursor == nil, "Indices of another text are not taken.")
  }

  // D9
  @Test func `the selection is gone before the text is`() throws {
    composer.text = "sent"
    composer.cursor = composer.text.startIndex..<composer.text.endIndex
    var atSend: (text: String, cursor: Range<String.Index>?)?
    composer.sendWithoutCursor {
      atSend = (composer.text, composer.cursor)
      composer.send()
    }
    #expect(atSend?.text == "sent" && atSend?.cursor == nil)
    #expect((composer.text, composer.cursor) == ("", nil))
  }
}
