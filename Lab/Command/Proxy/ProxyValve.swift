/// Decides how many bytes of the proxy's connections are forwarded. It has no sockets.
///
/// ```
///            lose, half, cut                the bytes have come            the drain time has passed
///   pass ───────────────────────► waiting ────────────────────► draining ────────────────────────────► pass
/// ```
struct ProxyValve {
  enum Direction { case up, down }

  private(set) var order = ProxyOrder.pass
  /// The bytes that may still be forwarded, for `half` and `cut`.
  private var left = 0
  /// Whether the order was carried out on bytes, and the connections have not ended yet.
  private(set) var isDraining = false

  /// Changes the order. An order that was not carried out is dropped.
  mutating func obey(_ order: ProxyOrder) {
    isDraining = false
    switch order {
    // It is carried out at once, and has no state.
    case .reset: return
    case .half(let bytes, _), .cut(let bytes, _): left = bytes
    default: break
    }
    self.order = order
  }

  /// The number of forwarded bytes, of `count` incoming ones. `isCarriedOut` is true once: for the bytes that carry
  /// out the order, after which the connections end.
  mutating func pass(_ count: Int, _ direction: Direction) -> (count: Int, isCarriedOut: Bool) {
    switch (order, direction) {
    case (.lose, .up): return (count, startDraining())
    case (.lose, .down): return (0, false)
    case (.half, .up), (.cut, .down):
      let passed = min(count, left)
      left -= passed
      return (passed, left == 0 && startDraining())
    // After half a request nothing else goes up, and a response to it cannot be complete.
    default: return (count, false)
    }
  }

  /// Ends the order that was carried out. Nil when another order arrived meanwhile.
  mutating func end() -> ProxyOrder.Ending? {
    guard isDraining else { return nil }
    defer { (order, isDraining) = (.pass, false) }
    switch order {
    case .lose(let ending), .half(_, let ending), .cut(_, let ending): return ending
    default: return nil
    }
  }

  private mutating func startDraining() -> Bool {
    defer { isDraining = true }
    return !isDraining
  }
}
