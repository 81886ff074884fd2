import EngineFixtures
import Testing

@testable import HoldfastCore
@testable import HoldfastTransport

private typealias eg = EngineExample

@Suite struct OutgoingPiecesTests {
  private let long = String(repeating: "x", count: OutgoingPieces.capacity / 2)

  // H3
  @Test func `pieces leave in their order, once`() {
    var pieces = OutgoingPieces()
    for sequence in 0...2 as ClosedRange<Int64> { pieces.append(eg.piece(sequence)) }
    #expect(pieces.drain().map(\.sequence) == [0, 1, 2])
    #expect(pieces.drain().isEmpty)
  }

  // O12
  @Test func `following -> silent when too many wait, and the others go on`() {
    var pieces = OutgoingPieces()
    pieces.append(eg.piece(0, of: "other"))
    pieces.append(eg.piece(0, long))
    pieces.append(eg.piece(1, long))
    pieces.append(eg.piece(2, "short"))
    pieces.append(eg.piece(1, of: "other"))
    #expect(pieces.drain().map(\.id) == ["other", "other"])
  }

  @Test func `silent -> gone when the message is finished, with what still waits of it`() {
    var pieces = OutgoingPieces()
    pieces.append(eg.piece(0))
    pieces.finish("answer")
    #expect(pieces == OutgoingPieces())
    pieces.append(eg.piece(0, long))
    pieces.append(eg.piece(1, long))
    pieces.finish("answer")
    #expect(pieces == OutgoingPieces())
  }

  // H3
  @Test func `following -> silent when the reply was cut off, with what still waits of it`() {
    var pieces = OutgoingPieces()
    pieces.append(eg.piece(0))
    pieces.silence("answer")
    pieces.append(eg.piece(1))
    pieces.append(eg.piece(0, of: "other"))
    #expect(pieces.drain().map(\.id) == ["other"])
  }
}
