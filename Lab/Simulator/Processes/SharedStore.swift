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
  private let isTold = Mutex(true)

  private struct Watches {
    var number = 0
    var told: [Int: (file: String, signal: Signal)] = [:]
  }

  init(world: WorldState, device: String) {
    self.world = world
    folder = world.folder.appendingPathComponent("\(device)-shared")
  }

  /// Notifies of a change a moment later, as inotify does, and of several changes at once.
  func watch(_ file: URL, raising signal: Signal) async throws(ChatError) {
    let told = Signal()
    let number = watches.withLock { watches in
      watches.number += 1
      watches.told[watches.number] = (file.lastPathComponent, told)
      return watches.number
    }
    defer { watches.withLock { $0.told[number] = nil } }
    signal.raise()
    while !Task.isCancelled {
      await told.wait()
      let pause = world.scheduler.draw { $0.chance(0.5) ? .zero : $0.milliseconds(0...6) }
      try? await world.scheduler.sleep(until: world.scheduler.now + pause)
      signal.raise()
    }
  }

  /// Notifies the watchers that a process is done with one of the files.
  func tell(_ file: String) {
    let told = watches.withLock { watches in
      watches.told.filter { $0.value.file == file }.sorted { $0.key < $1.key }.map(\.value.signal)
    }
    for signal in told { signal.raise() }
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
      tell(Self.drainLock)
    } else {
      isTold.withLock { $0 = false }
    }
  }

  /// Records that the process has released everything.
  func processHasEnded() {
    let isLate = isTold.withLock { isTold in
      defer { isTold = true }
      return !isTold
    }
    if isLate { tell(Self.drainLock) }
  }
}
