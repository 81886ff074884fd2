import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRescue

/// The names under which earlier apps kept a history, a queue and the mark of a request (rule H10).
@Suite(.timeLimit(.minutes(10))) struct EarlierNamesTests {
  private let client: ChatClient
  private let home: ScratchFolder

  init() throws {
    client = try Bench(inMemory: true).client()
    home = try ScratchFolder(inMemory: true)
  }

  private func write(_ bytes: Data, _ path: String) throws {
    let file = home.url.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try bytes.write(to: file)
  }

  private func found() -> [ImportSource] { ImportSource.found(inHome: home.url, bundle: "org.example.chat") }

  private static let queue = #"[{"id":"q","chatID":"c","text":"unsent","retryCount":1}]"#

  // H10.9
  @Test(arguments: [
    "Documents", "Library/Application Support", "Library/Application Support/org.example.chat",
  ])
  func `a history in the folder ConversationHistory is found`(_ place: String) throws {
    let history = #"{"conversations":[{"id":"h","messages":[{"id":"m","role":"user","content":"x"}]}]}"#
    try write(Data(history.utf8), "\(place)/ConversationHistory/history.json")
    let sources = found()
    #expect(sources.map { $0.file?.path } == [home.url.path + "/\(place)/ConversationHistory/history.json"])
    #expect(sources.map(\.format) == [.history])
    #expect(try client.importHistory(from: try #require(sources.first)).messages == 1)
  }

  // H10.6, H10.9
  @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
  func `queues under a key that ends in messageQueue are found`(
    _ format: PropertyListSerialization.PropertyListFormat
  ) throws {
    let values: [String: Any] = [
      "org.example.chat.messageQueue": Data(Self.queue.utf8),
      "c2.messageQueue": Self.queue.replacingOccurrences(of: #""q""#, with: #""r""#),
      "c3.messageQueue": [["id": "s", "chatID": "c", "text": "three", "retryCount": 0] as [String: Any]],
      "messageQueueLimit": 7, "old.messageQueue.backup": Data(Self.queue.utf8),
    ]
    try write(
      PropertyListSerialization.data(fromPropertyList: values, format: format, options: 0),
      "Library/Preferences/org.example.chat.plist")
    for sources in [found(), ImportSource.values(of: values)] {
      #expect(sources.map(\.key) == ["c2.messageQueue", "c3.messageQueue", "org.example.chat.messageQueue"])
      #expect(sources.map(\.format) == [.queue, .queue, .queue])
    }
    for source in found() { #expect(try client.importHistory(from: source).queued == 1) }
    #expect(try client.outbox.unsentCount() == 3)
  }

  // H10.9
  @Test(
    arguments: [
      (["wasProcessing": true], ["wasProcessing"]),
      (["org.example.chat.wasProcessing": 1], ["org.example.chat.wasProcessing"]),
      (["wasProcessing": "YES"], ["wasProcessing"]), (["wasProcessing": false], []),
      (["wasProcessing": 0], []),
      (["wasProcessing": "no"], []), (["isProcessing": true, "wasProcessingSince": 5], []),
    ] as [([String: any Sendable], [String])])
  func `the mark of a request that was under way is listed, however old, and nothing is made of it`(
    _ values: [String: any Sendable], _ keys: [String]
  ) throws {
    try write(
      PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0),
      "Library/Preferences/org.example.chat.plist")
    for sources in [found(), ImportSource.values(of: values)] {
      #expect(sources.map(\.key) == keys)
      #expect(sources.allSatisfy { $0.format == nil })
    }
    for source in found() { #expect(refusal { try client.importHistory(from: source) } == .fileUnrecognized) }
    #expect(try client.outbox.unsentCount() == 0)
  }
}
