import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRescue
@testable import HoldfastStore

private typealias eg = EngineExample

/// The data of earlier apps: bytes in memory, user defaults, the files of drafts, long IDs, and the usual places (rule
/// H10).
@Suite(.timeLimit(.minutes(10))) struct EarlierDataTests {
  private let bench: Bench

  init() throws { bench = try Bench(carriesAttachments: true, inMemory: true) }

  private static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3])
  /// A path that is too long for an ID in a store.
  private static let longPath = "/Users/eg/" + String(repeating: "folder/", count: 60) + "app"

  private func content(in id: ConversationID) -> DraftContent { content(bench, id) }

  private func content(_ bench: Bench, _ id: ConversationID) -> DraftContent {
    guard let client = try? bench.client() else { return DraftContent() }
    return client.drafts.open(DraftKey(conversation: id.key)).buffer.content
  }

  // H10.6, H10.5
  @Test func `bytes in memory are imported as a file is, once`() throws {
    let client = try bench.client()
    let queue = Data(
      #"[{"id":"q1","chatID":"c","text":"one","retries":1},{"chatID":"c","text":"two","retries":0}]"#.utf8)
    let report = try client.importHistory(from: queue)
    #expect((report.format, report.queued, report.bytes) == (.queue, 2, Int64(queue.count)))
    #expect(try client.unsentBodies() == ["one", "two"])
    #expect(try client.importHistory(from: queue).alreadyHere == 2)
    let history = Data(
      #"{"conversations":[{"id":"h","messages":[{"id":"m","role":"user","content":"x"}]}]}"#.utf8)
    // The indices of a slice of other bytes do not begin at 0.
    let part = (Data([7, 7, 7]) + history).dropFirst(3)
    #expect(try client.importHistory(from: part).messages == 1)
    #expect(refusal { try client.importHistory(from: Data()) } == .fileUnrecognized)
  }

  // H10.6, H10.3, H10.4
  @Test func `values of the user defaults are listed by their keys, and imported one by one, once`() throws {
    let client = try bench.client()
    let drafts = #"{"p1":{"text":"one","attachments":[],"savedAt":790000000}}"#
    let defaults: [String: Any] = [
      "draftInput": "half a thought", "draftInputSessionId": "s1", "draftInputTimestamp": 1_767_225_600.0,
      "appDraftInputs": Data(drafts.utf8), "theme": "dark",
      "commands": Data(#"[{"id":"1","chatID":"c","text":"never sent"}]"#.utf8),
      "messageQueue": [
        ["id": "q", "chatID": "c", "text": "sent", "timestamp": Date(timeIntervalSince1970: 0)]
          as [String: Any]
      ],
    ]
    let sources = ImportSource.values(of: defaults)
    #expect(sources.map(\.key) == ["draftInput", "appDraftInputs", "messageQueue"])
    #expect(sources.map(\.format) == [.singleDraft, .draftsByProject, .queue])
    #expect(sources.allSatisfy { $0.file == nil && $0.byteCount > 0 })
    #expect(try client.unsentBodies().isEmpty, "Nothing is imported before the app says so.")
    for source in sources {
      #expect(try client.importHistory(from: source).isComplete, "\(source.key ?? "")")
    }
    #expect(client.drafts.text(in: "s1") == "half a thought")
    #expect(
      client.drafts.open(DraftKey(conversation: "s1")).writtenAt == Date(timeIntervalSince1970: 1_767_225_600)
    )
    #expect(client.drafts.text(in: "p1") == "one")
    #expect(try client.unsentBodies() == ["sent"])
    for source in sources {
      let again = try client.importHistory(from: source)
      #expect((again.alreadyHere, again.drafts, again.queued) == (1, 0, 0))
    }
    #expect(ImportSource.values(of: defaults, keys: ["theme"]).map(\.format) == [.singleDraft, nil])
  }

  // H10.4
  @Test(arguments: [
    #"{"appearance":{"text":"large"}}"#, #"{"appearance":{"text":"large"},"font":{"text":"small"}}"#,
    #"{"p1":{"text":"one","savedAt":1,"color":"red"}}"#,
    #"{"p1":{"text":"one","savedAt":1},"window":{"width":7}}"#,
    #"{"p1":{"savedAt":1,"isDark":true},"p2":null}"#,
  ])
  func `settings are no drafts, whatever texts they have`(_ settings: String) throws {
    let client = try bench.client()
    let source = ImportSource.values(of: ["theme": Data(settings.utf8)], keys: ["theme"])[0]
    #expect(source.format == nil)
    #expect(refusal { try client.importHistory(from: source) } == .fileUnrecognized)
  }

  // H10.6
  @Test func `a property list in the defaults is read as JSON is, and other bytes have no format`() throws {
    let draft: [String: Any] = [
      "text": "list", "savedAt": Date(timeIntervalSince1970: 1_767_225_600),
      "attachments": [["type": "file", "data": Data("abc".utf8), "filename": "a.txt"] as [String: Any]],
    ]
    let list = try PropertyListSerialization.data(fromPropertyList: ["p": draft], format: .binary, options: 0)
    let client = try bench.client()
    let sources = ImportSource.values(of: ["appDraftInputs": list, "pendingMessages": Data([0, 1, 2])])
    #expect(sources.map(\.format) == [.draftsByProject, nil])
    let report = try client.importHistory(from: sources[0])
    #expect((report.drafts, report.attachments) == (1, 1), "\(report.problems)")
    #expect(content(in: "p").text == "list")
    #expect(refusal { try client.importHistory(from: sources[1]) } == .fileUnrecognized)
  }

  private func drafts(_ attachments: String, text: String = "look") -> Data {
    Data(#"{"p1":{"attachments":[\#(attachments)],"text":"\#(text)","savedAt":790000000}}"#.utf8)
  }

  // H10.7, H10.5, D16.3
  @Test func `the files of a draft come along with its text, and a second import adds nothing`() throws {
    let client = try bench.client()
    let big = Data((0..<700_001).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let escaped = big.base64EncodedString().replacingOccurrences(of: "/", with: #"\/"#)
    let data = drafts(
      #"{"type":"image","data":"\#(Self.png.base64EncodedString())"},"#
        + #"{"data":"\#(escaped)","filename":"../big.bin","type":"file"},{"type":"file","filename":"gone.txt"}"#
    )
    let report = try client.importHistory(from: data)
    #expect((report.drafts, report.attachments) == (1, 2))
    #expect(report.problems.map(\.code) == [.attachmentsLeftOut])
    #expect(report.problems.map(\.entry) == ["drafts[0].attachments[2]"])
    let found = content(in: "p1")
    #expect(found.text == "look")
    #expect(found.attachments.map(\.name) == ["image.png", "big.bin"])
    #expect(found.attachments.map(\.mediaType) == ["image/png", "application/octet-stream"])
    for (attachment, bytes) in zip(found.attachments, [Self.png, big]) {
      let file = try #require(client.attachmentFile(attachment.checksum))
      #expect(try Data(contentsOf: file) == bytes)
    }
    let again = try client.importHistory(from: data)
    #expect((again.drafts, again.attachments, again.alreadyHere) == (0, 0, 1))
    #expect(bench.attachmentFiles.count == 2)
    _ = try client.drafts.discard(in: "p1")
    #expect(try client.importHistory(from: data).attachments == 0)
    #expect(content(in: "p1").isEmpty)
  }

  // H10.7
  @Test func `the files of an imported draft join those of a draft that is here, up to the limit`() throws {
    let client = try bench.client(
      ChatConfiguration(attachments: ChatConfiguration.AttachmentLimits(perDraft: 2)))
    client.drafts.edit("typed here", in: eg.conversation)
    try client.attach(text: "mine")
    let file = { (name: String) in
      #"{"type":"file","data":"\#(Data(name.utf8).base64EncodedString())","filename":"\#(name)"}"#
    }
    let data = Data(
      #"{"\#(eg.conversation)":{"text":"imported","attachments":[\#(file("1.txt")),\#(file("2.txt"))]}}"#.utf8
    )
    let report = try client.importHistory(from: data)
    #expect((report.drafts, report.draftVersions, report.attachments) == (0, 1, 1))
    #expect(report.problems.map(\.code) == [.attachmentsLeftOut])
    #expect(client.draft().buffer.content.attachments.map(\.name) == ["a.txt", "1.txt"])
    #expect(try client.drafts.storedWithVersions(in: eg.conversation) == ["typed here", "imported"])
    #expect(bench.attachmentFiles.count == 2, "No copy is left behind.")
  }

  // H10.7
  @Test func `damaged files, and files that cannot be sent from here, are left out and reported`() throws {
    let client = try bench.client()
    let whole = #"{"type":"file","data":"YWJj","filename":"a.txt"}"#
    let report = try client.importHistory(
      from: drafts(#"{"type":"file","data":"not base64!","filename":"x"},7,\#(whole)"#))
    #expect(report.problems.map(\.code) == [.malformed, .attachmentsLeftOut])
    #expect((report.drafts, report.attachments) == (1, 1))
    #expect(bench.attachmentFiles.count == 1)
    let textOnly = try Bench(inMemory: true)
    let refused = try textOnly.client().importHistory(from: drafts(whole))
    #expect((refused.drafts, refused.attachments) == (1, 0))
    #expect(refused.problems.map(\.code) == [.attachmentsLeftOut])
    #expect(content(textOnly, "p1").text == "look")
    #expect(try client.importHistory(from: drafts(whole, text: "")).alreadyHere == 1)
  }

  // H10.7, S4
  @Test func `a draft that cannot be stored leaves no file, and comes whole with the next import`() throws {
    let client = try bench.client()
    let data = drafts(#"{"type":"file","data":"YWJj","filename":"a.txt"}"#)
    bench.gate.fail()
    #expect(refusal { try client.importHistory(from: data) } == .storageFull)
    bench.gate.heal()
    #expect(bench.attachmentFiles.isEmpty)
    let report = try client.importHistory(from: data)
    #expect((report.drafts, report.attachments) == (1, 1))
    #expect(content(in: "p1").attachments.map(\.name) == ["a.txt"])
  }

  // H10.8, H10.5
  @Test func `a long ID becomes the same short one each time, wherever it is`() throws {
    let path = Self.longPath
    let id = ConversationID(imported: path)
    #expect(id.isWellFormed)
    #expect(id == ConversationID(imported: path))
    #expect(id != ConversationID(imported: path + "/"))
    #expect(ConversationID(imported: "short") == "short")
    let client = try bench.client()
    let messages =
      #"{"id":"\#(path)","role":"user","content":"one"},"#
      + #"{"id":"2","role":"user","content":"two","replyTo":"\#(path)"}"#
    let history = Data(
      #"{"activeConversationID":"\#(path)","conversations":[{"id":"\#(path)","title":"t","messages":[\#(messages)]}]}"#
        .utf8)
    let queue = Data(#"[{"id":"q","chatID":"\#(path)","text":"three","tries":0}]"#.utf8)
    let drafts = Data(#"{"\#(path)":{"text":"four","attachments":[]}}"#.utf8)
    for round in 0..<2 {
      let reports = try [history, queue, drafts].map { try client.importHistory(from: $0) }
      #expect(reports.map(\.alreadyHere) == (round == 0 ? [0, 0, 0] : [2, 1, 1]))
      #expect(reports.allSatisfy { $0.isComplete })
    }
    let rows = try client.reader.conversation(id, limit: 10).rows
    #expect(rows.map(\.text) == ["one", "two", "three"])
    #expect(rows[1].quote?.excerpt == "one")
    #expect(client.drafts.text(in: id) == "four")
    #expect(try client.activeConversation() == id)
    #expect(try client.reader.list(limit: 10).rows.count == 2)
  }

  // H10.9
  @Test func `what lies in the usual places is listed, and nothing is imported by that`() throws {
    let place = try ScratchFolder(inMemory: true)
    let support = "Library/Application Support"
    let files = [
      "Documents/pending-messages.json": #"[{"id":"q1","chatID":"c","text":"one"}]"#,
      "\(support)/history.json": #"{"conversations":[]}"#,
      "\(support)/app.kelp/drafts.json": #"{"p":{"text":"two","attachments":[]}}"#,
      "\(support)/app.kelp/conversations.json": "no JSON",
      "Documents/other.json": #"[{"id":"q2","chatID":"c","text":"other"}]"#,
      "Library/Caches/history.json": #"{"conversations":[]}"#,
    ]
    for (name, text) in files {
      let file = place.url.appendingPathComponent(name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    let list = place.url.appendingPathComponent("Library/Preferences/app.kelp.plist")
    try FileManager.default.createDirectory(
      at: list.deletingLastPathComponent(), withIntermediateDirectories: true)
    try PropertyListSerialization.data(
      fromPropertyList: ["draftInput": "three", "draftInputSessionId": "s", "other": 1] as [String: Any],
      format: .binary, options: 0
    ).write(to: list)

    let client = try bench.client()
    let sources = ImportSource.found(inHome: place.url, bundle: "app.kelp")
    #expect(
      sources.map { $0.file?.path.dropFirst(place.url.path.count + 1) } == [
        "Documents/pending-messages.json", "Library/Application Support/history.json",
        "Library/Application Support/app.kelp/conversations.json",
        "Library/Application Support/app.kelp/drafts.json", "Library/Preferences/app.kelp.plist",
      ])
    #expect(sources.map(\.format) == [.queue, .history, nil, .draftsByProject, .singleDraft])
    #expect(sources.map(\.key) == [nil, nil, nil, nil, "draftInput"])
    #expect(try client.unsentBodies().isEmpty)
    for source in sources where source.format != nil { try client.importHistory(from: source) }
    #expect(try client.unsentBodies() == ["one"])
    #expect(client.drafts.text(in: "p") == "two")
    #expect(client.drafts.text(in: "s") == "three")
    #expect(ImportSource.found(inHome: place.url, bundle: nil).count == 2)
    #expect(
      ImportSource.found(inHome: place.url, bundle: "../..").count == 2, "No identifier leads elsewhere.")
  }
}
