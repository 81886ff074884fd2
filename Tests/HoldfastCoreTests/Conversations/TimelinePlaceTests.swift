import Testing

@testable import HoldfastCore

@Suite struct TimelinePlaceTests {
  // O8
  @Test func `a failed message is behind the last confirmed one and before the next`() {
    let third = TimelinePlace.confirmed(order: 3)
    let failed = TimelinePlace.failed(behind: third)
    #expect(third < failed)
    #expect(failed < TimelinePlace.confirmed(order: 4))
    #expect(TimelinePlace.failed(behind: failed) == failed, "A second one is beside the first.")
    #expect(TimelinePlace.failed(behind: 0) < TimelinePlace.confirmed(order: 1))
  }

  // O2.6
  @Test func `messages under way are behind all others`() {
    let last = TimelinePlace.confirmed(order: TimelinePlace.maximumOrder)
    #expect(TimelinePlace.failed(behind: last) < TimelinePlace.underWay)
    #expect(TimelinePlace.next(behind: last) < TimelinePlace.underWay)
  }

  @Test func `where the backend has no order, the next is behind all`() {
    #expect(TimelinePlace.next(behind: 0) == TimelinePlace.confirmed(order: 1))
    #expect(
      TimelinePlace.next(behind: TimelinePlace.confirmed(order: 1)) == TimelinePlace.confirmed(order: 2))
    #expect(TimelinePlace.next(behind: TimelinePlace.failed(behind: 4)) == TimelinePlace.confirmed(order: 3))
  }
}
