import EngineFixtures
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// One draft, written by two processes.
@Suite(.timeLimit(.minutes(10))) struct SharedDraftsTests {
  private let app: ChatClient
  private let other: ChatClient

  init() throws {
    let shared = SharedBench(try Bench())
    app = try shared.client(shared.app, isSimulated: false)
    other = try shared.client(shared.other, isSimulated: false)
    // Both processes show the conversation.
    (_, _) = (app.draft(), other.draft())
  }

  private var key: DraftKey { DraftKey(conversation: eg.conversation.key) }
  private func type(_ text: String, in client: ChatClient) { client.drafts.edit(text, in: eg.conversation) }
  private func text(in client: ChatClient) -> String { client.drafts.text(in: eg.conversation) }
  private func store(_ text: String, in client: ChatClient) throws {
    type(text, in: client)
    try client.drafts.save(in: eg.conversation)
  }

  // D13.2, O15
  @Test func `nothing typed here -> follows what the other process stores, and does not call it recovered`()
    async throws
  {
    try store("one", in: other)
    await app.noticeOthers()
    #expect(text(in: app) == "one")
    #expect(!app.draft().isRecovered)
    try store("one two", in: app)
    await other.noticeOthers()
    #expect(text(in: other) == "one two")
  }

  // D13.3, O15
  @Test func `typed here -> stays, and is stored behind what the other process stored`() async throws {
    type("mine", in: app)
    try store("theirs", in: other)
    await app.noticeOthers()
    #expect(text(in: app) == "mine")
    try app.hardSave()
    #expect(text(in: app) == "theirs\nmine")
    await other.noticeOthers()
    #expect(text(in: other) == "theirs\nmine")
  }

  // O15
  @Test func `both went on from the same text -> the longer one has the other in it`() async throws {
    try store("Hello", in: app)
    await other.noticeOthers()
    try store("Hello you", in: other)
    type("Hello you there", in: app)
    try app.hardSave()
    #expect(text(in: app) == "Hello you there")
  }

  // D7, O15
  @Test func `the other process sends it -> it is gone from the composer, and cannot be sent twice`()
    async throws
  {
    try store("once", in: app)
    await other.noticeOthers()
    try other.conversation(eg.conversation).sendDraft()
    #expect { try app.conversation(eg.conversation).sendDraft() } throws: {
      ($0 as? ChatError)?.code == .draftChanged
    }
    #expect(text(in: app).isEmpty)
    #expect(try app.bodies() == ["once"])
    try store("again", in: app)
    try app.conversation(eg.conversation).sendDraft()
    #expect(try app.bodies() == ["once", "again"])
    #expect(try app.drafts.stored(in: eg.conversation).isEmpty)
  }

  // D7, D8.1, O15
  @Test func `text that is typed here is sent alone, and the other's text stays a draft`() async throws {
    type("mine", in: app)
    try store("theirs", in: other)
    try app.conversation(eg.conversation).sendDraft()
    #expect(try app.bodies() == ["mine"])
    #expect(text(in: app) == "theirs")
    await other.noticeOthers()
    #expect(text(in: other) == "theirs")
  }

  // O9.3, O15
  @Test func `a message that is taken back stands in front of what the other process stored`() async throws {
    let id = try app.send("sent", in: eg.conversation)
    try store("theirs", in: other)
    #expect(try await app.message(id).takeBack().text == "sent\ntheirs")
    #expect(try app.drafts.stored(in: eg.conversation) == ["sent\ntheirs"])
  }

  // O15
  @Test func `a text that was cleared here does not clear what the other process wrote since`() async throws {
    try store("old", in: app)
    await other.noticeOthers()
    type("", in: app)
    try store("new", in: other)
    try app.hardSave()
    #expect(text(in: app) == "new")
  }

  // D7, O15: moving the cursor does not count as typing.
  @Test func `a cursor that was moved here does not bring back what the other process has sent`()
    async throws
  {
    try store("once", in: app)
    await other.noticeOthers()
    app.drafts.edit(key, DraftContent("once", selection: TextRange(start: 1, end: 1)))
    try other.conversation(eg.conversation).sendDraft()
    #expect { try app.conversation(eg.conversation).sendDraft() } throws: {
      ($0 as? ChatError)?.code == .draftChanged
    }
    try app.hardSave()
    #expect(text(in: app).isEmpty)
    #expect(try app.drafts.stored(in: eg.conversation).isEmpty)
  }

  // D10, D18.6, O15
  @Test func `a text that the other process discards is not kept as a version here`() async throws {
    try store("a secret of some length", in: app)
    await other.noticeOthers()
    type("x", in: app)
    _ = try other.drafts.discard(in: eg.conversation)
    try app.hardSave()
    #expect(text(in: app) == "x")
    #expect(try app.drafts.versions(key).isEmpty)
  }

  // D18.5, O15
  @Test
  func `a text that the other process has sent is no version here, even after it has begun another draft`()
    async throws
  {
    try store("a text of some length", in: app)
    await other.noticeOthers()
    type("x", in: app)
    try other.conversation(eg.conversation).sendDraft()
    try store("the next one", in: other)
    try app.hardSave()
    #expect(text(in: app) == "the next one\nx")
    #expect(try app.drafts.versions(key).isEmpty)
  }

  // D18.5, O15
  @Test func `versions of one process are those of the other, and go with what either sends`() async throws {
    try store("This is kept as a version", in: other)
    try store("", in: other)
    await app.noticeOthers()
    #expect(app.draft().canTakeBack)
    let versions = try app.drafts.versions(key)
    #expect(versions.map(\.text) == ["This is kept as a version"])
    try store("theirs", in: other)
    try app.drafts.restoreVersion(try #require(versions.first).id, key)
    #expect(text(in: app) == "This is kept as a version")
    #expect(try app.drafts.versions(key).map(\.text) == ["theirs"])
    await other.noticeOthers()
    try other.conversation(eg.conversation).sendDraft()
    await app.noticeOthers()
    #expect(!app.draft().canTakeBack)
    #expect(try app.drafts.versions(key).isEmpty)
  }

  // D1.8, O15
  @Test func `the answered message is whichever was chosen last`() throws {
    try store("Hello", in: other)
    other.drafts.edit(key, DraftContent("Hello", replyTo: "m1"))
    try other.hardSave()
    app.drafts.followOthers()
    #expect(app.draft().buffer.content.replyTo == "m1")
    type("Hello you", in: app)
    other.drafts.edit(key, DraftContent("Hello", replyTo: "m2"))
    try other.hardSave()
    app.drafts.edit(key, DraftContent("Hello you", replyTo: "m1"))
    try app.hardSave()
    #expect(app.draft().buffer.content == DraftContent("Hello you", replyTo: "m2"))
  }

  // D1.9, O15
  @Test @MainActor func `the edit of a message is followed, and is over when the other process has sent it`()
    async throws
  {
    let id = try app.send("at eight", in: eg.conversation)
    let (here, there) = (ComposerModel(app, eg.conversation), ComposerModel(other, eg.conversation))
    there.beginEdit(id)
    there.edit("at nine")
    there.hardSave()
    await app.noticeOthers()
    here.refresh()
    #expect(here.snapshot.unfinishedEdit == id)
    here.beginEdit(id)
    #expect(here.snapshot.text == "at nine")
    #expect(there.send() == id)
    #expect(here.send() == nil)
    #expect(here.snapshot.editing == nil)
    #expect(here.snapshot.problem != nil)
    #expect(try app.bodies() == ["at nine"])
  }

  // D1.9, O15: edits of two different messages do not replace each other.
  @Test @MainActor func `an edit waits in its composer while the other process edits another message`()
    async throws
  {
    let ids = [
      try app.send("at eight", in: eg.conversation), try app.send("at ten", in: eg.conversation),
    ]
    let (here, there) = (ComposerModel(app, eg.conversation), ComposerModel(other, eg.conversation))
    here.beginEdit(ids[0])
    there.beginEdit(ids[1])
    here.edit("at nine")
    there.edit("at eleven")
    there.hardSave()
    here.hardSave()
    #expect(here.snapshot.text == "at nine")
    #expect(here.snapshot.problem?.contains("editing another message") == true)
    #expect(here.send() == ids[0])
    #expect(here.snapshot.unfinishedEdit == ids[1], "The other one stays a draft.")
    await other.noticeOthers()
    there.refresh()
    #expect(there.snapshot.text == "at eleven")
    #expect(there.send() == ids[1])
    #expect(try app.bodies() == ["at nine", "at eleven"])
  }

  // D15.1, O15
  @Test @MainActor func `a conversation that the other process renames keeps what is typed here`()
    async throws
  {
    let new: ConversationID = "server-17"
    let composer = ComposerModel(app, eg.conversation)
    composer.edit("typed")
    try await other.conversation(eg.conversation).replaceID(with: new)
    composer.hardSave()
    #expect(composer.snapshot.problem == nil)
    #expect(try app.drafts.stored(in: new) == ["typed"])
    composer.edit("typed here")
    await app.noticeOthers()
    #expect(app.drafts.text(in: new) == "typed here")
    #expect(composer.send() != nil)
    #expect(try app.reader.conversation(new, limit: 10).rows.map(\.text) == ["typed here"])
    #expect(try app.reader.list(limit: 10).rows.map(\.id) == [new])
    await other.noticeOthers()
    #expect(other.drafts.text(in: new).isEmpty)
  }

  // D7, D18.5, O15
  @Test func `a stored text that was typed over here goes with the draft that the other process sends`()
    async throws
  {
    try store("A text that both know", in: other)
    await app.noticeOthers()
    type("Something else", in: app)
    try store("A text that", in: other)
    type("A text that both know", in: other)
    _ = try other.conversation(eg.conversation).sendDraft()
    await app.noticeOthers()
    try app.hardSave()
    #expect(try app.drafts.stored(in: eg.conversation) == ["Something else"])
    #expect(try app.drafts.versions(key).isEmpty)
  }

  // D7, D15.1, D18.5, O15
  @Test func `a text that was sent after a rename is no version of the text here`() async throws {
    let new: ConversationID = "server-17"
    try store("A text that is sent there", in: other)
    await app.noticeOthers()
    #expect(text(in: app) == "A text that is sent there")
    type("Something else", in: app)
    try await other.conversation(eg.conversation).replaceID(with: new)
    _ = try other.conversation(new).sendDraft()
    // The composer is opened under the new ID, before this process knows that both IDs are one conversation.
    #expect(app.drafts.open(DraftKey(conversation: new.key)).buffer.content.text.isEmpty)
    await app.noticeOthers()
    try app.hardSave()
    #expect(try app.drafts.stored(in: new) == ["Something else"])
    #expect(try app.drafts.versions(DraftKey(conversation: new.key)).isEmpty)
  }

  // D13, D15, O15
  @Test func `a composer that was opened under both IDs shows the stored draft after the rename`()
    async throws
  {
    let new: ConversationID = "server-17"
    try store("A stored text", in: app)
    // The next save makes a version of the replaced text, so that the composer has something left to save.
    type("Something else entirely", in: app)
    type("A stored text", in: app)
    #expect(app.drafts.text(in: new).isEmpty)
    try await other.conversation(eg.conversation).replaceID(with: new)
    await app.noticeOthers()
    #expect(app.drafts.text(in: new) == "A stored text")
    try app.hardSave()
    #expect(try app.drafts.stored(in: new) == ["A stored text"])
    #expect(
      try app.drafts.versions(DraftKey(conversation: new.key)).map(\.text) == ["Something else entirely"])
  }

  // D15.1, O15
  @Test func `where a rename makes one of two conversations, what is typed in either is stored once`()
    async throws
  {
    let new: ConversationID = "server-17"
    try app.createConversation(new)
    try store("old", in: app)
    app.drafts.edit("new", in: new)
    try app.hardSave()
    type("old, and more", in: app)
    app.drafts.edit("new, and more", in: new)
    try await other.conversation(eg.conversation).replaceID(with: new)
    try app.hardSave()
    let stored = try #require(try app.drafts.stored(in: new).first)
    #expect(stored.contains("old, and more"))
    #expect(stored.contains("new, and more"))
    #expect(app.drafts.text(in: eg.conversation) == stored)
  }
}
