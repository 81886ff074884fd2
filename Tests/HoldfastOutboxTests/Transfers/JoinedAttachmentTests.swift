import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// Files of drafts that are joined, moved, edited and taken back (rules D1, D15, D17, D18).
@Suite struct JoinedAttachmentTests {
  private let bench: Bench

  init() throws { bench = try Bench(carriesAttachments: true) }

  private func attach(
    _ text: String, _ client: ChatClient, in conversation: ConversationID = eg.conversation
  ) throws(ChatError) -> ChatAttachment {
    try client.conversation(conversation).attach(Data(text.utf8), name: "\(text).txt")
  }

  private func type(_ text: String, _ client: ChatClient) throws {
    client.drafts.edit(text, in: eg.conversation)
    try client.hardSave()
  }

  // D1.7
  @Test func `two contents are one with the files of both, each once`() {
    let files = ["1", "2", "3"].map {
      ChatAttachment(
        checksum: ChatAttachment.Checksum(rawValue: $0), name: "a", mediaType: "text/plain", byteCount: 1)
    }
    let first = DraftContent("one", attachments: [files[0], files[1]])
    let second = DraftContent("two", replyTo: "m", attachments: [files[1], files[2]])
    #expect(
      DraftContent.merge(first, second) == DraftContent("one\ntwo", replyTo: "m", attachments: files))
    let blank = DraftContent(" ", attachments: [files[2]])
    #expect(DraftContent.merge(first, blank) == DraftContent("one", attachments: files))
    #expect(
      DraftContent.merge(blank, first) == DraftContent("one", attachments: [files[2], files[0], files[1]]))
  }

  // D17.2
  @Test func `text that is typed before the draft is loaded joins its text and its files`() throws {
    let client = try bench.client()
    let file = try attach("1", client)
    try type("stored", client)
    let later = try bench.client()
    try StoreSurgery.hideDrafts(of: later)
    later.drafts.edit("typed", in: eg.conversation)
    #expect(later.drafts.attachments(in: eg.conversation).isEmpty)
    #expect(throws: ChatError.self) { try attach("2", later) }
    try StoreSurgery.showDrafts(of: later)
    let second = try attach("2", later)
    let content = try bench.client().draft().buffer.content
    #expect(content.text == "stored\ntyped")
    #expect(content.attachments == [file, second])
  }

  // D15.1, D15.2
  @Test func `a conversation that is renamed keeps the files of its draft and of what is unsent`()
    async throws
  {
    let client = try bench.client()
    let sent = try attach("1", client)
    try client.conversation(eg.conversation).sendDraft()
    let picked = try attach("2", client)
    try await client.conversation(eg.conversation).replaceID(with: "server-17")
    let later = try bench.client()
    #expect(later.drafts.attachments(in: "server-17") == [picked])
    let rows = try later.reader.conversation("server-17", limit: 10).rows
    #expect(rows.map { $0.attachments.map(\.attachment) } == [[sent]])
    let third = try client.conversation(eg.conversation).attach(Data("3".utf8), name: "3.txt")
    #expect(client.drafts.attachments(in: "server-17") == [picked, third])
  }

  // D15.1
  @Test(arguments: ["same", "other"])
  func `two drafts that become one have the files of both`(text: String) async throws {
    let client = try bench.client()
    try client.createConversation("server-17")
    let (first, second) = (try attach("1", client), try attach("2", client, in: "server-17"))
    _ = try attach("2", client)
    try type("same", client)
    client.drafts.edit(text, in: "server-17")
    try client.hardSave()
    try await client.conversation(eg.conversation).replaceID(with: "server-17")
    let content = try bench.client().drafts.open(DraftKey(conversation: "server-17")).buffer.content
    #expect(content.text == (text == "same" ? "same" : "other\nsame"))
    #expect(content.attachments == [second, first])
    #expect(try client.storeDiagnostics().attachments == 2)
  }

  // D18.3
  @Test func `a version has the text, and the files stay with the draft`() throws {
    let client = try bench.client()
    try type("a text that is long enough", client)
    let file = try attach("1", client)
    try type("", client)
    let version = try #require(try client.drafts.versions(eg.key).first)
    #expect(version.text == "a text that is long enough")
    try client.drafts.restoreVersion(version.id, eg.key)
    let content = try bench.client().draft().buffer.content
    #expect(content == DraftContent("a text that is long enough", attachments: [file]))
    try client.conversation(eg.conversation).removeAttachment(file.id)
    #expect(try client.drafts.versions(eg.key).isEmpty, "Files alone are no version.")
  }

  // D18.3
  @Test func `a short text that is deleted beside a file is a version too`() throws {
    let client = try bench.client()
    _ = try attach("1", client)
    try type("abc", client)
    try type("", client)
    #expect(try client.drafts.versions(eg.key).map(\.text) == ["abc"])
  }

  // D1.3
  @Test @MainActor func `an edit changes the text only, and the new message keeps its files`() async throws {
    let client = try bench.client()
    let sent = try attach("1", client)
    let id = try client.conversation(eg.conversation).sendDraft()
    let composer = ComposerModel(client, eg.conversation)
    let picked = try #require(await composer.attach(Data("2".utf8), name: "2.txt"))
    composer.beginEdit(id)
    #expect(composer.snapshot.editing == id)
    #expect(composer.snapshot.attachments.isEmpty)
    #expect(await composer.attach(Data("3".utf8), name: "3.txt") == nil)
    #expect(
      composer.snapshot.problem == "An edit changes the text only. Finish or cancel it, then add the file.")
    composer.edit("a text")
    composer.send()
    #expect(composer.snapshot.editing == nil)
    #expect(composer.snapshot.attachments.map(\.attachment) == [picked])
    #expect(try client.bodies() == ["a text"])
    #expect(try client.rows().first?.attachments.map(\.attachment) == [sent])
  }

  // D1.8, D1.10, O9.3, O16.3
  @Test func `a message that is taken back has its files, its reply target and its formatting`() async throws
  {
    let client = try bench.client()
    let file = try attach("1", client)
    let typed = DraftContent("one", replyTo: "m1", formatting: Data([7]))
    client.drafts.edit(eg.key, typed)
    let id = try client.conversation(eg.conversation).sendDraft()
    var expected = typed
    expected.attachments = [file]
    #expect(try await client.message(id).takeBack() == expected)
    try client.conversation(eg.conversation).sendDraft()
    try client.hold()
    try client.outbox.answerHeld(.backToComposer)
    #expect(try bench.client().draft().buffer.content == expected)
  }

  // D13
  @Test @MainActor func `text that is typed while a file is copied is not set aside`() async throws {
    let client = try bench.client()
    let composer = ComposerModel(client, eg.conversation)
    composer.edit("a text that is long enough")
    try client.conversation(eg.conversation).attach(Data("1".utf8), name: "1.txt")
    composer.edit("a")
    #expect(composer.snapshot.text == "a")
    #expect(composer.snapshot.generation == 0)
  }

  // D10.5, S9.4
  @Test
  func `an app that sends by itself discards a draft with files, and brings it back when there is room`()
    throws
  {
    let file = try attach("1", try bench.client())
    let composer = DraftController(
      store: try bench.store(), user: eg.user,
      configuration: ChatConfiguration(environment: bench.environment)
    ).composer(in: eg.conversation)
    let folder = bench.scratch.url.appendingPathComponent("attachments").path
    #expect(try composer.content().attachments == [file])
    try composer.discard()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    bench.gate.fail()
    #expect(throws: ChatError.self) { try composer.undoDiscard() }
    #expect(composer.banner?.kind == .discarded)
    bench.gate.heal()
    #expect(try composer.undoDiscard()?.attachments == [file])
    #expect(try composer.undoDiscard() == nil)
    try composer.sendSucceeded("m1")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
  }
}
