import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// Files in drafts and in unsent messages, as stored in the folder (rules D6, D7, D16, S9).
@Suite struct AttachingTests {
  private let bench: Bench

  init() throws { bench = try Bench(carriesAttachments: true) }

  // D1.7, D16.3, D16.4, P3.4
  @Test func `a picked file is copied, private, and in the draft after a relaunch`() throws {
    let picked = try bench.file(Data("abc".utf8))
    let attachment = try bench.client().conversation(eg.conversation).attach(picked)
    try FileManager.default.removeItem(at: picked)
    #expect(
      attachment
        == ChatAttachment(
          checksum: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", name: "picked.png",
          mediaType: "image/png", byteCount: 3))
    let client = try bench.client()
    #expect(client.draft().buffer.content.attachments == [attachment])
    let url = try #require(client.attachmentFile(attachment.checksum))
    #expect(try Data(contentsOf: url) == Data("abc".utf8))
    #expect(try bench.scratch.mode(of: "attachments") == 0o700)
    #expect(try bench.scratch.mode(of: "attachments/\(attachment.checksum)") == 0o600)
    #expect(bench.attachmentFiles == [attachment.checksum.rawValue])
  }

  // H6, O13
  @Test func `a message that came with the same file is notified that it is here now`() async throws {
    let client = try bench.client()
    var message = eg.incoming("m")
    let file = ChatAttachment(
      checksum: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", name: "theirs.txt",
      mediaType: "text/plain", byteCount: 3)
    message.attachments = [file]
    try client.takeIn(message)
    var shown = client.conversation(eg.conversation).timeline().makeAsyncIterator()
    #expect(try await shown.next()?.rows.first?.attachments.map(\.file) == [nil])
    try client.attach(text: "abc")
    #expect(try await shown.next()?.rows.first?.attachments.first?.file != nil)
  }

  // D16
  @Test func `unsaved text is stored with the picked file`() throws {
    let client = try bench.client()
    client.drafts.edit("look", in: eg.conversation)
    try client.attach(text: "x")
    #expect(try bench.client().draft().buffer.content.text == "look")
    client.drafts.edit("look here", in: eg.conversation)
    try client.hardSave()
    let content = try bench.client().draft().buffer.content
    #expect(content.text == "look here")
    #expect(content.attachments.count == 1)
  }

  // D6.2
  @Test func `a draft with an attachment and no text is a draft, and can be sent`() throws {
    let client = try bench.client()
    let attachment = try client.attach(text: "x")
    client.drafts.edit(" ", in: eg.conversation)
    try client.hardSave()
    #expect(try bench.client().draft().buffer.content.attachments == [attachment])
    let id = try client.conversation(eg.conversation).sendDraft()
    let row = try #require(try client.rows().first)
    #expect(row.id == id)
    #expect(row.text == "")
    #expect(row.attachments.map(\.attachment) == [attachment])
    #expect(row.attachments.map(\.state) == [.waiting])
    #expect(row.attachments.first?.file == client.attachmentFile(attachment.checksum))
    #expect(try client.reader.list(limit: 1).rows.first?.excerpt == "a.txt")
    #expect(client.draft().buffer.content == DraftContent())
    #expect(try bench.client().draft().buffer.content == DraftContent())
  }

  // D6.1, D16.5
  @Test func `a draft whose last attachment is taken out is gone, with its file`() throws {
    let client = try bench.client()
    let attachment = try client.attach(text: "x")
    try client.conversation(eg.conversation).removeAttachment(attachment.id)
    #expect(try client.drafts.stored(in: eg.conversation).isEmpty)
    #expect(bench.attachmentFiles.isEmpty)
    #expect(client.attachmentFile(attachment.checksum) == nil)
  }

  // D7.3
  @Test func `when a send fails, the attachment stays in the draft and nowhere else`() throws {
    let client = try bench.client()
    let attachment = try client.attach(text: "x")
    bench.gate.fail()
    #expect(refusal { try client.conversation(eg.conversation).sendDraft() } == .storageFull)
    bench.gate.heal()
    #expect(client.draft().buffer.content.attachments == [attachment])
    #expect(try client.rows().isEmpty)
    #expect(try bench.client().draft().buffer.content.attachments == [attachment])
  }

  // D16, O9.3
  @Test func `a message that is taken back brings its attachments, in front of those that are there`()
    async throws
  {
    let client = try bench.client()
    let first = try client.attach(text: "1")
    client.drafts.edit("one", in: eg.conversation)
    let id = try client.conversation(eg.conversation).sendDraft()
    let second = try client.attach(text: "2")
    client.drafts.edit("two", in: eg.conversation)
    let content = try await client.message(id).takeBack()
    #expect(content == DraftContent("one\ntwo", attachments: [first, second]))
    #expect(try bench.client().draft().buffer.content == content)
    #expect(try client.rows().isEmpty)
    #expect(bench.attachmentFiles.count == 2)
  }

  // D16.5, O9.2, S9.4
  @Test func `a message that is deleted takes its file with it, unless something else has it`() async throws {
    let client = try bench.client()
    try client.attach(text: "same")
    let id = try client.conversation(eg.conversation).sendDraft()
    let again = try client.attach(text: "same", name: "b.txt")
    try await client.message(id).cancel()
    #expect(bench.attachmentFiles == [again.checksum.rawValue])
    try await client.message(try client.conversation(eg.conversation).sendDraft()).cancel()
    #expect(bench.attachmentFiles.isEmpty)
    #expect(try client.storeDiagnostics().attachments == 0)
  }

  // O16.3
  @Test func `held messages go back to the composer with their attachments`() throws {
    let client = try bench.client()
    let attachments = try ["1", "2"].map { text throws -> ChatAttachment in
      let attachment = try client.attach(text: text)
      try client.conversation(eg.conversation).sendDraft()
      return attachment
    }
    try client.hold()
    try client.outbox.answerHeld(.backToComposer)
    #expect(try bench.client().draft().buffer.content.attachments == attachments)
  }

  // D10.5, S9.4
  @MainActor @Test func `a discarded file is gone from the folder, and Undo brings it back`() throws {
    let client = try bench.client()
    let attachment = try client.attach(text: "secret")
    let composer = ComposerModel(client, eg.conversation)
    #expect(composer.snapshot.canSend)
    #expect(composer.snapshot.attachments.map(\.attachment) == [attachment])
    composer.discard()
    #expect(composer.snapshot.attachments.isEmpty)
    #expect(bench.attachmentFiles.isEmpty)
    composer.undoDiscard()
    #expect(composer.snapshot.attachments.map(\.attachment) == [attachment])
    #expect(try bench.client().draft().buffer.content.attachments == [attachment])
    #expect(try bench.scratch.bytes(of: "attachments/\(attachment.checksum)") == Data("secret".utf8))
  }

  // D10.7, S4.1, S4.3
  @MainActor @Test func `Undo on a full disk brings the text back, and goes on offering the file`() throws {
    let client = try bench.client()
    let attachment = try client.attach(text: "secret")
    client.drafts.edit("with a file", in: eg.conversation)
    let composer = ComposerModel(client, eg.conversation)
    composer.discard()
    bench.gate.fail()
    composer.undoDiscard()
    #expect(composer.snapshot.text == "with a file")
    #expect(composer.snapshot.problem == "The disk is full.")
    #expect(composer.snapshot.banner?.kind == .discarded)
    composer.edit("with a file, and more")
    bench.gate.heal()
    composer.undoDiscard()
    #expect(composer.snapshot.text == "with a file, and more")
    #expect(composer.snapshot.attachments.map(\.attachment) == [attachment])
    #expect(composer.snapshot.banner?.kind != .discarded)
    #expect(try bench.scratch.bytes(of: "attachments/\(attachment.checksum)") == Data("secret".utf8))
  }

  @Test func `the composer shows what is picked, and why something is not`() async throws {
    let (client, picked) = (try bench.client(), try bench.file(Data([1])))
    let composer = await ComposerModel(client, eg.conversation)
    let attachment = await composer.attach(picked, name: "b.gif")
    #expect(attachment?.name == "b.gif")
    #expect(await composer.snapshot.attachments.map(\.state) == [.here])
    #expect(await composer.attach(picked, mediaType: "nonsense") == nil)
    #expect(await composer.snapshot.problem == "A media type is written like image/png.")
    await composer.removeAttachment(try #require(attachment).id)
    #expect(await composer.snapshot.attachments.isEmpty)
    #expect(await !composer.snapshot.canSend)
    #expect(await composer.attach(Data([2]), name: "c") != nil)
  }

  // D16.5
  @Test func `the same file is in a draft once under each name, and in as many drafts as it is picked for`()
    throws
  {
    let client = try bench.client()
    try client.createConversation("other")
    let first = try client.attach(text: "same")
    #expect(try client.attach(text: "same") == first)
    let second = try client.attach(text: "same", name: "b.txt")
    try client.conversation("other").attach(Data("same".utf8), name: "a.txt")
    #expect(client.draft().buffer.content.attachments == [first, second])
    #expect(bench.attachmentFiles.count == 1)
    try client.conversation(eg.conversation).removeAttachment(first.id)
    try client.conversation(eg.conversation).removeAttachment(second.id)
    #expect(bench.attachmentFiles.count == 1, "The other draft has it.")
    try client.conversation("other").removeAttachment(first.id)
    #expect(bench.attachmentFiles.isEmpty)
  }

  // D16.3
  @Test(arguments: [Data(), Data(count: OpenFile.pieceBytes), Data(count: OpenFile.pieceBytes * 3 + 1)])
  func `a file of any size arrives whole`(_ bytes: Data) throws {
    let client = try bench.client()
    let attachment = try client.conversation(eg.conversation).attach(try bench.file(bytes))
    #expect(attachment.byteCount == bytes.count)
    #expect(try bench.scratch.bytes(of: "attachments/\(attachment.checksum)") == bytes)
    #expect(try client.conversation(eg.conversation).attach(bytes, name: "picked.png") == attachment)
  }

  @Test func `a huge file is copied piece by piece`() throws {
    let store = try bench.store()
    var largest = 0
    let copy = try store.copyAttachment(named: "huge", atMost: 20_000_000) { offset in
      let piece = Data(count: min(OpenFile.pieceBytes, 20_000_000 - Int(offset)))
      largest = max(largest, piece.count)
      return piece
    }
    #expect(copy.byteCount == 20_000_000)
    #expect(largest == OpenFile.pieceBytes)
    #expect(try OpenFile(reading: copy.place).checksum() == copy.checksum)
    store.attachments.abandon(copy)
    #expect(bench.attachmentFiles.isEmpty)
  }
}
