import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// Files of drafts and messages in a store that two processes write to (rules O15, D16).
@Suite struct SharedAttachmentTests {
  private let bench: Bench
  private let app: ChatClient
  private let other: ChatClient

  init() throws {
    bench = try Bench()
    let shared = SharedBench(bench)
    app = try shared.client(shared.app, isSimulated: false)
    other = try shared.client(shared.other, isSimulated: false)
    // Both processes show the conversation.
    (_, _) = (app.draft(), other.draft())
  }

  @discardableResult
  private func attach(_ text: String, _ client: ChatClient) throws(ChatError) -> ChatAttachment {
    try client.conversation(eg.conversation).attach(Data(text.utf8), name: "\(text).txt")
  }

  private func picked(_ client: ChatClient) -> [ChatAttachment] {
    client.drafts.attachments(in: eg.conversation)
  }

  private func text(_ client: ChatClient) -> String { client.drafts.text(in: eg.conversation) }

  private func sent(_ client: ChatClient) throws -> [[ChatAttachment]] {
    try client.rows().map { $0.attachments.map(\.attachment) }
  }

  // D13.2, O15
  @Test func `a file that one process picks is in the other's composer, until it is removed`()
    async throws
  {
    let file = try attach("1", other)
    await app.noticeOthers()
    #expect(picked(app) == [file])
    try app.conversation(eg.conversation).removeAttachment(file.id)
    await other.noticeOthers()
    #expect(picked(other).isEmpty)
    #expect(bench.attachmentFiles.isEmpty)
  }

  // D13.3, O15
  @Test func `typed here, picked there -> one draft with both`() async throws {
    app.drafts.edit("mine", in: eg.conversation)
    let file = try attach("1", other)
    try app.hardSave()
    #expect(picked(app) == [file])
    await other.noticeOthers()
    #expect(picked(other) == [file])
    #expect(text(other) == "mine")
  }

  // O15, D16
  @Test func `both pick files -> all of them are in the draft, each once`() async throws {
    let first = try attach("1", app)
    let second = try attach("2", other)
    try attach("1", other)
    #expect(picked(other) == [first, second])
    await app.noticeOthers()
    #expect(picked(app) == [first, second])
  }

  // O15, D7
  @Test func `a draft whose files another process has changed is sent once its user has seen that`()
    async throws
  {
    let first = try attach("1", app)
    await other.noticeOthers()
    app.drafts.edit("mine", in: eg.conversation)
    let second = try attach("2", other)
    #expect { try app.conversation(eg.conversation).sendDraft() } throws: {
      ($0 as? ChatError)?.code == .draftChanged
    }
    #expect(picked(app) == [first, second])
    #expect(text(app) == "mine")
    try app.conversation(eg.conversation).sendDraft()
    #expect(try sent(app) == [[first, second]])
    #expect(picked(app).isEmpty)
    #expect(try app.drafts.stored(in: eg.conversation).isEmpty)
  }

  // O15, D7
  @Test func `the other process sends the draft -> its files went with it, and are sent once`() async throws {
    app.drafts.edit("look", in: eg.conversation)
    let file = try attach("1", app)
    await other.noticeOthers()
    app.drafts.edit("look here", in: eg.conversation)
    try other.conversation(eg.conversation).sendDraft()
    #expect { try app.conversation(eg.conversation).sendDraft() } throws: {
      ($0 as? ChatError)?.code == .draftChanged
    }
    #expect(picked(app).isEmpty)
    try app.conversation(eg.conversation).sendDraft()
    #expect(try app.bodies() == ["look", "look here"])
    #expect(try sent(app) == [[file], []])
    #expect(bench.attachmentFiles == [file.checksum.rawValue])
  }

  // O15, D7
  @Test
  func `text that is typed here is sent with the files, and the other's text stays a draft without them`()
    async throws
  {
    let file = try attach("1", app)
    await other.noticeOthers()
    app.drafts.edit("mine", in: eg.conversation)
    other.drafts.edit("theirs", in: eg.conversation)
    try other.hardSave()
    try app.conversation(eg.conversation).sendDraft()
    #expect(try app.bodies() == ["mine"])
    #expect(try sent(app) == [[file]])
    await other.noticeOthers()
    #expect(text(other) == "theirs")
    #expect(picked(other).isEmpty)
    #expect(picked(app).isEmpty)
  }

  // D10.5, O15, S9.4
  @Test func `discarded there -> gone here, and Undo there brings it back here`() async throws {
    let file = try attach("1", app)
    await other.noticeOthers()
    var discarded = try other.drafts.discard(in: eg.conversation)
    await app.noticeOthers()
    #expect(picked(app).isEmpty)
    #expect(bench.attachmentFiles.isEmpty)
    try other.drafts.restore(&discarded, in: eg.conversation)
    await app.noticeOthers()
    #expect(picked(app) == [file])
    #expect(bench.attachmentFiles == [file.checksum.rawValue])
  }

  // D16.5, O15
  @Test func `a sweep takes neither what another process has, nor what it is copying`() throws {
    let draft = try attach("1", app)
    try app.createConversation("second")
    let message = try app.conversation("second").attach(Data("2".utf8), name: "2")
    try app.conversation("second").sendDraft()
    let copy = try app.store.copyAttachment(named: "busy", atMost: 100) { offset in
      try other.store.sweepAttachmentFolder()
      return offset == 0 ? Data([1]) : Data()
    }
    #expect(
      bench.attachmentFiles == [draft.checksum.rawValue, message.checksum.rawValue, "import-busy"].sorted())
    app.store.attachments.abandon(copy)
    #expect(bench.attachmentFiles == [draft.checksum.rawValue, message.checksum.rawValue].sorted())
  }

  // O15, O13
  @Test func `a file that one process wants is downloaded by the connected one, and not forgotten`()
    async throws
  {
    let large = ChatAttachment(
      checksum: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", name: "large.mov",
      mediaType: "video/quicktime", byteCount: 50_000_000)
    var message = eg.incoming("m1")
    message.attachments = [large]
    try app.takeIn(message)
    func next(_ client: ChatClient) throws -> ChatAttachment? {
      try client.store.read { try $0.attachments.nextFetch(atMost: 10, besides: []) }?.attachment
    }
    #expect(try next(app) == nil)
    try await other.download(large.checksum)
    #expect(try next(app) == large)
    try app.store.write { try $0.attachments.noteFetched(large.checksum) }
    #expect(try next(other) == nil)
  }

  // D15.1, O15
  @Test func `files go with a conversation that another process renames`() async throws {
    let file = try attach("1", app)
    app.drafts.edit("mine", in: eg.conversation)
    try await other.conversation(eg.conversation).replaceID(with: "server-17")
    try app.hardSave()
    #expect(app.drafts.attachments(in: "server-17") == [file])
    #expect(app.drafts.text(in: "server-17") == "mine")
    await other.noticeOthers()
    #expect(other.drafts.attachments(in: "server-17") == [file])
  }
}
