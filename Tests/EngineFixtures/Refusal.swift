import HoldfastCore

/// The code of the error with which the engine refused `body`. Nil when `body` was not refused, or not by the
/// engine.
package func refusal(_ body: () throws -> Void) -> ChatError.Code? {
  do { try body() } catch { return (error as? ChatError)?.code }
  return nil
}
