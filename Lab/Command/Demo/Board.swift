import Foundation
import Processes
import Synchronization

/// The newest state of everything on the page, and the subscribers to its changes.
///
/// A subscriber is notified only *that* something changed, and then reads the newest state. A slow browser misses
/// intermediate states but never the last one, and nothing queues up for it.
final class Board: Sendable {
  /// One phone, or the relay.
  struct Part: Sendable {
    var process = ProcessStatus(phase: .stopped)
    /// The launch of the snapshot, and the demo's run. With a new value, the composer starts over.
    var launch = ""
    var airplane = false
    /// The number of days by which the phone's date is ahead.
    var daysAhead = 0
    /// The newest line of the process, a JSON object. Nil when it has printed nothing.
    var snapshot: Data?
  }

  private struct State {
    var version = 0
    var parts: [String: (version: Int, part: Part)] = [:]
    var subscribers: [Int: AsyncStream<Void>.Continuation] = [:]
    var nextSubscriber = 0
    var isClosed = false
  }

  private let state = Mutex(State())

  func update(_ name: String, _ change: (inout Part) -> Void) {
    state.withLock { state in
      var part = state.parts[name]?.part ?? Part()
      change(&part)
      state.version += 1
      state.parts[name] = (state.version, part)
      for subscriber in state.subscribers.values { subscriber.yield() }
    }
  }

  func part(_ name: String) -> Part? { state.withLock { $0.parts[name]?.part } }

  /// The parts that changed after `version`, each as a JSON object, and the version for the next call.
  func changes(after version: Int) -> (parts: [Data], version: Int) {
    state.withLock { state in
      let newer = state.parts.filter { $0.value.version > version }.sorted {
        $0.value.version < $1.value.version
      }
      return (newer.map { Self.json($0.key, $0.value.part) }, state.version)
    }
  }

  /// A stream with one element at once and one for each change; at most one element waits. It ends when the board
  /// closes.
  func subscribe() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { state in
      guard !state.isClosed else { return continuation.finish() }
      let id = state.nextSubscriber
      state.nextSubscriber += 1
      state.subscribers[id] = continuation
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { state in _ = state.subscribers.removeValue(forKey: id) }
      }
      continuation.yield()
    }
    return stream
  }

  func close() {
    let subscribers = state.withLock { state in
      state.isClosed = true
      return Array(state.subscribers.values)
    }
    // Finished outside the lock, because finishing calls back into it.
    for subscriber in subscribers { subscriber.finish() }
  }

  private struct Head: Encodable {
    var part: String
    var process: ProcessStatus
    var launch: String
    var airplane: Bool
    var daysAhead: Int
  }

  /// The state of a part as a JSON object. The snapshot is inserted unparsed.
  private static func json(_ name: String, _ part: Part) -> Data {
    let head = Head(
      part: name, process: part.process, launch: part.launch, airplane: part.airplane,
      daysAhead: part.daysAhead)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard var json = try? encoder.encode(head) else { return Data("{}".utf8) }
    json.removeLast()
    json.append(contentsOf: Data(",\"snapshot\":".utf8))
    json.append(part.snapshot ?? Data("null".utf8))
    json.append(contentsOf: Data("}".utf8))
    return json
  }
}
