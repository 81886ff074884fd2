import Foundation
import Holdfast
import HoldfastRelay
import Testing

@testable import HoldfastTesting
@testable import Simulator

@Suite struct GarbageTests {
  private func drawn(_ seed: UInt64) throws -> (kind: String, frame: Data) {
    var random = SeededRandom(seed: seed)
    let receipt = Wire.ReceiptItem(id: "m", conversation: "c", order: 7, at: 1)
    let real = try Wire.sorted(Wire.ServerFrame.receipts(.init(items: [receipt])))
    return Garbage.drawn(from: &random, spoiling: real) {
      (try? JSONDecoder().decode(Wire.ServerFrame.self, from: $0)) != nil
    }
  }

  @Test func `garbage is never a frame, and a seed draws the same twice`() throws {
    var kinds: Set<String> = []
    for seed in 0..<500 as Range<UInt64> {
      let garbage = try drawn(seed)
      #expect(throws: (any Error).self) {
        try JSONDecoder().decode(Wire.ServerFrame.self, from: garbage.frame)
      }
      #expect(try drawn(seed) == garbage)
      kinds.insert(garbage.kind)
    }
    #expect(kinds.count == 7, "Each kind, and nothing at all instead of a frame.")
  }
}
