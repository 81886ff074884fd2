import Foundation
import Holdfast
import Testing

@testable import Simulator

/// A check that cannot fail proves nothing. Each promise about outcomes is broken here.
@Suite struct AppTableTests {
  private func outcome(_ number: Int64, _ id: MessageID, hasFailed: Bool = false) -> OutboxOutcome {
    OutboxOutcome(
      number: number, message: id, conversation: "c", deliveredAt: hasFailed ? nil : .distantPast,
      failure: hasFailed ? FailureReason(.rejected, "no") : nil)
  }

  // L8.2
  @Test func `an outcome that comes twice, or behind a later one, is reported`() {
    var table = AppTable.State()
    table.outcomes = [outcome(3, "a"), outcome(5, "b", hasFailed: true)]
    func broken(_ news: OutboxOutcome...) -> Bool { table.violation(in: news) != nil }
    #expect(!broken(outcome(6, "b"), outcome(9, "c", hasFailed: true), outcome(10, "c")))
    #expect(broken(outcome(5, "b", hasFailed: true)))
    #expect(broken(outcome(7, "c"), outcome(6, "d")))
    #expect(broken(outcome(6, "a")))
    #expect(broken(outcome(6, "c"), outcome(7, "c", hasFailed: true)))
  }

  // L8.2, L8.3
  @Test func `an outcome is delivered again until the engine forgets it`() {
    var table = AppTable.State()
    table.outcomes = [outcome(3, "a"), outcome(5, "b"), outcome(6, "c")]
    let all = table.outcomes
    #expect(table.isRepeated(all + [outcome(9, "d")]))
    #expect(!table.isRepeated([all[0], all[2]]))
    #expect(!table.isRepeated(Array(all[1...])))
    // The process ended in the call that deletes the first two.
    table.mayBeForgotten = [5]
    #expect(table.isRepeated(all))
    #expect(table.isRepeated([all[2]]))
    #expect(!table.isRepeated(Array(all[1...])))
    table.forgotten = 5
    #expect(!table.isRepeated(all))
  }
}
