@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRelay
@testable import HoldfastRescue
@testable import HoldfastStore

/// Why `body` was refused. Nil: it was not, or not by the engine.
func refusal(_ body: () throws -> Void) -> ChatError.Code? {
  do { try body() } catch { return (error as? ChatError)?.code }
  return nil
}
