import Logging

extension Logging.Logger {
  /// The logger of an app that passes none: the one that the app bootstrapped, or else the system's.
  static func ofSystem() -> Logging.Logger {
    let logger = Logging.Logger(label: "holdfast")
    #if canImport(os)
      // Without a bootstrap, swift-log writes to standard error, which nobody reads on these systems.
      if logger.handler is StreamLogHandler {
        return Logging.Logger(label: "holdfast") { _ in UnifiedLogHandler() }
      }
    #endif
    return logger
  }
}

#if canImport(os)
  import Foundation
  import os

  /// Writes to the unified log of Apple's systems. Messages and metadata are codes, and therefore public. The name of
  /// the store's folder is the app's, and stays private.
  struct UnifiedLogHandler: LogHandler {
    var logLevel = Logging.Logger.Level.info
    var metadata: Logging.Logger.Metadata = [:]
    var metadataProvider: Logging.Logger.MetadataProvider?
    private let log = os.Logger(subsystem: Bundle.main.bundleIdentifier ?? "holdfast", category: "holdfast")

    subscript(metadataKey key: String) -> Logging.Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      var details = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }.merging(event.metadata ?? [:]) {
        $1
      }
      let folder = details.removeValue(forKey: "folder").map { " folder=\($0)" } ?? ""
      let codes = details.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
      let text = "\(event.message)\(codes)"
      log.log(level: OSLogType(event.level), "\(text, privacy: .public)\(folder, privacy: .private)")
    }
  }

  extension OSLogType {
    fileprivate init(_ level: Logging.Logger.Level) {
      switch level {
      case .trace, .debug: self = .debug
      case .info: self = .info
      case .notice: self = .default
      case .warning, .error: self = .error
      case .critical: self = .fault
      }
    }
  }
#endif
