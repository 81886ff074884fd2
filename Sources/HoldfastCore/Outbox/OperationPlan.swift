/// Decides the effect of a new operation on operations that already wait for the same message. Pure.
///
/// ```
///   an edit       ─► removes an edit that waits, and waits
///   a deletion    ─► removes the edits and reactions that wait, and waits
///   a reaction    ─► removes its removal that waits, or waits itself; nothing, when it is there
/// ```
///
/// An operation that may have arrived is never touched: the server carries it out in its turn. A failed operation
/// with the same purpose is removed: its user has done it again. An ID never changes its meaning: a copy that the
/// server refused could still reach it on an older connection, and be taken for the later operation.
package struct OperationPlan: Equatable {
  /// The operations that are removed.
  package var removed: [MessageID] = []
  /// Whether the new operation waits. False when the removal, or the current state, already does all that was asked
  /// for.
  package var isAdded = true

  package static func edit(pending: [StoredOperation]) -> OperationPlan {
    let edits = pending.filter { $0.kind == .edit }
    return OperationPlan(removed: edits.filter { $0.canStillChange || $0.failure != nil }.map(\.id))
  }

  package static func delete(pending: [StoredOperation]) -> OperationPlan {
    OperationPlan(removed: pending.filter { $0.canStillChange || $0.failure != nil }.map(\.id))
  }

  /// `isThere`: whether the server's state has this user's reaction.
  package static func react(
    _ value: String, isWanted: Bool, isThere: Bool, pending: [StoredOperation]
  ) -> OperationPlan {
    let same = pending.filter {
      ($0.kind == .react || $0.kind == .unreact) && $0.text.string.hasSameBytes(as: value)
    }
    var plan = OperationPlan(removed: same.filter { $0.failure != nil }.map(\.id))
    let last = same.last { $0.failure == nil }
    let isShown = last.map { $0.kind == .react } ?? isThere
    if isShown == isWanted {
      plan.isAdded = false
    } else if let last, last.canStillChange {
      // The state before the last operation is the one that is wanted now.
      plan.removed.append(last.id)
      plan.isAdded = false
    }
    return plan
  }
}

extension StoredOperation {
  /// Whether the operation waits, and the server cannot have it.
  var canStillChange: Bool { !isAccepted && !mayHaveArrived && failure == nil }
}
