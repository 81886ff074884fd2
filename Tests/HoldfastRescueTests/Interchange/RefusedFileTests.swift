import EngineFixtures
import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRescue
@testable import HoldfastStore

private typealias eg = EngineExample

/// Files without anything to import create nothing, and the report says what they are (rule H13).
@Suite(.timeLimit(.minutes(10))) struct RefusedFileTests {
  private let bench: Bench
  private let client: ChatClient
  private let place: ScratchFolder

  init() throws {
    bench = try Bench(carriesAttachments: true, inMemory: true)
    client = try bench.client()
    place = try ScratchFolder(inMemory: true)
  }

  private func file(_ bytes: Data, _ name: String = "f.json") throws -> URL {
    let url = place.url.appendingPathComponent(name)
    try bytes.write(to: url)
    return url
  }

  // H13.11
  @Test(arguments: [
    #"{"conversations":[{"id":"x","title":"T","messages":[{"role":"user"},7,{"role":"user","content":true}]}]}"#,
    #"{"conversations":[{"id":"x","messages":[{"role":"user","content":"#,
    #"{"room_name":"R","messages":[{"type":"m.room.encrypted","event_id":"$1","sender":"@a:x","origin_server_ts":1714564800000,"content":{}}]}"#,
    #"[{"id":"x","mapping":{"a":{"id":"a","message":{"id":"a","author":{"role":"user"},"content":true}},"b":{"message":[]}}}]"#,
    #"[{"uuid":"x","name":"T","chat_messages":[{"uuid":"1","sender":"human","text":true},null]}]"#,
    #"[{"chatId":"x","text":true},{"chatId":"x","text":[]}]"#,
  ])
  func `a conversation of which nothing can be read is not made`(_ text: String) throws {
    do {
      let report = try client.importHistory(from: Data(text.utf8))
      #expect((report.isComplete, report.conversations, report.newMessages) == (false, 0, 0), "\(report)")
    } catch let error as ChatError { #expect(error.code == .fileUnrecognized) }
    #expect(try client.reader.list(limit: 9).rows.map(\.id) == [eg.conversation])
    let url = try file(Data(text.utf8))
    #expect((try? ImportSource.check(url, for: "alice", ImportAuthors())) != true)
  }

  // H13.11, H9.5
  @Test
  func `a conversation that has no messages is made, and so is one with a damaged message among others`()
    throws
  {
    let text =
      #"{"conversations":[{"id":"x","title":"T","messages":[]},{"id":"y","messages":[{"role":"user"},{"role":"user","content":"a"}]}]}"#
    #expect(try client.importHistory(from: Data(text.utf8)).conversations == 2)
    #expect(try ImportSource.check(try file(Data(text.utf8)), for: "alice", ImportAuthors()))
  }

  // MARK: Other files

  /// An archive with files that are empty according to its directory.
  private static func zip(_ names: [String]) -> Data {
    func number(_ value: Int, _ count: Int) -> Data {
      Data((0..<count).map { UInt8(value >> ($0 * 8) & 255) })
    }
    var (archive, directory) = (Data(), Data())
    for name in names {
      let middle = Data(count: 18) + number(name.utf8.count, 2) + number(0, 2)
      directory +=
        Data([0x50, 0x4B, 1, 2]) + Data(count: 24) + number(name.utf8.count, 2) + Data(count: 16)
        + Data(name.utf8)
      archive += Data([0x50, 0x4B, 3, 4, 20, 0, 0, 0]) + middle + Data(name.utf8)
    }
    let end =
      Data([0x50, 0x4B, 5, 6]) + Data(count: 4) + number(names.count, 2) + number(names.count, 2)
      + number(directory.count, 4) + number(archive.count, 4) + number(0, 2)
    return archive + directory + end
  }

  private static let others: [(bytes: Data, words: String)] = [
    (
      zip(["user.json", "conversations.json", "chat.html"]),
      "ZIP archive. Unpack it first: conversations.json, user.json are inside."
    ),
    (
      zip(["export/messages/inbox/a/message_1.json"]),
      "Unpack it first: export/messages/inbox/a/message_1.json is inside."
    ),
    (zip(["a.txt"]), "ZIP archive. Unpack it, and import the JSON file inside."),
    (zip(["conversations.json"]).dropLast(30), "ZIP archive. Unpack it, and import the JSON file inside."),
    (Data([0x1F, 0x8B, 8, 0, 0, 0]), "gzip"), (Data([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C, 0]), "7z"),
    (Data(count: 257) + Data("ustar\u{0}00".utf8), "tar"), (Data("%PDF-1.7".utf8), "PDF"),
    (Data("SQLite format 3\u{0}".utf8), "SQLite"), (Data("bplist00".utf8), "property list"),
    (Data("<?xml version=\"1.0\"?><!DOCTYPE plist PUBLIC><plist></plist>".utf8), "property list"),
    (
      Data("\u{FEFF} <!DOCTYPE HTML><script>var a = [{\"title\":\"x\",\"mapping\":{}}]</script>".utf8), "HTML"
    ),
    (Data("<html><body>".utf8), "HTML"), (Data("<?xml version=\"1.0\"?><smses/>".utf8), "XML"),
    (Data([0xFF, 0xFE, 0x7B, 0]), "UTF-16"),
  ]

  // H13.11
  @Test(arguments: others.indices) func `another kind of file is named`(_ number: Int) throws {
    let (bytes, words) = Self.others[number]
    for url in [try file(bytes), try file(bytes, "history.json")] {
      do {
        try client.importHistory(from: url)
        Issue.record("The file was imported.")
      } catch let error as ChatError {
        #expect(error.code == .fileUnrecognized)
        #expect(error.message.contains(words), "\(error.message)")
      }
      #expect(ImportSource(file: url).format == nil)
    }
  }

  // H13.11, H9.4
  @Test func `a damaged archive is refused like a whole one`() throws {
    var dice = SeededRandom(seed: 8)
    let whole = Self.zip(["conversations.json", "user.json"])
    for _ in 0..<2_000 {
      var bytes = whole
      for _ in 0..<3 {
        bytes[Int.random(in: 4..<bytes.count, using: &dice)] = UInt8.random(in: .min ... .max, using: &dice)
      }
      #expect(refusal { try client.importHistory(from: bytes) } == .fileUnrecognized)
    }
  }

  // MARK: Renamed files

  // H9.7
  @Test(arguments: ["out.json", "renamed.json"])
  func `an export with drafts and files comes whole, also under another name`(_ name: String) throws {
    let history =
      #"{"conversations":[{"id":"x","members":["a"],"messages":[{"id":"m","role":"user","content":"look","files":[{"url":"data:image/png;base64,iVBORw0KGgo="}]},"#
      + #"{"id":"p","role":"user","content":"wait","status":"failed","files":[{"name":"b.txt","url":"data:text/plain,b%20"}]}]}]}"#
    try client.importHistory(from: Data(history.utf8))
    let drafts =
      #"{"x":{"text":"half","savedAt":790000000,"attachments":[{"type":"file","data":"YWJj","filename":"a.txt"}]}}"#
    try client.importHistory(from: Data(drafts.utf8))
    let url = place.url.appendingPathComponent("out.json")
    let exported = try client.exportHistory(to: url, including: [.drafts, .attachments])
    #expect(exported.attachments == 3)
    let file = place.url.appendingPathComponent(name)
    if file != url { try FileManager.default.moveItem(at: url, to: file) }
    let other = try Bench(carriesAttachments: true, inMemory: true).client()
    let report = try other.importHistory(from: file)
    #expect((report.isComplete, report.attachments, report.drafts) == (true, 3, 1), "\(report)")
    #expect(try other.reader.conversation("x", limit: 9).rows.map(\.attachments.count) == [1, 1])
  }
}
