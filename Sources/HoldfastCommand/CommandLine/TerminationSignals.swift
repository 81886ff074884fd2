import Dispatch
import Foundation

/// A stream with an element for each SIGTERM or SIGINT. From the call on, neither signal ends the process by
/// itself.
package func terminationSignals() -> AsyncStream<Int32> { stream(of: SIGTERM, SIGINT) }

/// A stream with an element for each SIGHUP, which asks a service to read its configuration again. From the call
/// on, the signal does not end the process. Signals that arrive while one is handled are merged.
package func reloadSignals() -> AsyncStream<Int32> { stream(of: SIGHUP) }

/// A stream with an element for each time that the process continues after it was stopped, as by Ctrl-Z.
package func continuationSignals() -> AsyncStream<Int32> { stream(of: SIGCONT) }

/// Calls `handler`, on its own thread, for each SIGTERM or SIGINT. From the call on, neither signal ends the process
/// by itself.
package func handleTerminationSignals(_ handler: @escaping @Sendable (Int32) -> Void) {
  handle([SIGTERM, SIGINT], handler)
}

private func stream(of signals: Int32...) -> AsyncStream<Int32> {
  let (stream, continuation) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingNewest(1))
  handle(signals) { continuation.yield($0) }
  return stream
}

private func handle(_ signals: [Int32], _ handler: @escaping @Sendable (Int32) -> Void) {
  // A global queue has no free thread while all processors are busy.
  let queue = DispatchQueue(label: "holdfast.signals")
  for number in signals {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
    source.setEventHandler {
      // The handler retains its source, because a source without an owner is cancelled.
      _ = source
      handler(number)
    }
    source.resume()
  }
}
