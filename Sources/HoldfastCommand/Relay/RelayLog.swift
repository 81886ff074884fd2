import Foundation
import Holdfast
import Logging
import Synchronization

/// The relay's log on the standard error: a line for each connection, refusal and end. Clients determine their
/// number, so the lines beyond a hundred in ten seconds are counted and left out. Warnings and errors are always
/// written.
struct RelayLog: LogHandler {
  /// The lines of the present ten seconds.
  private final class Window: Sendable {
    private struct State {
      var end = Duration.zero
      var lines = 0
      var leftOut = 0
    }

    private let uptime: @Sendable () -> Duration
    private let state = Mutex(State())

    init(uptime: @escaping @Sendable () -> Duration) { self.uptime = uptime }

    /// Whether one more line is written, and how many were left out before it.
    func take() -> (isWritten: Bool, leftOut: Int) {
      let now = uptime()
      return state.withLock { state in
        let leftOut = now < state.end ? 0 : state.leftOut
        if now >= state.end { state = State(end: now + .seconds(10)) }
        state.lines += 1
        guard state.lines <= RelayLog.maximumLines else {
          state.leftOut += 1
          return (false, 0)
        }
        return (true, leftOut)
      }
    }
  }

  static let maximumLines = 100

  private var base: any LogHandler
  private let window: Window

  /// - Parameter base: the handler that writes the lines.
  init(_ base: any LogHandler, uptime: @escaping @Sendable () -> Duration) {
    self.base = base
    window = Window(uptime: uptime)
  }

  static func logger(isQuiet: Bool, uptime: @escaping @Sendable () -> Duration) -> Logger {
    var logger = Logger(label: "relay") {
      RelayLog(StreamLogHandler.standardError(label: $0), uptime: uptime)
    }
    // The server logs its connections at the level `debug`.
    logger.logLevel = isQuiet ? .warning : .debug
    return logger
  }

  var logLevel: Logger.Level {
    get { base.logLevel }
    set { base.logLevel = newValue }
  }
  var metadata: Logger.Metadata {
    get { base.metadata }
    set { base.metadata = newValue }
  }
  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { base[metadataKey: key] }
    set { base[metadataKey: key] = newValue }
  }

  func log(event: LogEvent) {
    // Clients cannot determine the number of these.
    guard event.level < .warning else { return base.log(event: event) }
    let (isWritten, leftOut) = window.take()
    guard isWritten else { return }
    if leftOut > 0 {
      var note = event
      note.message = "lines left out: \(leftOut)"
      note.metadata = nil
      base.log(event: note)
    }
    base.log(event: event)
  }
}
