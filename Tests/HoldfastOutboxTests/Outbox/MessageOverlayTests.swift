import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

// O14
@Suite struct MessageOverlayTests {
  private let later = eg.date.addingTimeInterval(60)

  private func operation(
    _ kind: MessageOperation.Kind, _ payload: String = "", failure: FailureReason? = nil
  ) -> StoredOperation {
    StoredOperation(
      id: "o", kind: kind, content: MessageContent(payload), createdAt: later, isAccepted: false,
      mayHaveArrived: false,
      failure: failure)
  }

  private func overlay(
    _ operations: [StoredOperation], reactions: [IncomingMessage.Reaction] = []
  ) -> MessageOverlay {
    var overlay = MessageOverlay(
      content: MessageContent("one", reasoning: "because"), editedAt: nil, isDeleted: false,
      reactions: reactions)
    overlay.apply(operations, of: eg.user)
    return overlay
  }

  @Test func `the last edit is shown, with its time`() {
    let shown = overlay([operation(.edit, "two"), operation(.edit, "three")])
    #expect(shown.content.text == "three")
    #expect(shown.editedAt == later)
    #expect(shown.content.reasoning == "because")
  }

  @Test func `a deletion takes everything, and nothing comes after it`() {
    let shown = overlay(
      [operation(.delete), operation(.edit, "two"), operation(.react, "👍")],
      reactions: [IncomingMessage.Reaction("🎉", from: eg.other)])
    #expect(
      shown == MessageOverlay(content: MessageContent(), editedAt: nil, isDeleted: true, reactions: []))
  }

  @Test func `a reaction is there once, and its removal leaves those of others`() {
    let theirs = IncomingMessage.Reaction("👍", from: eg.other)
    let mine = IncomingMessage.Reaction("👍", from: eg.user)
    #expect(overlay([operation(.react, "👍")], reactions: [theirs, mine]).reactions == [theirs, mine])
    #expect(overlay([operation(.unreact, "👍")], reactions: [theirs, mine]).reactions == [theirs])
  }

  @Test func `a failed operation is not shown`() {
    #expect(overlay([operation(.edit, "two", failure: eg.rejection)]).content.text == "one")
    #expect(!overlay([operation(.delete, failure: eg.rejection)]).isDeleted)
  }

  @Test func `reactions are counted by their bytes, in one order everywhere`() {
    let composed = "\u{E9}", decomposed = "e\u{301}"
    let reactions = [
      IncomingMessage.Reaction(decomposed, from: eg.other), IncomingMessage.Reaction(composed, from: eg.user),
      IncomingMessage.Reaction("a", from: eg.user), IncomingMessage.Reaction("a", from: eg.other),
    ]
    #expect(
      MessageRow.Reaction.counted(reactions, by: eg.user) == [
        MessageRow.Reaction(value: "a", count: 2, isMine: true),
        MessageRow.Reaction(value: decomposed, count: 1, isMine: false),
        MessageRow.Reaction(value: composed, count: 1, isMine: true),
      ])
    #expect(
      MessageRow.Reaction.counted(reactions.reversed(), by: eg.user).map(\.count)
        == MessageRow.Reaction.counted(reactions, by: eg.user).map(\.count))
  }

  // O14
  @Test func `reactions that look the same are one chip, which counts each person once`() {
    let reactions = [
      IncomingMessage.Reaction("❤", from: eg.user), IncomingMessage.Reaction("❤\u{FE0F}", from: eg.other),
      IncomingMessage.Reaction("❤\u{FE0F}", from: eg.user), IncomingMessage.Reaction("👍", from: eg.other),
    ]
    #expect(
      MessageRow.Reaction.counted(reactions, by: eg.user) == [
        MessageRow.Reaction(value: "❤\u{FE0F}", count: 2, isMine: true),
        MessageRow.Reaction(value: "👍", count: 1, isMine: false),
      ])
  }

  // O14
  @Test func `a tap takes away what the user gave, in whatever form the chip shows it`() throws {
    let client = try Bench(inMemory: true).client()
    let id = try client.send("x", in: eg.conversation)
    #expect(try client.message(id).react("❤") != nil)
    #expect(try client.message(id).react("❤\u{FE0F}") == nil, "It is there.")
    let chip = try #require(
      try client.reader.conversation(eg.conversation, limit: 9).rows.last?.reactions.first)
    #expect((chip.count, chip.isMine) == (1, true))
    try client.message(id).unreact("❤\u{FE0F}")
    #expect(try client.reader.conversation(eg.conversation, limit: 9).rows.last?.reactions == [])
  }
}
