import Foundation

/// Tells that somebody, in this process or another, is done with a file. It is handed in with the
/// ``ChatEnvironment``, so that a simulation can tell by itself.
package protocol FileWatcher: Sendable {
  /// Raises `signal` once the watch stands, so that nothing falls between it and a look at the file before it; and
  /// then each time that the file was written to, unlocked or closed, or got another date. Several of these may be
  /// told as one. Nothing polls. Returns when the task is cancelled, with nothing left of it.
  ///
  /// - Throws: ``ChatError`` with code `storageFailed` when the system does not tell.
  func watch(_ file: URL, raising signal: Signal) async throws(ChatError)
}

/// What the system tells: inotify(7) on Linux, kqueue's vnode events on Apple's systems.
struct SystemFileWatcher: FileWatcher {
  func watch(_ file: URL, raising signal: Signal) async throws(ChatError) {
    #if os(Linux)
      try await watchInode(of: file, raising: signal)
    #elseif canImport(Darwin)
      try await watchVnode(of: file, raising: signal)
    #else
      throw Self.failure("on this system")
    #endif
  }

  static func failure(_ detail: String) -> ChatError {
    ChatError(.storageFailed, "The system does not tell when the store's files change: \(detail).")
  }
}
