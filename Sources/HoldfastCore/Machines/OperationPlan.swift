/// Decides what something done to a message means for what waits for the same message already. Pure.
///
/// ```
///   an edit       ─► takes away one that waits, and waits
///   a deletion    ─► takes away the edits and reactions that wait, and waits
///   a reaction    ─► takes away its removal that waits, or waits itself; nothing, when it is there
/// ```
///
/// What may have arrived is never touched: the server carries it out in its turn. What has failed for the same reason
/// that the new one exists is forgotten: its user has done it again. An ID never changes its meaning: a copy of it that
/// the server refused could still reach it on an older connection, and be taken for what came later.
package struct OperationPlan: Equatable {
  /// These go.
  package var removed: [MessageID] = []
  /// It waits, as a new one. False where what goes, or what is there, does all that was asked for.
  package var isAdded = true

  package static func edit(pending: [StoredOperation]) -> OperationPlan {
    let edits = pending.filter { $0.kind == .edit }
    return OperationPlan(removed: edits.filter { $0.canStillChange || $0.failure != nil }.map(\.id))
  }

  package static func delete(pending: [StoredOperation]) -> OperationPlan {
    OperationPlan(removed: pending.filter { $0.canStillChange || $0.failure != nil }.map(\.id))
  }

  /// `isThere`: the server's state has the reaction of this user.
  package static func react(
    _ value: String, isWanted: Bool, isThere: Bool, pending: [StoredOperation]
  ) -> OperationPlan {
    let same = pending.filter {
      ($0.kind == .react || $0.kind == .unreact) && $0.payload.hasSameBytes(as: value)
    }
    var plan = OperationPlan(removed: same.filter { $0.failure != nil }.map(\.id))
    let last = same.last { $0.failure == nil }
    let isShown = last.map { $0.kind == .react } ?? isThere
    if isShown == isWanted {
      plan.isAdded = false
    } else if let last, last.canStillChange {
      // Before it there was what is wanted now.
      plan.removed.append(last.id)
      plan.isAdded = false
    }
    return plan
  }
}

extension StoredOperation {
  /// It waits, and nothing of it can be anywhere else.
  var canStillChange: Bool { !isAccepted && !mayHaveArrived && failure == nil }
}
