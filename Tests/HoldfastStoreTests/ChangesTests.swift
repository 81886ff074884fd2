import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// The changes that functions announce to the observers when they change rows.
@Suite struct ChangesTests {
  private let bench: Bench

  init() throws { bench = try Bench(carriesAttachments: true) }

  private func store() throws -> Store {
    let store = try bench.store()
    try store.write { transaction in
      try transaction.conversations.create(
        eg.conversation.key, title: nil, members: [eg.user, eg.other], now: eg.date)
    }
    return store
  }

  private func changes(_ store: Store, _ body: (Transaction) throws -> Void) throws -> Changes {
    try store.write { transaction in
      try body(transaction)
      return transaction.changes
    }
  }

  private func saveDraft(_ text: String, _ transaction: Transaction) throws {
    try transaction.drafts.save(
      eg.key, content: DraftContent(text), newID: "d", session: "s", now: eg.date)
  }

  @Test func `saving a draft wakes the composer and the list, and no timeline`() throws {
    let store = try store()
    let changes = try changes(store) { try saveDraft("x", $0) }
    #expect(changes.drafts == [eg.conversation.key])
    #expect(changes.list)
    #expect(!changes.concernsTimelines && changes.lanes.isEmpty && !changes.outbox)
    #expect(!changes.unusedAttachments)
  }

  @Test func `a finished reply changes its timeline, whoever finishes it`() throws {
    let store = try store()
    try store.write { try $0.streams.begin(eg.piece(0), in: eg.conversation.key, now: eg.date) }
    let changes = try changes(store) {
      try $0.streams.finish("answer", MessageContent("whole"))
    }
    #expect(changes.timelines == [eg.conversation.key])
    #expect(changes.list)
  }

  @Test func `an interrupted reply, and an interrupted request, change their timelines`() throws {
    let store = try store()
    try store.write { transaction in
      try transaction.streams.begin(eg.piece(0), in: eg.conversation.key, now: eg.date)
      try transaction.streams.beginRequest("r", in: eg.conversation.key, by: "launch", now: eg.date)
    }
    let streams = try changes(store) { try $0.streams.interruptAll() }
    #expect(streams.timelines == [eg.conversation.key])
    let work = try changes(store) { try $0.streams.interruptRequests(except: "another launch") }
    #expect(work.timelines == [eg.conversation.key])
    #expect(
      try changes(store) { try $0.streams.interruptRequests(except: "another launch") }.timelines.isEmpty)
  }

  // D16
  @Test func `the end of a draft announces files that nothing else refers to, and no others`() throws {
    let client = try bench.client()
    let picked = try client.attach(text: "a")
    let shared = try client.store.write { transaction in
      _ = try transaction.messages.apply(eg.incoming("m", "look"), now: eg.date)
      try transaction.attachments.set([picked], of: .message("m"))
      try transaction.drafts.end(eg.key)
      return transaction.changes
    }
    #expect(!shared.unusedAttachments, "The message has the file too.")
    try client.attach(text: "b")
    let last = try client.store.write { transaction in
      try transaction.drafts.end(eg.key)
      return transaction.changes
    }
    #expect(last.unusedAttachments)
  }

  // D16
  @Test func `replaced attachments are announced as unused, unless they stay`() throws {
    let client = try bench.client()
    let picked = try client.attach(text: "a")
    let kept = try changes(client.store) { try $0.attachments.set([picked], of: .draft(eg.key)) }
    #expect(!kept.unusedAttachments)
    #expect(kept.drafts == [eg.conversation.key])
    let replaced = try changes(client.store) { try $0.attachments.set([], of: .draft(eg.key)) }
    #expect(replaced.unusedAttachments)
  }
}
