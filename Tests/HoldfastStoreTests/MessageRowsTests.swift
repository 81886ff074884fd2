import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

@Suite struct MessageRowsTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  private func store(messages orders: some Sequence<Int64>) throws -> Store {
    let store = try bench.store()
    try store.write { transaction in
      for order in orders {
        _ = try transaction.messages.apply(
          eg.incoming(MessageID(rawValue: "m\(order)"), "text \(order)", order: order), now: eg.date)
      }
    }
    return store
  }

  private func timeline(_ store: Store, limit: Int = 1000) throws -> [String] {
    try store.read { try $0.messages.timeline(of: eg.conversation.key, limit: limit) }.map(\.id.rawValue)
  }

  // H7
  @Test func `a page is the newest messages, oldest first`() throws {
    let store = try store(messages: 1...250)
    #expect(try timeline(store, limit: 100) == (151...250).map { "m\($0)" })
    #expect(try timeline(store, limit: 1) == ["m250"])
    #expect(try timeline(store) == (1...250).map { "m\($0)" })
  }

  // H11.2
  @Test func `the server's order decides, not the order of arrival`() throws {
    let store = try store(messages: [5, 1, 4, 2, 3])
    #expect(try timeline(store) == ["m1", "m2", "m3", "m4", "m5"])
  }

  // H7.3
  @Test func `a conversation that was never loaded is empty, and no error`() throws {
    let store = try bench.store()
    #expect(try timeline(store) == [])
    #expect(try store.read { try $0.conversations.stored("nobody") } == nil)
  }

  // H7
  @Test func `a page is read from the index, without sorting`() throws {
    let store = try bench.store()
    let plan = try store.read { db in
      try db.rows(
        """
        EXPLAIN QUERY PLAN SELECT id FROM message WHERE conversationID = 'c'
        ORDER BY place DESC, position DESC LIMIT 100
        """
      ) { $0[3] as String }
    }
    #expect(plan.contains { $0.contains("message_timeline") })
    #expect(!plan.contains { $0.contains("TEMP B-TREE") })
  }

  // Dates in seconds, because a date out of range cannot be described.
  @Test(arguments: [-62_135_769_600, 64_092_211_200, 1e300, -1e300, .nan, .infinity])
  func `any date can be stored`(seconds: Double) throws {
    let date = Date(timeIntervalSince1970: seconds)
    let store = try bench.store()
    try store.write { _ = try $0.messages.apply(eg.incoming("m", at: date), now: eg.date) }
    #expect(try timeline(store) == ["m"])
  }

  @Test func `a date comes back to the microsecond`() {
    let date = Date(timeIntervalSince1970: 1_767_225_600.123456)
    #expect(Date(microseconds: date.microseconds).microseconds == 1_767_225_600_123_456)
    #expect(Date(timeIntervalSince1970: -0.000001).microseconds == -1)
  }

  // H1.2
  @Test(arguments: [
    ("Hello", "Hello"),
    ("First line\nsecond line", "First line"),
    (String(repeating: "a", count: 40), String(repeating: "a", count: 40)),
    (String(repeating: "a", count: 41), String(repeating: "a", count: 40) + "…"),
    (
      "What is the airspeed velocity of an unladen swallow?",
      "What is the airspeed velocity of an…"
    ),
    (String(repeating: "👩‍👩‍👧‍👦", count: 41), String(repeating: "👩‍👩‍👧‍👦", count: 40) + "…"),
    (
      "今日はとても良い天気です。" + String(repeating: "犬", count: 40),
      "今日はとても良い天気です。" + String(repeating: "犬", count: 27) + "…"
    ),
    ("one\r\ntwo", "one"),
  ])
  func `a title is the first line, cut at a word`(body: String, title: String) {
    #expect(ConversationTitle.automatic(from: body) == title)
  }
}
