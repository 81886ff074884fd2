import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// A timeline that is opened around a message (rules R3, H7).
@MainActor @Suite(.timeLimit(.minutes(10))) struct TimelineSpanTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  private func ids(_ range: ClosedRange<Int>) -> [MessageID] {
    range.map { MessageID(rawValue: "m\($0)") }
  }

  // H7.2, R3.1
  @Test func `a message far up has its rows around it, and both sides page in`() throws {
    let client = try bench.client()
    try client.takeIn(orders: 1...500)
    let model = ConversationModel(client, eg.conversation, around: "m200")
    #expect(model.snapshot.rows.map(\.id) == ids(150...300))
    #expect(model.snapshot.hasOlder)
    #expect(model.snapshot.hasNewer)
    model.loadNewer()
    #expect(model.snapshot.rows.map(\.id) == ids(150...400))
    model.loadOlder()
    #expect(model.snapshot.rows.map(\.id) == ids(50...400))
    model.loadNewer()
    #expect(model.snapshot.rows.map(\.id) == ids(50...500))
    #expect(!model.snapshot.hasNewer)
    model.loadOlder()
    #expect(model.snapshot.rows.map(\.id) == ids(1...500))
    #expect(!model.snapshot.hasOlder)
    model.loadNewest()
    #expect(model.snapshot.rows.map(\.id) == ids(401...500))
  }

  // R3.1
  @Test func `the first and the last message have rows on one side`() throws {
    let client = try bench.client()
    try client.takeIn(orders: 1...400)
    let first = ConversationModel(client, eg.conversation, around: "m1").snapshot
    #expect(first.rows.map(\.id) == ids(1...101))
    #expect(!first.hasOlder)
    #expect(first.hasNewer)
    let last = ConversationModel(client, eg.conversation, around: "m400").snapshot
    #expect(last.rows.map(\.id) == ids(350...400))
    #expect(last.hasOlder)
    #expect(!last.hasNewer)
  }

  // R3
  @Test(arguments: ["gone", "", "a\u{0}b", "elsewhere"] as [MessageID])
  func `around a message that is not there, the newest are shown`(anchor: MessageID) throws {
    let client = try bench.client()
    try client.createConversation("other")
    try client.takeIn(eg.incoming("elsewhere", in: "other", order: 1))
    try client.takeIn(orders: 1...150)
    let model = ConversationModel(client, eg.conversation, around: anchor)
    #expect(model.snapshot.rows.map(\.id) == ids(51...150))
    #expect(model.snapshot.hasOlder)
    #expect(!model.snapshot.hasNewer)
    model.loadOlder()
    #expect(model.snapshot.rows.map(\.id) == ids(1...150))
  }

  // R3
  @Test func `messages that arrive at the shown end are shown, in any number`() async throws {
    let client = try bench.client()
    try client.takeIn(orders: 1...200)
    let model = ConversationModel(client, eg.conversation, around: "m190")
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await model.run() }
      group.addTask {
        for step in 1...8 {
          try? client.takeIn(orders: (200 + step * 30 - 29)...(200 + step * 30))
          let last = MessageID(rawValue: "m\(200 + step * 30)")
          await Shown.hold { model.snapshot.rows.last?.id == last }
        }
      }
      await group.next()
      group.cancelAll()
    }
    #expect(model.snapshot.rows.map(\.id) == ids(140...440))
  }

  // R3.2: the anchor is a message, and not the index of a row.
  @Test func `a message keeps its place when it is confirmed, changed and answered`() throws {
    let client = try bench.client()
    try client.takeIn(orders: 1...300)
    let id = try client.send("mine", in: eg.conversation)
    let unsent = ConversationModel(client, eg.conversation, around: id).snapshot
    #expect(unsent.rows.map(\.id) == ids(251...300) + [id])
    try client.confirm(id, order: 301)
    try client.takeIn(
      eg.incoming(
        "m299", order: 299, revision: 1, reactions: [IncomingMessage.Reaction("👍", from: eg.other)]))
    try client.takeIn(orders: 302...450)
    try client.message("m300").react("🎉")
    let around = ConversationModel(client, eg.conversation, around: id).snapshot
    #expect(around.rows.map(\.id) == ids(251...300) + [id] + ids(302...401))
    let newest = try client.reader.conversation(eg.conversation, limit: 1000).rows
    #expect(around.rows == newest.filter { row in around.rows.contains { $0.id == row.id } })
    #expect(around.rows.first { $0.id == "m300" }?.reactions.map(\.value) == ["🎉"])
  }

  // H7.2
  @Test
  func `however far a reader goes back and forth, a thousand rows are loaded at most, and each comes by`()
    throws
  {
    let client = try bench.client()
    try client.takeIn(orders: 1...2_500)
    let model = ConversationModel(client, eg.conversation)
    var seen = Set(model.rowIDs)
    while model.hasOlder {
      let first = try #require(model.rowIDs.first)
      model.loadOlder()
      #expect(model.rowIDs.count <= 1_000 && model.rowIDs.contains(first))
      seen.formUnion(model.rowIDs)
    }
    #expect(seen == Set(ids(1...2_500)) && model.rowIDs == ids(1...model.rowIDs.count) && model.hasNewer)
    while model.hasNewer {
      let last = try #require(model.rowIDs.last)
      model.loadNewer()
      #expect(model.rowIDs.count <= 1_000 && model.rowIDs.contains(last))
    }
    #expect(model.rowIDs.last == "m2500")
  }

  // H7.2
  @Test func `a reader who has come back to the end goes on with what arrives`() async throws {
    let client = try bench.client()
    try client.takeIn(orders: 1...1_500)
    let model = ConversationModel(client, eg.conversation, around: "m20")
    while model.hasNewer { model.loadNewer() }
    await Shown.until {
      model.rowIDs.last == "m1800"
    } while: {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await model.run() }
        group.addTask {
          for page in 0..<10 { try? client.takeIn(orders: 1_501 + page * 30...1_530 + page * 30) }
        }
      }
    }
    #expect(model.rowIDs.count <= 1_000 && !model.hasNewer && model.hasOlder)
  }

  @Test func `no number breaks a span`() {
    var span = TimelineSpan(newest: .max)
    span.loadOlder(before: [])
    #expect(span.older == .max - 1)
    #expect(TimelineSpan(newest: .min).older == 0)
  }
}
