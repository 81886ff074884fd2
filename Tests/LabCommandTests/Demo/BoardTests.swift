import Foundation
import Testing

@testable import holdfast_lab

@Suite(.timeLimit(.minutes(10))) struct BoardTests {
  private struct Shown: Decodable, Equatable {
    struct Snapshot: Decodable, Equatable { var text: String }
    var part: String
    var airplane: Bool
    var snapshot: Snapshot?
  }

  @Test func `only what changed since is reported, in the order of change`() throws {
    let board = Board()
    board.update("bob") { $0.airplane = true }
    board.update("alice") { $0.snapshot = Data(#"{"text":"Hello"}"#.utf8) }
    let first = board.changes(after: 0)
    #expect(
      try first.parts.map(Self.decode) == [
        Shown(part: "bob", airplane: true, snapshot: nil),
        Shown(part: "alice", airplane: false, snapshot: .init(text: "Hello")),
      ])
    #expect(board.changes(after: first.version).parts.isEmpty)
    board.update("bob") { $0.airplane = false }
    #expect(
      try board.changes(after: first.version).parts.map(Self.decode) == [
        Shown(part: "bob", airplane: false, snapshot: nil)
      ])
  }

  @Test func `a late subscriber is woken once for many changes, and ends with the board`() async {
    let board = Board()
    let changes = board.subscribe()
    for _ in 1...100 { board.update("alice") { $0.airplane.toggle() } }
    board.close()
    var count = 0
    for await _ in changes { count += 1 }
    #expect(count == 1)
    for await _ in board.subscribe() { Issue.record("A closed board has no news.") }
  }

  private static func decode(_ json: Data) throws -> Shown {
    try JSONDecoder().decode(Shown.self, from: json)
  }
}
