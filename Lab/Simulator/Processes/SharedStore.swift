import Foundation
import Holdfast
import Synchronization

/// A store that two processes of one phone use: the app and its share extension (rule O15). Its files outlive both
/// processes, and the state of each draft depends on both.
final class SharedStore: FileWatcher {
  /// The files that the engine watches.
  static let drainLock = "drain.lock"
  static let writeLock = "write.lock"

  let folder: URL
  let drafts = Mutex<[ConversationID: SharedDraftPromise]>([:])
  private let world: WorldState
  private let watches = Mutex(Watches())
  /// The process that has the connection. Nil when no process has it.
  private let connected = Mutex<String?>(nil)
  /// Whether watchers were notified of the last process's end.
  private let isNotified = Mutex(true)

  private struct Watches {
    var number = 0
    var watched: [Int: (file: String, signal: Signal)] = [:]
  }

  init(world: WorldState, device: String) {
    self.world = world
    folder = world.folder.appendingPathComponent("\(device)-shared")
  }

  /// Notifies of a change a moment later, as inotify does, and of several changes at once.
  func watch(_ file: URL, raising signal: Signal) async throws(ChatError) {
    let released = Signal()
    let number = watches.withLock { watches in
      watches.number += 1
      watches.watched[watches.number] = (file.lastPathComponent, released)
      return watches.number
    }
    defer { watches.withLock { $0.watched[number] = nil } }
    signal.raise()
    while !Task.isCancelled {
      await released.wait()
      let pause = world.scheduler.draw { $0.chance(0.5) ? .zero : $0.milliseconds(0...6) }
      try? await world.scheduler.sleep(until: world.scheduler.now + pause)
      signal.raise()
    }
  }

  /// Notifies the watchers that a process is done with one of the files.
  func notify(_ file: String) {
    let signals = watches.withLock { watches in
      watches.watched.filter { $0.value.file == file }.sorted { $0.key < $1.key }.map(\.value.signal)
    }
    for signal in signals { signal.raise() }
  }

  /// Records that a process connects. Exactly one of the processes sends and receives, as long as it lives.
  func connect(_ process: String) {
    let other = connected.withLock { connected in
      defer { connected = process }
      return connected
    }
    guard let other, other != process else { return }
    world.fail(
      Violation(
        promise: "exactly one drains", expected: "\(process) to be on standby",
        found: "\(other) is connected too")
    )
  }

  func disconnect(_ process: String) { connected.withLock { if $0 == process { $0 = nil } } }

  /// Records that a process ends.
  ///
  /// The kernel closes a dead process's files and releases its locks. Often it notifies of the closed files a moment
  /// before it releases the locks. Here the locks are released when the last task of the process has noticed.
  func processEnds(_ name: String) {
    let (now, savesItself) = (world.scheduler.now, world.plan.faults[.phoneDisk] == 0)
    drafts.withLock { drafts in
      for conversation in drafts.keys {
        drafts[conversation]?.end(name, at: now, savesItself: savesItself)
      }
    }
    disconnect(name)
    if world.scheduler.draw({ $0.chance(0.7) }) {
      notify(Self.drainLock)
    } else {
      isNotified.withLock { $0 = false }
    }
  }

  /// Records that the process has released everything.
  func processHasEnded() {
    let isLate = isNotified.withLock { isNotified in
      defer { isNotified = true }
      return !isNotified
    }
    if isLate { notify(Self.drainLock) }
  }
}
