/// A queue of the callers of one function. One caller works at a time, in order of arrival. The others wait for their
/// turns.
package struct TurnQueue {
  private var turns: [Signal] = []

  package init() {}

  package var isEmpty: Bool { turns.isEmpty }

  /// Adds a caller, who waits for the returned signal unless it has the turn.
  package mutating func join() -> Signal {
    let turn = Signal()
    turns.append(turn)
    return turn
  }

  package func isTurn(of turn: Signal) -> Bool { turns.first === turn }

  /// Removes a caller, and signals the next one that it has the turn.
  package mutating func leave(_ turn: Signal) {
    turns.removeAll { $0 === turn }
    turns.first?.raise()
  }
}
