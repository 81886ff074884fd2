import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRescue
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// Drafts and the files of attachments in an export (rule H9).
@Suite(.timeLimit(.minutes(10))) struct ExportAdditionsTests {
  private let bench: Bench
  private let place: ScratchFolder

  init() throws {
    bench = try Bench(carriesAttachments: true, inMemory: true)
    place = try ScratchFolder(inMemory: true)
  }

  private static let edit = DraftKey(conversation: eg.conversation.key, slot: .edit)

  private func url(_ name: String) -> URL { place.url.appendingPathComponent(name) }

  private func files(beside name: String) throws -> [String: Data] {
    let folder = url(name + ".attachments")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return try Dictionary(
      uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: folder.appendingPathComponent($0))) })
  }

  /// A delivered message with a file, an unfinished edit of it, and a draft with every field.
  private func fill(_ client: ChatClient) throws -> MessageID {
    client.drafts.edit("sent", in: eg.conversation)
    try client.attach(text: "abc", name: "sent.txt")
    let id = try client.conversation(eg.conversation).sendDraft()
    try client.confirm(id)
    #expect(try client.drafts.beginEdit(id, in: eg.conversation.key, by: eg.user))
    client.drafts.edit(Self.edit, DraftContent("sent better"))
    try client.attach(text: "def", name: "draft.txt")
    client.drafts.edit(
      eg.key,
      DraftContent(
        "half \"a\" thought\n", selection: TextRange(start: 1, end: 4), replyTo: id,
        formatting: Data([1, 255])))
    try client.createConversation("alone", members: [])
    client.drafts.edit("alone", in: "alone")
    return id
  }

  private func emptyClient(_ bench: Bench) throws -> ChatClient {
    try ChatClient(
      storage: .folder(bench.scratch.url), transport: bench.transport, user: eg.user,
      configuration: ChatConfiguration(environment: bench.environment))
  }

  // B1.1, H9.1: a server that reports its own names only sends the messages again to the new device.
  @Test(arguments: [true, false])
  func `an exported message keeps the server's name, under which the server sends it again`(
    isImportedFirst: Bool
  ) throws {
    let reaction = IncomingMessage.Reaction("👍", from: eg.user, serverID: "$r")
    let client = try bench.client()
    try client.takeIn(
      eg.incoming("ours", from: eg.user, "mine", revision: 1, reactions: [reaction], serverID: "$1"))
    try client.exportHistory(to: url("a.json"))
    let other = try emptyClient(Bench(inMemory: true))
    let received = eg.incoming("$1", from: eg.user, "mine", revision: 1, serverID: "$1")
    if !isImportedFirst { try other.takeIn(received) }
    try other.importHistory(from: url("a.json"))
    if isImportedFirst { try other.takeIn(received) }
    #expect(try other.rows().map(\.id) == [isImportedFirst ? "ours" : "$1"])
    let name = try other.store.read { try $0.messages.serverID(of: "$1") }
    #expect(name == "$1")
    guard isImportedFirst else { return }
    let known = try other.store.read { try $0.operations.reactions(to: "ours") }
    #expect(known.map(\.serverID) == ["$r"])
  }

  // H9.9
  @Test(arguments: ["\n", "\r", "\r\n", "\u{2028}", "\u{2029}", "\u{85}", "\u{B}", "\u{C}"])
  func `the words of a message, a name, a title or a draft look like nothing else in a text`(
    lineBreak: String
  ) throws {
    let client = try bench.client()
    let forged = "hi\(lineBreak)2026-01-01T10:00:00Z bob: me\(lineBreak)\(lineBreak)Trip (c)\u{1B}[2J\u{202E}"
    let sender = UserID(rawValue: "bob\u{202E}\u{2028}eve")
    let name = "a\u{2067}\(lineBreak)b.txt"
    try client.takeIn(eg.incoming("m", from: sender, forged))
    client.drafts.edit(forged, in: eg.conversation)
    try client.exportHistory(to: url("a.txt"), as: .text, including: [.drafts])
    let text = try String(contentsOf: url("a.txt"), encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let starts = lines.filter { !$0.isEmpty && !$0.hasPrefix("    ") }
    #expect(starts.count == 3, "A draft, a conversation and a message: \(starts)")
    #expect(
      text.contains(
        "    2026-01-01T10:00:00Z bob: me\n    \n    \u{2068}Trip (c)\u{FFFD}[2J\u{202E}\u{202C}\u{2069}\n"))
    #expect(text.contains("Z \u{2068}bob\u{202E}\u{202C}\u{2069} eve: hi\n"))
    let controls = text.unicodeScalars.filter { $0 != "\n" && ($0.isLineBreak || $0 == "\u{1B}") }
    #expect(controls.isEmpty)
    let writer = UnsentText(
      conversation: "c", title: forged, sender: sender, kind: .draft, writtenAt: eg.date, text: forged,
      attachments: [name])
    let unsent = writer.plainText { $0.english }.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(
      unsent.filter { !$0.isEmpty && !$0.hasPrefix("    ") }.count == 3,
      "A heading, a text and a file: \(unsent)")
    #expect(unsent.contains("[\u{2068}a\u{2067}\u{2069}\u{2069} b.txt]"))
  }

  // H9.6, H9.7, H9.5
  @Test func `a store to file to empty store to file, with drafts and files, is the same file and folder`()
    throws
  {
    let client = try bench.client()
    let id = try fill(client)
    let exported = try client.exportHistory(to: url("a.json"), including: [.drafts, .attachments])
    #expect((exported.drafts, exported.attachments, exported.missingAttachments) == (3, 2, 0))
    #expect(
      try files(beside: "a.json").values.sorted { $0.lexicographicallyPrecedes($1) } == [
        Data("abc".utf8), Data("def".utf8),
      ])
    #expect(try place.mode(of: "a.json.attachments") == 0o700)

    let empty = try Bench(carriesAttachments: true, inMemory: true)
    let other = try emptyClient(empty)
    let report = try other.importHistory(from: url("a.json"))
    #expect((report.messages, report.drafts, report.attachments) == (1, 3, 2))
    #expect(report.isComplete, "\(report.problems)")
    let draft = other.drafts.open(eg.key).buffer.content
    #expect(draft == client.drafts.open(eg.key).buffer.content)
    #expect(other.drafts.open(Self.edit).editing == id)
    #expect(other.drafts.open(Self.edit).buffer.content.text == "sent better")
    #expect(other.drafts.text(in: "alone") == "alone")
    let shown = try #require(other.rows().first?.attachments.first)
    #expect(try Data(contentsOf: #require(shown.file)) == Data("abc".utf8))
    for attachment in draft.attachments { #expect(other.attachmentFile(attachment.checksum) != nil) }

    try other.exportHistory(to: url("b.json"), including: [.drafts, .attachments])
    #expect(try place.bytes(of: "b.json") == place.bytes(of: "a.json"))
    #expect(try files(beside: "b.json") == files(beside: "a.json"))

    let again = try other.importHistory(from: url("a.json"))
    #expect((again.messages, again.drafts, again.draftVersions, again.attachments) == (0, 0, 0, 0))
    #expect(again.alreadyHere == 4)
  }

  // H9.8, H9.2
  @Test func `an export that asks for nothing more has the bytes that it always had`() throws {
    let client = try bench.client()
    try client.importHistory(
      from: Data(
        #"""
        {"conversations":[{"id":"c","title":"t","createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-02T00:00:00Z",
        "messages":[{"id":"m","role":"user","content":"x","timestamp":"2026-01-01T00:00:00Z"}]}]}
        """#.utf8))
    _ = try fill(client)
    try client.hardSave()
    try client.exportHistory(to: url("a.json"))
    try client.exportHistory(to: url("b.json"), including: .drafts)
    let (plain, full) = try (
      String(decoding: place.bytes(of: "a.json"), as: UTF8.self),
      String(decoding: place.bytes(of: "b.json"), as: UTF8.self)
    )
    let known =
      #"{"id":"c","title":"t","createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-02T00:00:00Z","members":["\#(eg.user)"],"messages":["#
      + "\n"
      + #"{"id":"m","role":"user","content":"x","status":"delivered","images":[],"videos":[],"timestamp":"2026-01-01T00:00:00Z","sender":"\#(eg.user)"}"#
      + "\n]}\n"
    #expect(plain.contains(known))
    #expect(plain.hasPrefix("{\"conversations\":[\n"))
    #expect(!plain.contains("thought"))
    #expect(!FileManager.default.fileExists(atPath: url("a.json.attachments").path))
    #expect(full.hasPrefix("{\"drafts\":[\n{\"conversation\":"))
    #expect(full.hasSuffix(plain.dropFirst()), "The drafts are added, and nothing else differs.")
    #expect(full.contains(#"half \"a\" thought\n"#))
  }

  // H9.6, H9.4
  @Test func `damage among the drafts costs no message, and damage among the messages costs no draft`() throws
  {
    let client = try bench.client()
    _ = try fill(client)
    try client.exportHistory(to: url("a.json"), including: .drafts)
    let text = String(decoding: try place.bytes(of: "a.json"), as: UTF8.self)
    let inDrafts = text.replacingOccurrences(of: #""text":"alone""#, with: #""text" "alone""#)
    let inMessages = text.replacingOccurrences(of: #""content":"sent""#, with: #""content" "sent""#)
    #expect(inDrafts != text && inMessages != text)
    let first = try emptyClient(Bench(carriesAttachments: true, inMemory: true)).importHistory(
      from: Data(inDrafts.utf8))
    #expect((first.messages, first.conversations) == (1, 2))
    #expect(!first.isComplete)
    let second = try emptyClient(Bench(carriesAttachments: true, inMemory: true))
    let report = try second.importHistory(from: Data(inMessages.utf8))
    // The edited message is lost, and the edit becomes a draft of its own.
    #expect((report.messages, report.drafts + report.draftVersions) == (0, 3), "\(report.problems)")
    #expect(
      try second.drafts.storedWithVersions(in: eg.conversation) == ["half \"a\" thought\n", "sent better"])
  }

  // H9.7
  @Test func `a file that was changed, or is gone, is left out and reported`() throws {
    let client = try bench.client()
    _ = try fill(client)
    try client.exportHistory(to: url("a.json"), including: [.drafts, .attachments])
    for name in try files(beside: "a.json").keys {
      try Data("abd".utf8).write(to: url("a.json.attachments").appendingPathComponent(name))
    }
    let empty = try Bench(carriesAttachments: true, inMemory: true)
    let other = try emptyClient(empty)
    let changed = try other.importHistory(from: url("a.json"))
    #expect(changed.attachments == 0)
    #expect(changed.problems.map(\.code) == [.attachmentDamaged, .attachmentDamaged])
    #expect(empty.attachmentFiles.isEmpty)
    #expect(other.drafts.text(in: eg.conversation) == "half \"a\" thought\n")
    try FileManager.default.removeItem(at: url("a.json.attachments"))
    let gone = try other.importHistory(from: url("a.json"))
    #expect(gone.problems.map(\.code) == [.attachmentsLeftOut])

    // The file of a received message has never been on this device.
    var message = eg.incoming("m9", order: 9)
    message.attachments = [
      ChatAttachment(
        checksum: ChatAttachment.Checksum(rawValue: String(repeating: "b", count: 64)), name: "b.png",
        mediaType: "image/png", byteCount: 3)
    ]
    try client.takeIn(message)
    let report = try client.exportHistory(to: url("c.json"), including: .attachments)
    #expect((report.attachments, report.missingAttachments, report.drafts) == (1, 1, 0))
  }

  // H9.7, H9.2
  @Test func `an export with files overwrites nothing, and leaves nothing when it is stopped`() throws {
    struct Stop: Error {}
    let client = try bench.client()
    _ = try fill(client)
    #expect(throws: Stop.self) {
      try client.exportHistory(to: url("a.json"), including: .attachments) { _ in throw Stop() }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.url.path) == [])
    try FileManager.default.createDirectory(at: url("a.json.attachments"), withIntermediateDirectories: true)
    #expect(refusal { try client.exportHistory(to: url("a.json"), including: .attachments) } == .alreadyThere)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.url.path) == ["a.json.attachments"])
    let text = try client.exportHistory(to: url("a.txt"), as: .text, including: [.drafts, .attachments])
    #expect((text.drafts, text.attachments) == (3, 2))
    #expect(String(decoding: try place.bytes(of: "a.txt"), as: UTF8.self).contains("Draft in alone: alone\n"))
  }

  // H9.6, H5
  @Test func `the draft of a conversation that was deleted here stays away`() async throws {
    let client = try bench.client()
    _ = try fill(client)
    try client.exportHistory(to: url("a.json"), including: .drafts)
    try await client.conversation("alone").delete()
    let report = try client.importHistory(from: url("a.json"))
    #expect((report.drafts, report.deletedHere) == (0, 1))
    #expect(try client.reader.list(limit: 10).rows.map(\.id) == [eg.conversation])
  }
}
