import Foundation

/// Reports that a process, this one or another, is done with a file. It is passed in with the ``ChatEnvironment``, so
/// that a simulation can raise the signals itself.
package protocol FileWatcher: Sendable {
  /// Raises `signal` once the watch is in place, so that no event is lost between the watch and an earlier look at
  /// the file. Then raises it each time that the file is written to, unlocked or closed, or gets another date.
  /// Several of these events may raise it once. Nothing polls. Returns when the task is cancelled, and leaves
  /// nothing behind.
  ///
  /// - Throws: ``ChatError`` with code `storageFailed` when the system cannot watch the file.
  func watch(_ file: URL, raising signal: Signal) async throws(ChatError)
}

/// Watches files with the system's means: inotify(7) on Linux, kqueue's vnode events on Apple's systems.
struct SystemFileWatcher: FileWatcher {
  func watch(_ file: URL, raising signal: Signal) async throws(ChatError) {
    #if os(Linux)
      try await watchInode(of: file, raising: signal)
    #elseif canImport(Darwin)
      try await watchVnode(of: file, raising: signal)
    #else
      throw Self.failure("not supported")
    #endif
  }

  static func failure(_ detail: String) -> ChatError {
    ChatError(.storageFailed, "The system cannot watch the store's files (\(detail)). Try again.")
  }
}
