import Testing

extension SmallWorlds {
  /// The walk proves the machines, and these tests prove the walk.
  @Suite struct EveryOrderTests {
    /// A counter that may go up by one or two. While it is not sound, it must stay below five. From `bed` on, it
    /// never comes to rest.
    private struct Counter: SmallWorld {
      enum Event: CustomStringConvertible {
        case one, two
        var description: String { self == .one ? "one" : "two" }
      }
      var value = 0
      var limit = Int.max
      var isSound = true
      var bed = Int.max

      var possibleEvents: [Event] { value < limit ? [.one, .two] : [] }
      mutating func take(_ event: Event) throws {
        value += event == .one ? 1 : 2
        try require(isSound || value < 5, "it stays below five")
      }
      mutating func comeToRest() throws { try require(value < bed, "it finds its bed") }
    }

    @Test func `every order is counted, and equal worlds are walked once`() async {
      let merged = await EveryOrder.walked(from: Counter(), depth: 10)
      #expect(merged.orders == 1 << 10)
      // After n events the counter is anywhere from n to 2n.
      #expect(merged.worlds == (0...10).reduce(0) { $0 + $1 + 1 })
      #expect(merged.ends.map(\.value).sorted() == Array(10...20))
      let unmerged = await EveryOrder.walked(from: Counter(), depth: 10, mergingEqualWorlds: false)
      #expect(unmerged.orders == 1 << 10)
      #expect(unmerged.worlds == (1 << 11) - 1)
      #expect(Set(unmerged.ends) == Set(merged.ends))
    }

    @Test func `an order that ends before the depth is counted once`() async {
      let walk = await EveryOrder.walked(from: Counter(limit: 2), depth: 9)
      #expect(walk.orders == 3, "one one, one two, and two")
      #expect(walk.ends.isEmpty)
    }

    @Test func `the first surprise is a shortest one, and has its story`() async throws {
      let walk = await EveryOrder.walked(from: Counter(isSound: false), depth: 9)
      let story = try #require(walk.surprise)
      #expect(story == "one\n  -> two\n  -> two\n  -> broken: it stays below five")
      let unmerged = await EveryOrder.walked(
        from: Counter(isSound: false), depth: 9, mergingEqualWorlds: false)
      #expect(unmerged.surprise == story)
    }

    @Test func `a shortest order without a good end is reported, though only ends are looked at`() async {
      let walk = await EveryOrder.walked(from: Counter(bed: 3), depth: 9)
      #expect(
        walk.surprise == "one\n  -> two\n  -> and nothing else goes wrong\n  -> broken: it finds its bed")
      let ended = await EveryOrder.walked(from: Counter(limit: 3, bed: 3), depth: 9)
      #expect(ended.surprise == walk.surprise)
    }
  }
}
