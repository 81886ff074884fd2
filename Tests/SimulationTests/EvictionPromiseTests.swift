import Holdfast
import Testing

@testable import Simulator

/// The rows that may be evicted, and the report about any other row that is missing (rule H11).
@Suite struct EvictionPromiseTests {
  private static let served = (1...130).map { MessageID(rawValue: "\($0)") }

  private func broken(
    _ left: [MessageID], isReported: Bool = true, referred: Set<MessageID> = []
  ) -> String? {
    EvictionPromise(isReported: isReported, referred: referred).violation(before: Self.served, after: left)?
      .promise
  }

  @Test func `the oldest make room, and what is referred to stays`() {
    #expect(broken(Self.served) == nil)
    #expect(broken(Self.served, isReported: false) == nil)
    #expect(broken(Array(Self.served.dropFirst(30))) == nil)
    #expect(broken([Self.served[3]] + Self.served.dropFirst(30), referred: [Self.served[3]]) == nil)
  }

  @Test func `rows that go unannounced, in front of older ones, or from the last hundred break a promise`() {
    #expect(broken(Array(Self.served.dropFirst()), isReported: false) == "what has made room is reported")
    #expect(broken([Self.served[3]] + Self.served.dropFirst(30)) == "the oldest make room")
    #expect(broken(Array(Self.served.dropFirst(31))) == "the last hundred stay")
    // A row that stays before a gap does not count among the last hundred.
    let two = Array(Self.served[...1])
    #expect(broken(two + Self.served.dropFirst(32), referred: Set(two)) == "the last hundred stay")
  }

  @Test func `limits are kept when nothing is left that may go`() {
    func isKept(_ limits: ChatConfiguration.HistoryLimits, _ counts: [Int], referred: Int = 0) -> Bool {
      let referred = Set(Self.served[..<referred])
      return HistoryPromise(limits: limits).isKept(
        counts.map { (rows: Array(Self.served.prefix($0)), referred: referred) })
    }
    let each = ChatConfiguration.HistoryLimits(perConversation: 100)
    #expect(!isKept(each, [130]))
    #expect(isKept(each, [130], referred: 30))
    #expect(isKept(each, [100, 50]))
    let all = ChatConfiguration.HistoryLimits(total: 120)
    #expect(!isKept(all, [130]))
    #expect(isKept(all, [120]))
    #expect(!isKept(all, [120, 1]))
    #expect(isKept(all, [100, 50]))
  }
}
