import Testing

@testable import Holdfast

private typealias eg = EngineExample

/// One draft, written by two processes.
@Suite struct SharedDraftsTests {
  private let app: ChatClient
  private let other: ChatClient

  init() throws {
    let shared = SharedBench(try Bench())
    app = try shared.client(shared.app, isSimulated: false)
    other = try shared.client(shared.other, isSimulated: false)
    // Both show the conversation.
    (_, _) = (app.draft(), other.draft())
  }

  private func type(_ text: String, in client: ChatClient) { client.edit(text, in: eg.conversation) }
  private func text(in client: ChatClient) -> String { client.draftText(in: eg.conversation) }
  private func store(_ text: String, in client: ChatClient) throws {
    type(text, in: client)
    try client.saveDraft(in: eg.conversation)
  }

  // O15, D13
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

  // O15, D13
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

  // O15, D7
  @Test func `the other process sends it -> it is gone from the composer, and cannot be sent twice`()
    async throws
  {
    try store("once", in: app)
    await other.noticeOthers()
    try other.sendDraft(in: eg.conversation)
    #expect { try app.sendDraft(in: eg.conversation) } throws: { ($0 as? ChatError)?.code == .draftChanged }
    #expect(text(in: app).isEmpty)
    #expect(try app.bodies() == ["once"])
    try store("again", in: app)
    try app.sendDraft(in: eg.conversation)
    #expect(try app.bodies() == ["once", "again"])
    #expect(try app.storedDrafts(in: eg.conversation).isEmpty)
  }

  // O15, D7, D8
  @Test func `what is typed here is sent alone, and the other's text stays a draft`() async throws {
    type("mine", in: app)
    try store("theirs", in: other)
    try app.sendDraft(in: eg.conversation)
    #expect(try app.bodies() == ["mine"])
    #expect(text(in: app) == "theirs")
    await other.noticeOthers()
    #expect(text(in: other) == "theirs")
  }

  // O15, O9
  @Test func `a message that is taken back stands in front of what the other process stored`() async throws {
    let id = try app.send("sent", in: eg.conversation)
    try store("theirs", in: other)
    #expect(try await app.takeBack(id).text == "sent\ntheirs")
    #expect(try app.storedDrafts(in: eg.conversation) == ["sent\ntheirs"])
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
}
