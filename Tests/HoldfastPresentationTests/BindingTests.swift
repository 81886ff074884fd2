import EngineFixtures
import Foundation
import Observation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// The parts of models that are bound to a text field.
@MainActor @Suite struct BindingTests {
  private let client: ChatClient

  init() throws { client = try Bench(inMemory: true).client() }

  // A3.2, D1
  @Test func `the composer's text is typed by setting it, and is the draft`() throws {
    let composer = ComposerModel(client, eg.conversation)
    composer.text = "half a "
    composer.text += "thought"
    #expect(composer.snapshot.text == "half a thought")
    #expect(composer.snapshot.canSend)
    composer.hardSave()
    #expect(ComposerModel(client, eg.conversation).text == "half a thought")
  }

  // D1
  @Test func `a text that a field sets again costs nothing, and keeps the formatting and the selection`()
    throws
  {
    let composer = ComposerModel(client, eg.conversation)
    composer.edit("bold", selection: TextRange(start: 1, end: 2), formatting: Data([1]))
    let before = composer.snapshot
    composer.text = "bold"
    #expect(composer.snapshot == before)
    composer.selection = TextRange(start: 4, end: 4)
    #expect((composer.text, composer.snapshot.formatting) == ("bold", Data([1])))
    #expect(composer.selection == TextRange(start: 4, end: 4))
  }

  // D1
  @Test func `a view that shows the text is notified when another one changes it`() throws {
    let composer = ComposerModel(client, eg.conversation)
    let changes = Mutexed(0)
    withObservationTracking {
      _ = composer.text
    } onChange: {
      changes.withLock { $0 += 1 }
    }
    composer.edit("typed")
    #expect(changes.withLock { $0 } == 1)
  }

  // A3.2, H8
  @Test func `a search field's query is typed by setting it`() throws {
    let search = SearchModel(client)
    search.query = "zeppelin"
    #expect((search.query, search.snapshot.state) == ("zeppelin", .searching))
  }

  @Test func `an error's description is its sentence`() {
    let error: any Error = ChatError(.storageFull, "The disk is full.")
    #expect(error.localizedDescription == "The disk is full.")
  }
}
