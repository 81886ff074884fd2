import Dispatch
import Foundation

/// An element for each SIGTERM or SIGINT. From the call on, neither ends the process by itself.
func terminationSignals() -> AsyncStream<Int32> {
  let (stream, continuation) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingNewest(1))
  for number in [SIGTERM, SIGINT] {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler {
      // The handler holds its source: a source that nobody holds is cancelled.
      _ = source
      continuation.yield(number)
    }
    source.resume()
  }
  return stream
}
