import HoldfastCore
import Synchronization

extension Replies {
  /// The texts that are under way, as far as they are known here: they are on the screen, and not yet all on disk. Any
  /// thread may read them.
  final class SharedState: Sendable {
    struct Stream: Sendable {
      var text = ""
      var reasoning = ""
    }
    private let state = Mutex<[MessageID: Stream]>([:])

    func stream(_ id: MessageID) -> Stream? { state.withLock { $0[id] } }

    /// All streams, for a reader to take before it reads the store. A stream that ends while it reads is whole there,
    /// or was under way when the read began. Copies nothing.
    var streams: [MessageID: Stream] { state.withLock { $0 } }

    /// Adds text to a stream. Returns whether the stream exists. The text grows in place, because nothing else holds it
    /// unless it was just read.
    func append(_ text: String, reasoning: String, to id: MessageID) -> Bool {
      state.withLock { streams in
        guard streams[id] != nil else { return false }
        streams[id]?.text += text
        streams[id]?.reasoning += reasoning
        return true
      }
    }

    func set(_ stream: Stream?, for id: MessageID) { state.withLock { $0[id] = stream } }
  }
}
