import Dispatch

/// The readers of words that somebody else has written.
enum Parser: String, CaseIterable {
  /// What a relay tells its client.
  case frames
  /// What a client tells the relay.
  case door
  /// What the server of a language model answers.
  case streams
  #if DEBUG || FUZZING
    // A release does not show what reads it.
    /// What a Matrix homeserver answers.
    case sync
  #endif

  /// The parser that libFuzzer tries. Its function has no other argument than the bytes.
  nonisolated(unsafe) static var tried = frames

  /// Reads bytes. A fault ends the process.
  func read(_ bytes: [UInt8]) {
    switch self {
    case .frames: FrameWords.read(bytes)
    case .door: DoorWords.read(bytes)
    case .streams: StreamWords.read(bytes)
    #if DEBUG || FUZZING
      case .sync: SyncWords.read(bytes)
    #endif
    }
  }
}

/// Runs a task, and returns when it has ended: libFuzzer's function does not wait.
func finish(_ body: @escaping @Sendable () async -> Void) {
  let end = DispatchSemaphore(value: 0)
  Task.detached {
    await body()
    end.signal()
  }
  end.wait()
}
