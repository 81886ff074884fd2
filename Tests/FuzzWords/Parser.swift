import Dispatch

/// The parsers of input from others.
enum Parser: String, CaseIterable {
  /// A relay's frames to its client.
  case frames
  /// A client's frames to the relay.
  case door
  /// The responses of a language model's server.
  case streams
  #if DEBUG || FUZZING
    // A release does not show what reads it.
    /// The responses of a Matrix homeserver.
    case sync
  #endif

  /// The parser under test. libFuzzer's function has no argument except the bytes.
  nonisolated(unsafe) static var tried = frames

  /// Parses bytes. A fault ends the process.
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

/// Runs a task, and returns when it has ended, because libFuzzer's function is synchronous.
func finish(_ body: @escaping @Sendable () async -> Void) {
  let end = DispatchSemaphore(value: 0)
  Task.detached {
    await body()
    end.signal()
  }
  end.wait()
}
