import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRelay
@testable import HoldfastRescue
@testable import HoldfastStore

private typealias eg = EngineExample

// O14
@Suite struct MessageOverlayTests {
  private let later = eg.date.addingTimeInterval(60)

  private func operation(
    _ kind: MessageOperation.Kind, _ payload: String = "", failure: FailureReason? = nil
  ) -> StoredOperation {
    StoredOperation(
      id: "o", kind: kind, text: MessageText(payload), createdAt: later, isAccepted: false,
      mayHaveArrived: false,
      failure: failure)
  }

  private func overlay(
    _ operations: [StoredOperation], reactions: [SentReaction] = []
  ) -> MessageOverlay {
    var overlay = MessageOverlay(
      content: MessageContent("one", reasoning: "because"), editedAt: nil, isDeleted: false,
      reactions: reactions)
    overlay.apply(operations, of: eg.user)
    return overlay
  }

  @Test func `the last edit is shown, with its time`() {
    let shown = overlay([operation(.edit, "two"), operation(.edit, "three")])
    #expect(shown.content.body == "three")
    #expect(shown.editedAt == later)
    #expect(shown.content.reasoning == "because")
  }

  @Test func `a deletion takes everything, and nothing comes after it`() {
    let shown = overlay(
      [operation(.delete), operation(.edit, "two"), operation(.react, "👍")],
      reactions: [SentReaction("🎉", from: eg.other)])
    #expect(
      shown == MessageOverlay(content: MessageContent(), editedAt: nil, isDeleted: true, reactions: []))
  }

  @Test func `a reaction is there once, and its removal leaves those of others`() {
    let theirs = SentReaction("👍", from: eg.other)
    let mine = SentReaction("👍", from: eg.user)
    #expect(overlay([operation(.react, "👍")], reactions: [theirs, mine]).reactions == [theirs, mine])
    #expect(overlay([operation(.unreact, "👍")], reactions: [theirs, mine]).reactions == [theirs])
  }

  @Test func `a failed operation is not shown`() {
    #expect(overlay([operation(.edit, "two", failure: eg.rejection)]).content.body == "one")
    #expect(!overlay([operation(.delete, failure: eg.rejection)]).isDeleted)
  }

  @Test func `reactions are counted by their bytes, in one order everywhere`() {
    let composed = "\u{E9}", decomposed = "e\u{301}"
    let reactions = [
      SentReaction(decomposed, from: eg.other), SentReaction(composed, from: eg.user),
      SentReaction("a", from: eg.user), SentReaction("a", from: eg.other),
    ]
    #expect(
      Reaction.counted(reactions, by: eg.user) == [
        Reaction(value: "a", count: 2, isMine: true), Reaction(value: decomposed, count: 1, isMine: false),
        Reaction(value: composed, count: 1, isMine: true),
      ])
    #expect(
      Reaction.counted(reactions.reversed(), by: eg.user).map(\.count)
        == Reaction.counted(reactions, by: eg.user).map(\.count))
  }
}
