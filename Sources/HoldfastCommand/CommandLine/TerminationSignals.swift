import Dispatch
import Foundation

/// A stream with an element for each SIGTERM or SIGINT. From the call on, neither signal ends the process by
/// itself.
func terminationSignals() -> AsyncStream<Int32> {
  let (stream, continuation) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingNewest(1))
  handleTerminationSignals { continuation.yield($0) }
  return stream
}

/// Calls `handler`, on a thread of its own, for each SIGTERM or SIGINT. From the call on, neither signal ends the
/// process by itself.
func handleTerminationSignals(_ handler: @escaping @Sendable (Int32) -> Void) {
  // A global queue has no thread left while all processors compute.
  let queue = DispatchQueue(label: "holdfast.signals")
  for number in [SIGTERM, SIGINT] {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
    source.setEventHandler {
      // The handler holds its source, because a source without a holder is cancelled.
      _ = source
      handler(number)
    }
    source.resume()
  }
}
