import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// A timeline after a commit: only the changed rows are read, and the result is the same as that of a complete read.
@Suite(.timeLimit(.minutes(10))) struct TimelineReaderTests {
  private let client: ChatClient

  init() throws {
    client = try Bench(inMemory: true).client()
    try client.takeIn(orders: 2...120)
  }

  /// Shows the timeline with its hundred newest messages after each act.
  private func expectSame(_ acts: [() throws -> Void]) async throws {
    let states = client.reader.timeline(of: eg.conversation, in: TimelineSpan()).makeAsyncIterator()
    _ = await states.nextResult(isolation: nil)
    for (number, act) in acts.enumerated() {
      try act()
      let shown = try await states.nextResult(isolation: nil)?.get()
      #expect(try shown == client.reader.conversation(eg.conversation, limit: 100), "after act \(number)")
    }
  }

  // H7.2, O2.3
  @Test func `what comes, is sent, confirmed and changed is shown as it would be read`() async throws {
    let client = client
    var sent: MessageID = ""
    try await expectSame([
      { try client.takeIn(orders: 121...121) },
      { try client.takeIn(orders: 122...130) },
      { sent = try client.send("mine", in: eg.conversation) },
      { _ = try client.send("another", in: eg.conversation, replyTo: "m125") },
      { try client.confirm(sent, order: 131) },
      { try client.takeIn(eg.incoming("late", order: 133)) },
      { try client.takeIn(eg.incoming("later", order: 132)) },
      { try client.message("m124").react("👍") },
      { try client.takeIn(eg.incoming("m123", "edited", order: 123, revision: 1)) },
      { try client.takeIn(orders: 140...180) },
      { try client.message(sent).delete() },
    ])
  }

  // H7.2, D1.8
  @Test func `a quote follows its message, also where that has left the rows`() async throws {
    let client = client
    try await expectSame([
      { _ = try client.send("yes", in: eg.conversation, replyTo: "m22") },
      { try client.takeIn(orders: 121...123) },
      { try client.takeIn(eg.incoming("m22", "edited", order: 22, revision: 1)) },
    ])
  }

  // H7.2
  @Test func `a message that comes before the rows stays out of them`() async throws {
    let client = client
    let states = client.reader.timeline(of: eg.conversation, in: TimelineSpan()).makeAsyncIterator()
    _ = await states.nextResult(isolation: nil)
    try client.takeIn(eg.incoming("old", order: 1))
    try client.takeIn(orders: 121...121)
    let shown = try await states.nextResult(isolation: nil)?.get()
    #expect(try shown == client.reader.conversation(eg.conversation, limit: 100))
    #expect(shown?.rows.count == 100 && shown?.hasOlder == true)
  }
}
