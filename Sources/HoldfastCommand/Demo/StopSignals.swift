import Foundation

/// SIGTERM and SIGINT as something to wait for.
final class StopSignals: Sendable {
  private let signals: AsyncStream<Void>
  /// They deliver for as long as they are kept.
  nonisolated(unsafe) private let sources: [any DispatchSourceSignal]  // Never touched after init.

  init() {
    let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
    self.signals = signals
    sources = [SIGTERM, SIGINT].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: DispatchQueue(label: "holdfast.signals"))
      source.setEventHandler { continuation.yield() }
      source.resume()
      return source
    }
  }

  func wait() async {
    for await _ in signals { return }
  }
}
