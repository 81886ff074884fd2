import Foundation

/// The board as server-sent events (WHATWG HTML, section 9.2): every part once, then each change.
struct EventStream: AsyncSequence, Sendable {
  let board: Board

  func makeAsyncIterator() -> Iterator {
    Iterator(board: board, changes: board.subscribe().makeAsyncIterator())
  }

  struct Iterator: AsyncIteratorProtocol {
    let board: Board
    var changes: AsyncStream<Void>.Iterator
    var version = 0

    mutating func next() async -> Data? {
      guard await changes.next() != nil else { return nil }
      let newer = board.changes(after: version)
      version = newer.version
      return newer.parts.reduce(into: Data()) { $0 += Data("data: ".utf8) + $1 + Data("\n\n".utf8) }
    }
  }
}
