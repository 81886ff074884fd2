/// Decides how many bytes of the proxy's connections go on. It knows no sockets.
///
/// ```
///            lose, half, cut                the bytes are there            the time to settle is over
///   pass ───────────────────────► waiting ────────────────────► settling ────────────────────────────► pass
/// ```
struct ProxyValve {
  enum Direction { case up, down }

  private(set) var order = ProxyOrder.pass
  /// The bytes that may still go on, for `half` and `cut`.
  private var left = 0
  /// The order was carried out on bytes, and the connections have not ended yet.
  private(set) var isSettling = false

  /// Changes the order. What has not been carried out is forgotten.
  mutating func obey(_ order: ProxyOrder) {
    isSettling = false
    switch order {
    // It is carried out at once, and is no state.
    case .reset: return
    case .half(let bytes, _), .cut(let bytes, _): left = bytes
    default: break
    }
    self.order = order
  }

  /// The number of bytes that go on, of `count` that have come. `isCarriedOut` is true once: for the bytes that
  /// carry out the order, after which the connections end.
  mutating func pass(_ count: Int, _ direction: Direction) -> (count: Int, isCarriedOut: Bool) {
    switch (order, direction) {
    case (.lose, .up): return (count, settle())
    case (.lose, .down): return (0, false)
    case (.half, .up), (.cut, .down):
      let passed = min(count, left)
      left -= passed
      return (passed, left == 0 && settle())
    // After half a request nothing else goes up, and an answer to it cannot be the whole.
    default: return (count, false)
    }
  }

  /// Ends the order that was carried out. Nil when another order came meanwhile.
  mutating func end() -> ProxyOrder.Ending? {
    guard isSettling else { return nil }
    defer { (order, isSettling) = (.pass, false) }
    switch order {
    case .lose(let ending), .half(_, let ending), .cut(_, let ending): return ending
    default: return nil
    }
  }

  private mutating func settle() -> Bool {
    defer { isSettling = true }
    return !isSettling
  }
}
