import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

private typealias eg = EngineExample

/// Files in drafts and in unsent messages, as they lie in the folder (SPEC D6, D7, D16, S9).
@Suite struct AttachingTests {
  private let bench: Bench

  init() throws { bench = try Bench(carriesAttachments: true) }

  private func files() -> [String] {
    let folder = bench.scratch.url.appendingPathComponent("attachments")
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }

  private func file(_ bytes: Data, named name: String = "picked.png") throws -> URL {
    let url = bench.scratch.url.appendingPathComponent(name)
    try bytes.write(to: url)
    return url
  }

  @discardableResult
  private func attach(
    _ text: String, _ client: ChatClient, name: String = "a.txt"
  ) throws(ChatError) -> Holdfast.Attachment {
    try client.attach(Data(text.utf8), name: name, in: eg.conversation)
  }

  private func refusal(_ body: () throws -> Void) -> ChatError.Code? {
    do { try body() } catch { return (error as? ChatError)?.code }
    return nil
  }

  // D1, D16
  @Test func `a picked file is copied, private, and in the draft after a relaunch`() throws {
    let picked = try file(Data("abc".utf8))
    let attachment = try bench.client().attach(picked, in: eg.conversation)
    try FileManager.default.removeItem(at: picked)
    #expect(
      attachment
        == Holdfast.Attachment(
          checksum: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", name: "picked.png",
          mediaType: "image/png", byteCount: 3))
    let client = try bench.client()
    #expect(client.draft().buffer.content.attachments == [attachment])
    let url = try #require(client.attachmentFile(attachment.checksum))
    #expect(try Data(contentsOf: url) == Data("abc".utf8))
    #expect(try bench.scratch.mode(of: "attachments") == 0o700)
    #expect(try bench.scratch.mode(of: "attachments/\(attachment.checksum)") == 0o600)
    #expect(files() == [attachment.checksum.rawValue])
  }

  // H6, O13
  @Test func `a message that came with the same file is told that it is here now`() throws {
    let client = try bench.client()
    var message = eg.incoming("m")
    let file = Holdfast.Attachment(
      checksum: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", name: "theirs.txt",
      mediaType: "text/plain", byteCount: 3)
    message.attachments = [file]
    _ = try client.store.write { [message] in try $0.take(message, now: eg.date) }
    #expect(try client.rows().first?.attachments.map(\.file) == [nil])
    let told = Mutexed<Set<ConversationID>>([])
    _ = client.store.changes.subscribe(Signal()) { changes in
      told.withLock { $0.formUnion(changes.timelines) }
      return false
    }
    try attach("abc", client)
    #expect(told.withLock { $0 } == [eg.conversation])
    #expect(try client.rows().first?.attachments.first?.file != nil)
  }

  // D16
  @Test func `what was typed is stored with the file that is picked`() throws {
    let client = try bench.client()
    client.edit("look", in: eg.conversation)
    try attach("x", client)
    #expect(try bench.client().draft().buffer.content.text == "look")
    client.edit("look here", in: eg.conversation)
    try client.hardSave()
    let content = try bench.client().draft().buffer.content
    #expect(content.text == "look here")
    #expect(content.attachments.count == 1)
  }

  // D6
  @Test func `a draft with an attachment and no text is a draft, and can be sent`() throws {
    let client = try bench.client()
    let attachment = try attach("x", client)
    client.edit(" ", in: eg.conversation)
    try client.hardSave()
    #expect(try bench.client().draft().buffer.content.attachments == [attachment])
    let id = try client.sendDraft(in: eg.conversation)
    let row = try #require(try client.rows().first)
    #expect(row.id == id)
    #expect(row.body == "")
    #expect(row.attachments.map(\.attachment) == [attachment])
    #expect(row.attachments.map(\.state) == [.waiting])
    #expect(row.attachments.first?.file == client.attachmentFile(attachment.checksum))
    #expect(try client.listSnapshot(limit: 1).rows.first?.excerpt == "a.txt")
    #expect(client.draft().buffer.content == DraftContent())
    #expect(try bench.client().draft().buffer.content == DraftContent())
  }

  // D6
  @Test func `a draft whose last attachment is taken out is gone, with its file`() throws {
    let client = try bench.client()
    let attachment = try attach("x", client)
    try client.removeAttachment(attachment.id, in: eg.conversation)
    #expect(try client.storedDrafts(in: eg.conversation).isEmpty)
    #expect(files().isEmpty)
    #expect(client.attachmentFile(attachment.checksum) == nil)
  }

  // D7
  @Test func `when a send fails, the attachment stays in the draft and nowhere else`() throws {
    let client = try bench.client()
    let attachment = try attach("x", client)
    bench.gate.fail()
    #expect(refusal { try client.sendDraft(in: eg.conversation) } == .storageFull)
    bench.gate.heal()
    #expect(client.draft().buffer.content.attachments == [attachment])
    #expect(try client.rows().isEmpty)
    #expect(try bench.client().draft().buffer.content.attachments == [attachment])
  }

  // O9, D16
  @Test func `a message that is taken back brings its attachments, in front of those that are there`()
    async throws
  {
    let client = try bench.client()
    let first = try attach("1", client)
    client.edit("one", in: eg.conversation)
    let id = try client.sendDraft(in: eg.conversation)
    let second = try attach("2", client)
    client.edit("two", in: eg.conversation)
    let content = try await client.takeBack(id)
    #expect(content == DraftContent("one\ntwo", attachments: [first, second]))
    #expect(try bench.client().draft().buffer.content == content)
    #expect(try client.rows().isEmpty)
    #expect(files().count == 2)
  }

  // O9, S9
  @Test func `a message that is deleted takes its file with it, unless something else has it`() async throws {
    let client = try bench.client()
    try attach("same", client)
    let id = try client.sendDraft(in: eg.conversation)
    let again = try attach("same", client, name: "b.txt")
    try await client.cancel(id)
    #expect(files() == [again.checksum.rawValue])
    try await client.cancel(try client.sendDraft(in: eg.conversation))
    #expect(files().isEmpty)
    #expect(try client.store.read { try $0.attachmentsHere() }.isEmpty)
  }

  // O16
  @Test func `held messages go back to the composer with their attachments`() throws {
    let client = try bench.client()
    let attachments = try ["1", "2"].map { text throws -> Holdfast.Attachment in
      let attachment = try attach(text, client)
      try client.sendDraft(in: eg.conversation)
      return attachment
    }
    try client.store.write { try $0.hold(eg.conversation) }
    try client.answerHeld(.backToComposer)
    #expect(try bench.client().draft().buffer.content.attachments == attachments)
  }

  // D10, S9
  @MainActor @Test func `a discarded file is gone from the folder, and Undo brings it back`() throws {
    let client = try bench.client()
    let attachment = try attach("secret", client)
    let composer = ComposerModel(client, eg.conversation)
    #expect(composer.snapshot.canSend)
    #expect(composer.snapshot.attachments.map(\.attachment) == [attachment])
    composer.discard()
    #expect(composer.snapshot.attachments.isEmpty)
    #expect(files().isEmpty)
    composer.undoDiscard()
    #expect(composer.snapshot.attachments.map(\.attachment) == [attachment])
    #expect(try bench.client().draft().buffer.content.attachments == [attachment])
    #expect(try bench.scratch.bytes(of: "attachments/\(attachment.checksum)") == Data("secret".utf8))
  }

  // D10, S4
  @MainActor @Test func `Undo on a full disk brings the text back, and goes on offering the file`() throws {
    let client = try bench.client()
    let attachment = try attach("secret", client)
    client.edit("with a file", in: eg.conversation)
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
    let (client, picked) = (try bench.client(), try file(Data([1])))
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

  @Test func `the same file is in a draft once under each name, and in as many drafts as it is picked for`()
    throws
  {
    let client = try bench.client()
    try client.createConversation("other")
    let first = try attach("same", client)
    #expect(try attach("same", client) == first)
    let second = try attach("same", client, name: "b.txt")
    try client.attach(Data("same".utf8), name: "a.txt", in: "other")
    #expect(client.draft().buffer.content.attachments == [first, second])
    #expect(files().count == 1)
    try client.removeAttachment(first.id, in: eg.conversation)
    try client.removeAttachment(second.id, in: eg.conversation)
    #expect(files().count == 1, "The other draft has it.")
    try client.removeAttachment(first.id, in: "other")
    #expect(files().isEmpty)
  }

  @Test(arguments: [Data(), Data(count: OpenFile.pieceBytes), Data(count: OpenFile.pieceBytes * 3 + 1)])
  func `a file of any size arrives whole`(_ bytes: Data) throws {
    let client = try bench.client()
    let attachment = try client.attach(try file(bytes), in: eg.conversation)
    #expect(attachment.byteCount == bytes.count)
    #expect(try bench.scratch.bytes(of: "attachments/\(attachment.checksum)") == bytes)
    #expect(try client.attach(bytes, name: "picked.png", in: eg.conversation) == attachment)
  }

  @Test func `a huge file is copied piece by piece`() throws {
    let store = try bench.client().store
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
    #expect(files().isEmpty)
  }

  @Test func `what cannot be attached says why, and leaves nothing behind`() throws {
    let limits = AttachmentLimits(maximumBytes: 4, perDraft: 1)
    let client = try bench.client(attachments: limits)
    let folder = bench.scratch.url
    let pipe = folder.appendingPathComponent("pipe")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    let unreadable = [
      folder.appendingPathComponent("gone"), folder, pipe, URL(string: "https://example.org/a.png")!,
    ]
    for url in unreadable {
      #expect(refusal { try client.attach(url, in: eg.conversation) } == .attachmentUnreadable, "\(url)")
    }
    #expect(refusal { try attach("12345", client) } == .attachmentTooLarge)
    #expect(
      refusal { try client.attach(Data([1]), name: "a", mediaType: "image", in: eg.conversation) }
        == .malformedMediaType)
    #expect(refusal { try client.attach(Data([1]), name: "a", in: "nowhere") } == .unknownConversation)
    #expect(files().isEmpty)
    try attach("1234", client)
    #expect(refusal { try attach("2", client) } == .tooManyAttachments)
    #expect(files().count == 1)
    #expect(client.draft().problem?.code == .tooManyAttachments)
  }

  @Test func `a transport without attachments refuses them when they are picked, and when they are sent`()
    throws
  {
    try attach("x", try bench.client())
    let other = try Bench()
    #expect(refusal { try attach("x", try other.client()) } == .attachmentsUnsupported)
    let client = try ChatClient(
      storage: .folder(bench.scratch.url), transport: other.transport, user: eg.user,
      environment: bench.environment)
    #expect(refusal { try client.sendDraft(in: eg.conversation) } == .attachmentsUnsupported)
    #expect(client.draft().buffer.content.attachments.count == 1)
  }

  @Test func `joined drafts may hold more than can be sent at once`() async throws {
    let client = try bench.client(attachments: AttachmentLimits(perDraft: 1))
    try attach("1", client)
    let id = try client.sendDraft(in: eg.conversation)
    try attach("2", client)
    #expect(try await client.takeBack(id).attachments.count == 2)
    #expect(refusal { try client.sendDraft(in: eg.conversation) } == .tooManyAttachments)
  }

  @Test func `a full disk leaves the draft as it was, and no file`() throws {
    let client = try bench.client()
    let first = try attach("1", client)
    bench.gate.fail()
    #expect(refusal { try attach("2", client) } == .storageFull)
    bench.gate.heal()
    #expect(client.draft().buffer.content.attachments == [first])
    #expect(client.draft().problem?.code == .storageFull)
    #expect(files() == [first.checksum.rawValue])
  }

  // D16
  @Test func `a launch takes away what a dead process left, and nothing else`() throws {
    let client = try bench.client()
    let kept = try attach("kept", client)
    let folder = bench.scratch.url.appendingPathComponent("attachments")
    let orphan = String(repeating: "0", count: 64)
    for name in ["import-dead", orphan, orphan + ".part", kept.checksum.rawValue + ".part", "foreign"] {
      try Data([1]).write(to: folder.appendingPathComponent(name))
    }
    let alive = folder.appendingPathComponent("import-alive")
    let copy = try OpenFile.new(alive)
    #expect(copy.lock())
    client.sweepAttachmentFolder()
    #expect(files() == [kept.checksum.rawValue, "foreign", "import-alive"].sorted())
  }

  // D16
  @Test func `a row that lost its last use in a crash goes at the next launch, with its file`() throws {
    let client = try bench.client()
    try attach("x", client)
    try client.store.write { try $0.deleteDraft(eg.key) }
    #expect(files().count == 1, "The process ended between the commit and the sweep.")
    try bench.client().sweepAttachmentFolder()
    #expect(files().isEmpty)
  }

  /// Whatever is done in whatever order, and wherever a commit fails: what is used has its file, and once all is
  /// swept, what is not used has none.
  // D16, S9
  @Test(arguments: 0..<30)
  func `no sweep takes what is used, and none leaves what is not`(seed: UInt64) async throws {
    var dice = SeededRandom(seed: seed)
    var client = try bench.client()
    try client.createConversation("other")
    let conversations = [eg.conversation, "other"]
    for _ in 0..<60 {
      let conversation = conversations[dice.below(2)]
      if dice.below(6) == 0 { bench.gate.fail() }
      let unsent = try client.store.read { db in
        try db.rows("SELECT messageID FROM outbox WHERE conversationID = ?", [conversation.rawValue]) {
          MessageID(rawValue: $0[0])
        }
      }
      let picked = client.drafts.open(DraftKey(conversation: conversation)).buffer.content.attachments
      switch dice.below(8) {
      case 0, 1, 2:
        _ = try? client.attach(Data([UInt8(dice.below(4))]), name: "f\(dice.below(2))", in: conversation)
      case 3: _ = try? client.sendDraft(in: conversation)
      case 4: if !unsent.isEmpty { _ = try? await client.takeBack(unsent[dice.below(unsent.count)]) }
      case 5: if !unsent.isEmpty { try? await client.cancel(unsent[dice.below(unsent.count)]) }
      case 6:
        _ = try? client.drafts.discard(DraftKey(conversation: conversation))
      default:
        if !picked.isEmpty {
          try? client.removeAttachment(picked[dice.below(picked.count)].id, in: conversation)
        }
      }
      bench.gate.heal()
      if dice.below(10) == 0 {
        client = try bench.client()
        client.sweepAttachmentFolder()
      }
      let used = try client.store.read { db in
        try db.rows("SELECT DISTINCT checksum FROM attachmentUse ORDER BY checksum") { $0[0] as String }
      }
      #expect(Set(used).isSubset(of: files()))
      for conversation in conversations {
        let shown = client.drafts.open(DraftKey(conversation: conversation)).buffer.content.attachments
        let stored = try client.store.read { try $0.attachments(of: DraftKey(conversation: conversation)) }
        #expect(shown == stored)
      }
    }
    try bench.client().sweepAttachmentFolder()
    let used = try client.store.read { db in
      try db.rows("SELECT DISTINCT checksum FROM attachmentUse ORDER BY checksum") { $0[0] as String }
    }
    #expect(files() == used)
  }
}

extension SeededRandom {
  fileprivate mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}
