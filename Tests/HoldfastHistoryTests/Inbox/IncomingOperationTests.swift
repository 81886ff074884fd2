import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// Changes that a server sends as events (rule B2).
@Suite(.timeLimit(.minutes(10))) struct IncomingOperationTests {
  private let bench: Bench

  init() throws { bench = try Bench(inMemory: true) }

  private static let message = eg.incoming("m", "first", order: nil)

  private static func operation(
    _ kind: MessageOperation.Kind, _ text: String = "", of target: MessageID = "m",
    by sender: UserID = eg.other,
    at seconds: Double, as name: String? = nil
  ) -> IncomingItem {
    .operation(
      IncomingOperation(
        MessageOperation(kind, of: target), MessageContent(text), in: eg.conversation, by: sender,
        at: eg.date + seconds, serverID: name))
  }

  /// The shown message after the items have arrived in this order, each in an event of its own.
  private static func shown(_ items: [IncomingItem]) async throws -> String {
    let bench = try Bench(inMemory: true)
    let client = try bench.client()
    for item in items { try await client.hear(item) }
    return try #require(client.rows().map(summary).first)
  }

  private static func summary(_ row: MessageRow) -> String {
    let reactions = row.reactions.map { "\($0.value)\($0.count)" }.joined()
    return "\(row.isDeleted ? "deleted" : row.text) \(reactions) \(row.readBy.map(\.rawValue).sorted())"
  }

  /// All orders of a few items.
  private static func orders(_ items: [IncomingItem]) -> [[IncomingItem]] {
    guard items.count > 1 else { return [items] }
    return items.indices.flatMap { index in
      var rest = items
      let first = rest.remove(at: index)
      return orders(rest).map { [first] + $0 }
    }
  }

  // B2.1, B2.3
  @Test(arguments: [
    [operation(.edit, "second", at: 1, as: "e1"), operation(.edit, "third", at: 2, as: "e2")],
    [operation(.edit, "a", at: 1, as: "e1"), operation(.edit, "third", at: 1, as: "e2")],
    [operation(.edit, "second", at: 1), operation(.edit, "third", at: 1)],
    [operation(.edit, "second", at: 1, as: "e1"), operation(.delete, at: 2, as: "d")],
    [operation(.edit, "second", at: 3, as: "e1"), operation(.delete, at: 2, as: "d")],
    [
      operation(.react, "👍", by: eg.user, at: 1, as: "r1"), operation(.unreact, "👍", by: eg.user, at: 2),
      operation(.react, "👍", by: eg.user, at: 3, as: "r3"),
    ],
    [operation(.react, "👍", at: 1, as: "r1"), operation(.unreact, "👍", at: 2, as: "u")],
    [operation(.react, "👍", at: 1, as: "r1"), operation(.react, "👍", by: eg.user, at: 1, as: "r2")],
    [operation(.react, "👍", at: 1, as: "r1"), operation(.delete, of: "r1", at: 2, as: "d")],
    [
      operation(.edit, "second", at: 1, as: "e1"), operation(.delete, of: "e1", at: 2, as: "d"),
      operation(.edit, "third", at: 3, as: "e2"),
    ],
  ])
  func `operations end the same in every order, any number of times, and before their message`(
    operations: [IncomingItem]
  ) async throws {
    let expected = try await Self.shown([.message(Self.message)] + operations)
    for order in Self.orders([.message(Self.message)] + operations) {
      #expect(try await Self.shown(order) == expected)
      #expect(try await Self.shown(order + order) == expected)
    }
  }

  // B2.1: the results of the orders above.
  @Test func `the newest operation holds`() async throws {
    func shown(_ operations: IncomingItem...) async throws -> String {
      try await Self.shown([.message(Self.message)] + operations)
    }
    let (second, third) = (Self.operation(.edit, "second", at: 1), Self.operation(.edit, "third", at: 2))
    #expect(try await shown(third, second) == "third  []")
    #expect(try await shown(Self.operation(.delete, at: 1), third) == "deleted  []")
    #expect(
      try await shown(Self.operation(.react, "👍", at: 1), Self.operation(.react, "❤️", at: 2))
        == "first ❤️1👍1 []")
    #expect(
      try await shown(Self.operation(.unreact, "👍", at: 2), Self.operation(.react, "👍", at: 1)) == "first  []"
    )
    #expect(
      try await shown(Self.operation(.react, "👍", at: 1, as: "r"), Self.operation(.delete, of: "r", at: 2))
        == "first  []")
  }

  // B2.2
  @Test func `an edit by somebody else is refused, before its message too`() async throws {
    let forged = Self.operation(.edit, "forged", by: "carol", at: 5, as: "e")
    for order in Self.orders([.message(Self.message), forged]) {
      #expect(try await Self.shown(order) == "first  []")
    }
    let client = try bench.client()
    try await client.hear(.message(Self.message))
    try await client.hear(forged)
    #expect(bench.log.lines.contains { $0.hasPrefix("warning operation refused") })
    #expect(!bench.log.lines.contains { $0.contains("forged") })
    #expect(
      try await Self.shown([.message(Self.message), Self.operation(.delete, by: "carol", at: 5)])
        == "deleted  []")
  }

  // B2.1, B13.2
  @Test func `a read mark without an order waits for its message`() async throws {
    let mark = IncomingItem.readMark(
      IncomingItem.ReadMark(conversation: eg.conversation, reader: "carol", message: "m", order: nil))
    for order in Self.orders([.message(Self.message), mark]) {
      #expect(try await Self.shown(order) == "first  [\"carol\"]")
    }
  }

  // B2.1, O14
  @Test func `the echo of an own operation changes nothing, and gives the receipt's time its right value`()
    async throws
  {
    let client = try bench.client()
    try await client.hear(.message(eg.incoming("m", from: eg.user, "first", order: nil)))
    let edit = try #require(try client.message("m").edit(to: "mine"))
    let reaction = try #require(try client.message("m").react("👍"))
    for id in [edit, reaction] { try client.store.write { try $0.outbox.countTransmission(of: id) } }
    // The time of this receipt comes from a clock that is ahead.
    try await client.confirm([
      eg.receipt(edit, order: nil, at: eg.date + 3_600), eg.receipt(reaction, order: nil, serverID: "r"),
    ])
    try await client.hear(Self.operation(.edit, "mine", by: eg.user, at: 1, as: "e1"))
    try await client.hear(Self.operation(.react, "👍", by: eg.user, at: 1, as: "r"))
    #expect(try client.rows().map(Self.summary) == ["mine 👍1 []"])
    try await client.hear(Self.operation(.edit, "elsewhere", by: eg.user, at: 2, as: "e2"))
    try await client.hear(Self.operation(.delete, of: "r", by: eg.user, at: 2))
    #expect(try client.rows().map(Self.summary) == ["elsewhere  []"])
  }

  // B2.1, O14: the deletion arrives before the receipts of earlier operations.
  @Test func `a receipt behind the deletion changes nothing`() async throws {
    let client = try bench.client()
    try await client.hear(.message(eg.incoming("m", from: eg.user, "first", order: nil)))
    let operations = [try client.message("m").edit(to: "mine"), try client.message("m").react("👍")]
      .compactMap(\.self)
    for id in operations { try client.store.write { try $0.outbox.countTransmission(of: id) } }
    try await client.hear(Self.operation(.delete, by: eg.user, at: 5))
    try await client.confirm(operations.map { eg.receipt($0, order: nil) })
    #expect(try client.rows().map(Self.summary) == ["deleted  []"])
    #expect(try client.row("m").text.isEmpty)
    #expect(try client.outbox.unsentCount() == 0)
  }

  // B2.1, B2.3: the events overtake the receipts on the network.
  @Test func `a receipt behind a newer event changes nothing`() async throws {
    let client = try bench.client()
    try await client.hear(.message(eg.incoming("m", from: eg.user, "first", order: nil)))
    let operations = [try client.message("m").edit(to: "mine"), try client.message("m").react("👍")]
      .compactMap(\.self)
    for id in operations { try client.store.write { try $0.outbox.countTransmission(of: id) } }
    try await client.hear(Self.operation(.edit, "elsewhere", by: eg.user, at: 7, as: "e7"))
    try await client.hear(Self.operation(.unreact, "👍", by: eg.user, at: 7, as: "u7"))
    try await client.confirm(
      operations.map { eg.receipt($0, order: nil, at: eg.date + 5, serverID: $0.rawValue) })
    #expect(try client.rows().map(Self.summary) == ["elsewhere  []"])
  }

  // B2.1
  @Test func `what waits is bounded, and goes with its conversation`() async throws {
    let client = try bench.client()
    try await client.hear(
      (0..<1_100).map { Self.operation(.edit, "\($0)", of: MessageID(rawValue: "m\($0)"), at: 1) })
    for number in [99, 100, 1_099] {
      try await client.hear(.message(eg.incoming(MessageID(rawValue: "m\(number)"), "first", order: nil)))
    }
    #expect(try client.rows().map(\.text) == ["first", "100", "1099"])
    try client.store.write { _ = try $0.deletions.hide(eg.conversation.key, isFinal: true) }
    #expect(try client.store.read { try !$0.operations.hasWaiting() })
  }

  // B2.1, S4: a launch finds the waiting operations.
  @Test func `what waits survives a launch`() async throws {
    try await bench.client().hear(Self.operation(.edit, "second", at: 1, as: "e"))
    let client = try bench.client()
    try await client.hear(.message(Self.message))
    #expect(try client.rows().map(\.text) == ["second"])
  }

  // B1.3, B2.1: the change refers to the message by the server's name, before the receipt with that name arrives.
  @Test func `an operation under a name waits for the receipt that has the name`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.send("mine", in: eg.conversation)
        await bench.transport.transmission(1)
        bench.transport.say(
          .items([Self.operation(.react, "👍", of: "$1", at: 1, as: "r")], cursor: nil),
          .receipts([eg.receipt(id, order: nil, serverID: "$1")]))
        try await bench.rest()
        #expect(try client.row(id).reactions.map(\.value) == ["👍"])
      }
    }
  }

  // B2.1
  @Test(arguments: [
    operation(.react, "", at: 1), operation(.react, "a\u{1}b", at: 1),
    operation(.edit, "x", of: "", at: 1), operation(.edit, "x", by: "", at: 1),
    operation(.edit, "x", at: 1, as: ""),
  ])
  func `a malformed operation changes nothing`(operation: IncomingItem) async throws {
    for order in Self.orders([.message(Self.message), operation]) {
      #expect(try await Self.shown(order) == "first  []")
    }
  }
}
