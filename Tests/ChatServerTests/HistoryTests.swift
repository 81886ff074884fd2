import Foundation
import Holdfast
import HoldfastRelay
import Testing

@testable import ChatServer

/// Older messages, and a first connection that brings only the newest ones (rule B6).
@Suite struct HistoryTests {
  private static func older(_ frames: [Wire.ServerFrame]) -> Wire.Older? {
    frames.compactMap { if case .older(let older) = $0 { older } else { nil } }.first
  }

  private static func page(_ frames: [Wire.ServerFrame]) -> Wire.Events? {
    frames.compactMap { if case .events(let page) = $0 { page } else { nil } }.first
  }

  private static func fill(
    _ client: Client, _ conversation: String, _ count: Int, body: String = "hi"
  ) async {
    for start in stride(from: 1, through: count, by: 100) {
      let messages = (start...min(count, start + 99)).map {
        eg("\(conversation) \($0)", in: conversation, body: "\(body) \($0)")
      }
      await client.say(.send(.init(messages: messages)))
    }
  }

  // B6.1
  @Test func `a page is the messages before an order, and says where the next one begins`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await Self.fill(alice, "trip", 25)
    let first = Self.older(
      await alice.say(.history(.init(number: 7, conversation: "trip", limit: 10))))
    #expect(first?.number == 7 && first?.before == 16)
    #expect(first?.messages.map(\.order) == Array(16...25))
    let last = Self.older(
      await alice.say(.history(.init(number: 8, conversation: "trip", before: 16, limit: 100))))
    #expect(last?.messages.map(\.order) == Array(1...15))
    #expect(last?.before == nil && last?.missing == nil)
  }

  // B6.3
  @Test func `the server says when it lacks a message that is sought, and never whose it is`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await Self.fill(alice, "trip", 3)
    await Self.fill(alice, "notes", 1)
    for (sought, isMissing) in [("trip 1", nil), ("nowhere", true), ("notes 1", true)] as [(String, Bool?)] {
      let older = Self.older(
        await alice.say(
          .history(.init(number: 1, conversation: "trip", before: 3, sought: sought, limit: 1))))
      #expect(older?.missing == isMissing)
    }
  }

  // B6.1
  @Test func `who takes no part in a conversation gets none of it`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let carol = try await bench.client("carol")
    await Self.fill(alice, "trip", 3)
    let older = Self.older(
      await carol.say(.history(.init(number: 1, conversation: "trip", limit: 10))))
    #expect(older?.messages == [] && older?.refusal != nil)
    let unknown = Self.older(
      await carol.say(.history(.init(number: 1, conversation: "nowhere", limit: 10))))
    #expect(unknown?.refusal == older?.refusal)
  }

  // B6.1
  @Test func `a page of long messages is cut, and has at least one`() async throws {
    var limits = Limits()
    limits.maximumPageBytes = 3_000
    let bench = try await Bench(limits: limits)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await Self.fill(alice, "trip", 5, body: String(repeating: "x", count: 2_000))
    let older = Self.older(
      await alice.say(.history(.init(number: 1, conversation: "trip", limit: 10))))
    #expect(older?.messages.map(\.order) == [5] && older?.before == 5)
  }

  // B6.4
  @Test func `a new device gets the newest of each conversation, the last one last, and then the log`()
    async throws
  {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await Self.fill(alice, "trip", 30)
    await Self.fill(alice, "notes", 3)
    let bob = try await bench.connect("bob")
    var frames = await bob.say(.hello(.init(after: nil, recent: .init(count: 10))))
    var page = try #require(Self.page(frames))
    let head = page.cursor
    var served: [String: [Int64]] = [:]
    var conversations: [Wire.ConversationItem] = []
    while let place = page.recent?.place {
      for item in page.items {
        if let conversation = item.conversation { conversations.append(conversation) }
        if let message = item.message { served[message.conversation, default: []].append(message.order) }
      }
      // Messages sent meanwhile come with the log.
      await alice.say(.send(.init(messages: [eg("late \(conversations.count)", in: "trip", body: "late")])))
      frames = await bob.say(.sync(.init(after: nil, recent: .init(count: 10, after: place))))
      page = try #require(Self.page(frames))
    }
    #expect(page.items.isEmpty && page.more && page.cursor == head)
    #expect(conversations.first { $0.id == "trip" }?.older == 21)
    #expect(conversations.first { $0.id == "notes" }?.older == nil)
    #expect(served["notes"] == [1, 2, 3])
    #expect(served["trip"] == [21, 22, 23, 24, 25, 26, 27, 28, 29, 30])
    let rest = try #require(Self.page(await bob.say(.sync(.init(after: head)))))
    #expect(rest.items.compactMap(\.message?.order).first == 31 && !rest.more)
  }

  // B6.4
  @Test
  func
    `a place of the newest messages that makes no sense ends the connection, and one of another log begins anew`()
    async throws
  {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await Self.fill(alice, "trip", 3)
    for place in ["", "1", "x/y", "-1/2", "2/3", "1/2/3"] {
      let bob = try await bench.connect("bob")
      let frames = await bob.say(.hello(.init(after: nil, recent: .init(count: 10, after: place))))
      #expect(
        frames.contains { if case .failure(let failure) = $0 { failure.code == .malformed } else { false } })
    }
    let bob = try await bench.connect("bob")
    let frames = await bob.say(.hello(.init(after: nil, recent: .init(count: 10, after: "999/1"))))
    let page = try #require(Self.page(frames))
    #expect(page.recent?.after == nil && page.items.count == 4)
  }
}
