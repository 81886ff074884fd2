import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// States that the server sends for messages that the user has changed.
@Suite(.timeLimit(.minutes(10))) struct OperatedStateTests {
  private let bench: Bench

  init() throws { bench = try Bench(maximumMessageBytes: 100) }

  // H11
  @Test
  func `a state with a higher revision replaces the one that is here, and an older one changes nothing`()
    throws
  {
    let client = try bench.client()
    try client.takeIn(eg.incoming("m", "one"))
    let later = eg.date.addingTimeInterval(5)
    let second = eg.incoming(
      "m", "two", revision: 2, editedAt: later, reactions: [IncomingMessage.Reaction("👍", from: eg.other)])
    try client.takeIn(second)
    let shown = try client.row("m")
    #expect(shown.text == "two")
    #expect(shown.editedAt == later)
    #expect(shown.reactions == [MessageRow.Reaction(value: "👍", count: 1, isMine: false)])
    for old in [eg.incoming("m", "one"), eg.incoming("m", "one and a half", revision: 1)] {
      try client.takeIn(old)
    }
    #expect(try client.row("m") == shown)
    try client.takeIn(eg.incoming("m", "must not be here", revision: 3, deletedAt: later))
    #expect(try client.row("m").isDeleted)
    #expect(try client.row("m").text == "")
    #expect(try client.row("m").reactions.isEmpty)
  }

  // O14
  @Test func `a deletion that comes from the server ends what waits, and not what is on its way`() throws {
    let client = try bench.client()
    let id = try client.delivered("one")
    let away = try #require(try client.message(id).react("👍"))
    try client.transmit(away)
    let failed = try #require(try client.message(id).react("🎉"))
    try client.fail(failed)
    try client.message(id).edit(to: "two")
    try client.takeIn(eg.incoming(id, from: eg.user, "", revision: 1, deletedAt: eg.date))
    #expect(try client.queue() == [away])
    #expect(try client.row(id).text == "")
    // The server answers the reaction: the message is deleted. The user is not asked about it.
    try client.fail(away)
    #expect(try client.outbox.unsentCount() == 0)
    #expect(try client.row(id).operation == nil)
  }
}
