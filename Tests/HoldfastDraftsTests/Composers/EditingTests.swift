import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

@MainActor @Suite struct EditingTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  /// A composer with an unsent message in it, and a message that waits in the outbox.
  private func prepared(_ bench: Bench? = nil) throws -> (composer: ComposerModel, id: MessageID) {
    let bench = bench ?? self.bench
    let client = try bench.client()
    let id = try client.send("at eight", in: eg.conversation)
    let composer = ComposerModel(client, eg.conversation)
    composer.edit("unsent", selection: TextRange(start: 2, end: 4))
    return (composer, id)
  }

  private func relaunched() throws -> ComposerModel { ComposerModel(try bench.client(), eg.conversation) }

  // D1.3, D1.9
  @Test func `an edit shows the message, and the new message is back when it is sent`() throws {
    let (composer, id) = try prepared()
    composer.beginEdit(id)
    #expect(composer.snapshot.editing == id)
    #expect(composer.snapshot.text == "at eight")
    #expect(composer.snapshot.generation == 1)
    composer.edit("at nine")
    #expect(composer.send() == id)
    #expect(try composer.client.bodies() == ["at nine"])
    #expect(composer.snapshot.editing == nil)
    #expect(composer.snapshot.unfinishedEdit == nil)
    #expect(composer.snapshot.text == "unsent")
    #expect(composer.snapshot.selection == TextRange(start: 2, end: 4))
    #expect(composer.snapshot.generation == 2)
    #expect(try composer.client.storedDraft(DraftKey(conversation: eg.conversation.key, slot: .edit)) == nil)
  }

  // D4.1
  @Test func `an edit that is too long to be saved does not keep the new message from the disk`() throws {
    do {
      let (composer, id) = try prepared()
      composer.beginEdit(id)
      composer.edit(String(repeating: "x", count: Drafts.maximumBytes + 1))
      composer.hardSave()
      #expect(composer.snapshot.problemCode == .draftTooLong)
      #expect(try composer.client.drafts.stored(in: eg.conversation) == ["unsent"])
    }
  }

  // D1.3
  @Test func `cancelling an edit leaves the message, and Undo goes back to the edit`() throws {
    let (composer, id) = try prepared()
    composer.beginEdit(id)
    composer.edit("at nine")
    composer.hardSave()
    composer.cancelEdit()
    #expect(try composer.client.bodies() == ["at eight"])
    #expect(composer.snapshot.text == "unsent")
    #expect(composer.snapshot.editing == nil)
    #expect(composer.snapshot.unfinishedEdit == nil)
    #expect(composer.snapshot.banner?.kind == .discarded)
    composer.undoDiscard()
    #expect(composer.snapshot.editing == id)
    #expect(composer.snapshot.text == "at nine")
    composer.cancelEdit()
    #expect(composer.snapshot.text == "unsent")
  }

  // D18.1
  @Test func `an edit in which nothing was typed is not stored, and leaves without a word`() throws {
    let (composer, id) = try prepared()
    composer.hardSave()
    composer.beginEdit(id)
    bench.gate.fail()
    composer.hardSave()
    #expect(composer.snapshot.problem == nil, "Nothing was written.")
    composer.edit("at nine")
    composer.edit("at eight")
    composer.hardSave()
    #expect(composer.snapshot.problem == nil)
    composer.cancelEdit()
    #expect(composer.snapshot.banner == nil)
    #expect(composer.snapshot.text == "unsent")
  }

  // D1.2, D1.3, U20
  @Test func `one window edits and the other writes, and neither disturbs the other`() throws {
    let (writing, id) = try prepared()
    let editing = ComposerModel(writing.client, eg.conversation)
    editing.beginEdit(id)
    editing.edit("at nine")
    writing.edit("unsent, and more")
    #expect(editing.snapshot.text == "at nine")
    #expect(writing.snapshot.text == "unsent, and more")
    #expect(writing.snapshot.unfinishedEdit == id)
    writing.hardSave()
    #expect(writing.send() != nil)
    #expect(editing.send() == id)
    #expect(try writing.client.bodies() == ["at nine", "unsent, and more"])
    #expect(editing.snapshot.text == "")
    writing.refresh()
    #expect(writing.snapshot.unfinishedEdit == nil)
  }

  // D1: two windows that edit one message are two composers on one draft.
  @Test func `an edit that is sent in one window is over in the other`() throws {
    let (first, id) = try prepared()
    let second = ComposerModel(first.client, eg.conversation)
    first.beginEdit(id)
    second.beginEdit(id)
    first.edit("at nine")
    second.refresh()
    #expect(second.snapshot.text == "at nine")
    first.send()
    second.edit("at nine!")
    #expect(second.snapshot.editing == nil)
    #expect(second.snapshot.text == "unsent")
    #expect(try first.client.bodies() == ["at nine"])
  }

  // D1.3, D1.9, D5.1
  @Test func `after a kill in an edit the composer opens with the new message and offers the edit`() throws {
    let id: MessageID
    do {
      let (composer, message) = try prepared()
      id = message
      composer.beginEdit(id)
      composer.edit("at nine", selection: TextRange(start: 3, end: 7))
      composer.hardSave()
    }
    let composer = try relaunched()
    #expect(composer.snapshot.editing == nil)
    #expect(composer.snapshot.text == "unsent")
    #expect(composer.snapshot.unfinishedEdit == id)
    composer.beginEdit(id)
    #expect(composer.snapshot.text == "at nine")
    #expect(composer.snapshot.selection == TextRange(start: 3, end: 7))
    #expect(composer.snapshot.unfinishedEdit == nil)
    #expect(composer.send() == id)
    #expect(try composer.client.bodies() == ["at nine"])
  }

  // D1: typed text is not lost when its message is deleted.
  @Test func `the edit of a message that was deleted goes behind the new message`() throws {
    let (composer, id) = try prepared()
    composer.beginEdit(id)
    composer.edit("at nine")
    composer.hardSave()
    try composer.client.message(id).delete()
    #expect(composer.send() == nil)
    #expect(composer.snapshot.problem != nil)
    #expect(composer.snapshot.text == "at nine", "It stays until its user decides.")
    let later = try relaunched()
    #expect(later.snapshot.unfinishedEdit == id)
    later.beginEdit(id)
    #expect(later.snapshot.editing == nil)
    #expect(later.snapshot.unfinishedEdit == nil)
    #expect(later.snapshot.text == "unsent\nat nine")
    #expect(try relaunched().snapshot.text == "unsent\nat nine", "In one transaction.")
  }

  // D1
  @Test func `an edit becomes a message of its own`() throws {
    let (composer, id) = try prepared()
    composer.beginEdit(id)
    composer.edit("at nine")
    composer.turnEditIntoNewMessage()
    #expect(composer.snapshot.editing == nil)
    #expect(composer.snapshot.text == "unsent\nat nine")
    #expect(try composer.client.bodies() == ["at eight"])
  }

  // D1.2
  @Test func `a second edit waits until the first one is finished`() throws {
    let (composer, id) = try prepared()
    let other = try composer.client.send("other", in: eg.conversation)
    composer.beginEdit(id)
    composer.beginEdit(other)
    #expect(composer.snapshot.editing == other, "Nothing had been typed.")
    composer.edit("another")
    composer.beginEdit(id)
    #expect(composer.snapshot.editing == other)
    #expect(composer.snapshot.text == "another")
    #expect(composer.snapshot.problem?.contains("editing another message") == true)
  }

  // D1.9, D7.1, D7.3, O14
  @Test func `the edit of a delivered message is stored in the outbox, in the draft's transaction`()
    throws
  {
    let (composer, id) = try prepared()
    try composer.client.confirm(id)
    composer.beginEdit(id)
    composer.edit("at nine")
    bench.gate.fail()
    #expect(composer.send() == nil)
    #expect(composer.snapshot.text == "at nine")
    #expect(try composer.client.outbox.unsentCount() == 0)
    bench.gate.heal()
    #expect(composer.send() == id)
    #expect(composer.snapshot.text == "unsent")
    #expect(try composer.client.bodies() == ["at nine"])
    #expect(try composer.client.outbox.unsentCount() == 1)
    composer.beginEdit(id)
    #expect(composer.snapshot.text == "at nine", "The edit of a message begins with what is shown of it.")
  }

  @Test func `only an own message can be edited, and where the server cannot the text stays`() throws {
    let (composer, id) = try prepared(Bench(operations: []))
    try composer.client.takeIn(eg.incoming("theirs", "from bob"))
    try composer.client.confirm(id, order: 2)
    for message in ["theirs", "nowhere"] as [MessageID] {
      composer.beginEdit(message)
      #expect(composer.snapshot.problem != nil)
      #expect(composer.snapshot.editing == nil)
    }
    composer.beginEdit(id)
    composer.edit("at nine")
    #expect(composer.send() == nil)
    #expect(composer.snapshot.text == "at nine")
    #expect(try composer.client.bodies().contains("at eight"))
  }

  @Test func `an empty edit is not sent`() throws {
    let (composer, id) = try prepared()
    composer.beginEdit(id)
    composer.edit(" ")
    #expect(!composer.snapshot.canSend)
    #expect(composer.send() == nil)
    #expect(composer.snapshot.editing == id)
    #expect(try composer.client.bodies() == ["at eight"])
  }

  // D1.8, D1.10
  @Test func `the answered message and the formatting are stored, restored and sent with the text`() throws {
    let formatting = Data([1, 2, 3])
    do {
      let composer = try relaunched()
      composer.edit("hello @bob", formatting: formatting)
      composer.reply(to: "m1")
      composer.hardSave()
    }
    let composer = try relaunched()
    #expect(composer.snapshot.replyTo == "m1")
    #expect(composer.snapshot.formatting == formatting)
    composer.edit("hello @bob!", formatting: formatting)
    #expect(composer.snapshot.replyTo == "m1", "Typing does not take the answer back.")
    let id = try #require(composer.send())
    let sent = try composer.client.storedMessage(id)
    #expect(sent?.content == MessageContent("hello @bob!", formatting: formatting, replyTo: "m1"))
    #expect(composer.snapshot.replyTo == nil)
    composer.reply(to: "m2")
    composer.reply(to: nil)
    #expect(composer.snapshot.replyTo == nil)
  }

  // D1.8, D1.10, O8
  @Test func `a message that is taken back brings its answered message and formatting along`() async throws {
    let composer = try relaunched()
    composer.edit("hello", formatting: Data([7]))
    composer.reply(to: "m1")
    let id = try #require(composer.send())
    try await composer.client.message(id).takeBack()
    composer.refresh()
    #expect(composer.snapshot.replyTo == "m1")
    #expect(composer.snapshot.formatting == Data([7]))
  }
}
