import CommandFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCommand
@testable import HoldfastCore
@testable import HoldfastStore

/// The command runs as a separate process.
@Suite(.timeLimit(.minutes(10))) struct SearchTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "holdfast-search-\(UUID().uuidString)")
  private var store: String { folder.appending(path: "alice").path }

  private func importMessages(_ texts: [String]) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let messages = texts.enumerated().map { number, text in
      [
        "id": "m\(number)", "role": "user", "content": text,
        "timestamp": "2026-01-01T10:00:\(String(format: "%02d", number % 60))Z",
      ]
    }
    let history: [String: Any] = ["conversations": [["id": "c", "title": "Trip", "messages": messages]]]
    let file = folder.appending(path: "history.json")
    try JSONSerialization.data(withJSONObject: history).write(to: file)
    #expect(try holdfast("import", file.path, "--store", store, "--user", "alice").status == 0)
  }

  // H8.1, H8.4
  @Test func `a store is searched in every language, for readers and for programs`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try importMessages(["the ferry leaves", "İstanbul is far", "我们在北京见面", "no more\u{1B}]0;than this"])
    let ferry = try holdfast("search", "FERR", "--store", store)
    #expect(ferry.status == 0)
    #expect(ferry.output == "2026-01-01T10:00:00Z  Trip  alice: the ferry leaves\n")
    #expect(try holdfast("search", "istanbul", "--store", store).output.contains("İstanbul is far"))
    #expect(try holdfast("search", "北京", "--store", store).output.contains("我们在北京见面"))
    #expect(
      try !holdfast("search", "than", "--store", store).output.contains("\u{1B}"),
      "What others wrote does not set the terminal's title.")
    let json = try holdfast("search", "ferry", "leaves", "--store", store, "--json").output
    let found = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    #expect((found["hits"] as? [[String: Any]])?.compactMap { $0["id"] as? String } == ["m0"])
    #expect(
      try holdfast("search", "ferry", "--store", store, "--conversation", "other").output
        == "Nothing found.\n")
    let one = try holdfast("search", "i", "--store", store, "--limit", "1").output
    #expect(one.split(separator: "\n").count <= 2, "\(one)")
  }

  // H8.1, H9
  @Test func `imported messages are indexed, to the oldest`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    // More messages than a search without an index covers.
    try importMessages((0..<1_500).map { $0 == 3 ? "the oldest ferry" : "so \($0)" })
    let found = try holdfast("search", "ferry", "--store", store)
    #expect(found.output.hasSuffix("alice: the oldest ferry\n"), "\(found.output)")
    let state = try StoreReading.read(URL(fileURLWithPath: store)) { try $0.search.indexState() }
    #expect(state == IndexState(indexed: 1_500, last: 1_500))
  }

  // H8
  @Test func `a search that makes no sense, and a store that is not there, say so`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try importMessages(["x"])
    #expect(try holdfast("search", " ", "--store", store).status == 64)
    #expect(try holdfast("search", "x").status == 64)
    #expect(try holdfast("search", "x", "--store", store, "--limit", "0").status == 64)
    #expect(try holdfast("search", "x", "--store", store + "-not").status == 2)
    #expect(try holdfast("search", "--help").output.contains(#"holdfast search "ferry ticket" --name alice"#))
    #expect(try holdfast("stats", "--store", store).status == 0, "The same name as elsewhere.")
  }

  // H8
  @Test func `the words of the query are highlighted on a terminal`() {
    var found = SearchSnapshot(of: "ferry")
    found.hits = [
      SearchSnapshot.Hit(
        id: "m", conversation: "c", title: "T", sender: "bob", isMine: false,
        createdAt: Date(timeIntervalSince1970: 0),
        excerpt: SearchSnapshot.Excerpt(of: "🚢 ferry", matches: [3..<8]))
    ]
    found.hasMore = true
    #expect(
      Search.lines(found, areMarked: true) == [
        "1970-01-01T00:00:00Z  T  bob: 🚢 \u{1B}[1mferry\u{1B}[0m",
        "There are more than these 1. To see more, raise --limit.",
      ])
    #expect(Search.lines(found, areMarked: false)[0] == "1970-01-01T00:00:00Z  T  bob: 🚢 ferry")
  }

  // H8.3, H9.9
  @Test(arguments: [false, true])
  func `no title, name or message turns around what is behind it in its line`(areMarked: Bool) {
    var found = SearchSnapshot(of: "ferry")
    let text = "\u{202E}the ferry\u{2069}\u{1B}[2J"
    found.hits = [
      SearchSnapshot.Hit(
        id: "m", conversation: "c", title: "T\u{202E}\n", sender: "b\u{2067}\u{85}", isMine: false,
        createdAt: Date(timeIntervalSince1970: 0),
        excerpt: SearchSnapshot.Excerpt(of: text, matches: [5..<10]))
    ]
    let (on, off) = areMarked ? ("\u{1B}[1m", "\u{1B}[0m") : ("", "")
    #expect(
      Search.lines(found, areMarked: areMarked) == [
        "1970-01-01T00:00:00Z  \u{2068}T\u{202E}\u{202C}\u{2069}   \u{2068}b\u{2067}\u{2069}\u{2069} : "
          + "\u{2068}\u{202E}the \(on)ferry\(off)\u{FFFD}[2J\u{202C}\u{2069}"
      ])
  }
}
