import Testing

@testable import HoldfastCore

@Suite struct ReadyQueueTests {
  @Test func `each lane is visited once, in the order of the first mark`() {
    let lanes = ReadyQueue()
    lanes.insert(["b", "a", "b"])
    lanes.insert(["a", "c"])
    #expect(lanes.drain(atMost: 10) == ["b", "a", "c"])
    #expect(lanes.drain(atMost: 10) == [])
  }

  @Test func `lanes that are not taken stay, and taken ones can be marked again`() {
    let lanes = ReadyQueue()
    lanes.insert(["a", "b", "c"])
    #expect(lanes.drain(atMost: 1) == ["a"])
    lanes.insert(["a"])
    #expect(lanes.drain(atMost: 10) == ["b", "c", "a"])
    #expect(lanes.drain(atMost: 0) == [])
  }
}
