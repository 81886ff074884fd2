import Foundation
import HoldfastCore
import Logging
import Synchronization

/// The last events of the engine's log, for a support report. They have codes and no contents.
final class EventLog: Sendable {
  /// The number of events that are kept.
  static let capacity = 200

  private struct State {
    var lines: [String] = []
    /// The number of events that were dropped to make room.
    var forgotten = 0
  }
  private let state = Mutex(State())

  /// The events as lines of text, the last one at the end.
  var lines: [String] {
    state.withLock { state in
      (state.forgotten > 0 ? ["earlier=\(state.forgotten)"] : []) + state.lines
    }
  }

  /// A logger that writes to another one, and keeps its last events here.
  func recording(_ logger: Logger, now: @escaping @Sendable () -> Date) -> Logger {
    var recording = logger
    recording.handler = RecordingHandler(base: logger.handler, log: self, now: now)
    return recording
  }

  fileprivate func note(_ line: String) {
    state.withLock { state in
      state.lines.append(line)
      guard state.lines.count > Self.capacity else { return }
      state.lines.removeFirst()
      state.forgotten += 1
    }
  }
}

/// Keeps the events of level `info` and above, and passes each event to the app's handler, if its level allows.
private struct RecordingHandler: LogHandler {
  /// The key of the store's folder, which often identifies its user.
  private static let left = "folder"

  var base: any LogHandler
  let log: EventLog
  let now: @Sendable () -> Date

  var logLevel: Logger.Level {
    get { min(base.logLevel, .info) }
    set { base.logLevel = newValue }
  }
  var metadata: Logger.Metadata {
    get { base.metadata }
    set { base.metadata = newValue }
  }
  var metadataProvider: Logger.MetadataProvider? {
    get { base.metadataProvider }
    set { base.metadataProvider = newValue }
  }
  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { base[metadataKey: key] }
    set { base[metadataKey: key] = newValue }
  }

  func log(event: LogEvent) {
    if event.level >= .info { log.note(line(event)) }
    if event.level >= base.logLevel { base.log(event: event) }
  }

  private func line(_ event: LogEvent) -> String {
    let values = (event.metadata ?? [:]).filter { $0.key != Self.left }.sorted { $0.key < $1.key }
    let codes = values.map { " \($0.key)=\($0.value)" }.joined()
    return "\(now().formatted(.iso8601)) \(event.level) \(event.message)\(codes)"
  }
}
