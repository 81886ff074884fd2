import FlyingFox
import FlyingSocks
import Foundation

/// The board as server-sent events (WHATWG HTML, section 9.2): every part once, then each change.
struct EventStream: AsyncBufferedSequence {
  typealias Element = UInt8

  let board: Board

  func makeAsyncIterator() -> Iterator {
    Iterator(board: board, changes: board.subscribe().makeAsyncIterator())
  }

  struct Iterator: AsyncBufferedIteratorProtocol {
    let board: Board
    var changes: AsyncStream<Void>.Iterator
    var version = 0

    mutating func next() async throws -> UInt8? {
      throw CancellationError()  // The server asks for buffers only.
    }

    mutating func nextBuffer(suggested count: Int) async throws -> Data? {
      guard await changes.next() != nil else { return nil }
      let newer = board.changes(after: version)
      version = newer.version
      // A comment is written when there is no news, so that a closed connection is noticed.
      guard !newer.parts.isEmpty else { return Data(":\n\n".utf8) }
      var events = Data()
      for part in newer.parts {
        events.append(contentsOf: Data("data: ".utf8))
        events.append(part)
        events.append(contentsOf: Data("\n\n".utf8))
      }
      return events
    }
  }
}
