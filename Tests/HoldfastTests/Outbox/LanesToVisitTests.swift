import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

@Suite struct LanesToVisitTests {
  @Test func `each lane is visited once, in the order of the first mark`() {
    let lanes = LanesToVisit()
    lanes.insert(["b", "a", "b"])
    lanes.insert(["a", "c"])
    #expect(lanes.take(10) == ["b", "a", "c"])
    #expect(lanes.take(10) == [])
  }

  @Test func `what is not taken stays, and what is taken can be marked again`() {
    let lanes = LanesToVisit()
    lanes.insert(["a", "b", "c"])
    #expect(lanes.take(1) == ["a"])
    lanes.insert(["a"])
    #expect(lanes.take(10) == ["b", "c", "a"])
    #expect(lanes.take(0) == [])
  }
}
