import Foundation
import HoldfastTesting
import Testing

@Suite struct WorldTests {
  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `a world keeps its promises, twice the same way`(seed: UInt64) throws {
    let first = try World(seed: seed).run()
    #expect(first.violations.isEmpty, "\(first)")
    let second = try World(seed: seed).run()
    #expect(first.lastDraw == second.lastDraw)
    #expect(first.trace == second.trace)
  }
}
