import EngineFixtures
import Testing

@testable import HoldfastCore

private typealias eg = EngineExample

// O14
@Suite struct OperationPlanTests {
  private func operation(
    _ id: MessageID, _ kind: MessageOperation.Kind, _ payload: String = "", isAccepted: Bool = false,
    mayHaveArrived: Bool = false, failure: FailureReason? = nil
  ) -> StoredOperation {
    StoredOperation(
      id: id, kind: kind, content: MessageContent(payload), createdAt: eg.date,
      isAccepted: isAccepted,
      mayHaveArrived: mayHaveArrived, failure: failure)
  }

  @Test func `an edit takes away one that waits`() {
    #expect(
      OperationPlan.edit(pending: [operation("a", .edit), operation("r", .react, "👍")])
        == OperationPlan(removed: ["a"]))
  }

  @Test func `an edit waits behind one that may have arrived, or was accepted`() {
    for pending in [
      operation("a", .edit, mayHaveArrived: true), operation("a", .edit, isAccepted: true),
    ] {
      #expect(OperationPlan.edit(pending: [pending]) == OperationPlan())
    }
  }

  @Test func `an edit makes one that failed pointless`() {
    let failed = operation("a", .edit, mayHaveArrived: true, failure: eg.rejection)
    #expect(OperationPlan.edit(pending: [failed]) == OperationPlan(removed: ["a"]))
    #expect(
      OperationPlan.edit(pending: [failed, operation("b", .edit)])
        == OperationPlan(removed: ["a", "b"]))
  }

  @Test func `a deletion takes away what waits or failed, and waits behind what may have arrived`() {
    let pending = [
      operation("accepted", .react, "👍", isAccepted: true), operation("gone", .edit, mayHaveArrived: true),
      operation("waits", .edit), operation("reaction", .react, "👍"),
      operation("failed", .edit, mayHaveArrived: true, failure: eg.rejection),
    ]
    #expect(
      OperationPlan.delete(pending: pending) == OperationPlan(removed: ["waits", "reaction", "failed"]))
  }

  @Test func `a reaction and its removal that have both not left are nothing`() {
    #expect(
      OperationPlan.react("👍", isWanted: false, isThere: false, pending: [operation("a", .react, "👍")])
        == OperationPlan(removed: ["a"], isAdded: false))
    #expect(
      OperationPlan.react("👍", isWanted: true, isThere: true, pending: [operation("a", .unreact, "👍")])
        == OperationPlan(removed: ["a"], isAdded: false))
  }

  @Test func `a removal waits behind a reaction that may have arrived`() {
    #expect(
      OperationPlan.react(
        "👍", isWanted: false, isThere: false, pending: [operation("a", .react, "👍", mayHaveArrived: true)])
        == OperationPlan())
  }

  @Test func `a reaction that is shown already, or is not, is nothing`() {
    #expect(OperationPlan.react("👍", isWanted: true, isThere: true, pending: []).isAdded == false)
    #expect(OperationPlan.react("👍", isWanted: false, isThere: false, pending: []).isAdded == false)
    let waiting = operation("a", .react, "👍", mayHaveArrived: true)
    #expect(
      OperationPlan.react("👍", isWanted: true, isThere: false, pending: [waiting])
        == OperationPlan(isAdded: false))
  }

  @Test func `other reactions do not matter, and one that failed is done again`() {
    let pending = [operation("a", .react, "🎉"), operation("b", .react, "👍", failure: eg.rejection)]
    #expect(
      OperationPlan.react("👍", isWanted: true, isThere: false, pending: pending)
        == OperationPlan(removed: ["b"]))
  }
}
