import Foundation
import Holdfast
import Synchronization

/// The error of a simulated process that has ended. After its end, the process no longer reaches the disk or the
/// network, although its tasks keep running until they notice.
struct SimulatedCrash: Error {}

/// The gate at every commit of one simulated process. It ends the process before or after a commit, or reports a
/// full disk.
final class CrashGate: Sendable {
  private let deadSince = Mutex<Duration?>(nil)
  private let world: WorldState
  private let name: String
  /// The device that the disk belongs to.
  private let device: String
  let folder: URL
  /// The folder in which the next process continues. Nil when it continues in the same folder, where another process
  /// may be running.
  private let successor: URL?
  private let store: SharedStore?
  /// Raised when the process has ended.
  let died = Signal()

  init(
    world: WorldState, name: String, device: String, folder: URL, successor: URL?, store: SharedStore? = nil
  ) {
    self.world = world
    self.name = name
    self.device = device
    self.folder = folder
    self.store = store
    self.successor = successor
  }

  var gate: CommitGate { CommitGate(willCommit: willCommit, didCommit: didCommit) }

  var isDead: Bool { deadSince.withLock { $0 } != nil }
  /// The time at which the process ended. Nil while it lives.
  var diedAt: Duration? { deadSince.withLock { $0 } }

  /// Ends the process.
  func kill(_ fault: Fault? = nil) {
    let isFirst = deadSince.withLock { deadSince in
      guard deadSince == nil else { return false }
      deadSince = world.scheduler.now
      return true
    }
    guard isFirst else { return }
    if let fault { world.count(fault) }
    world.trace(name, fault.map { "ends: \($0.rawValue)" } ?? "ends")
    keepFiles()
    store?.processEnds(name)
    died.raise()
  }

  /// Copies the present files for the next process. The databases of this process close later, and closing would
  /// tidy the files up, which `kill -9` never does.
  private func keepFiles() {
    guard let successor else { return }
    let files = FileManager.default
    do {
      try makePrivateFolder(successor)
      for name in try files.contentsOfDirectory(atPath: folder.path) where !name.hasSuffix("-shm") {
        try files.copyItem(
          at: folder.appendingPathComponent(name), to: successor.appendingPathComponent(name))
      }
    } catch {
      world.trace(name, "its files could not be kept: \(error)")
    }
  }

  func willCommit() throws {
    try require()
    let number = world.countCommit(of: name)
    if world.strikes(.crashBeforeCommit) || world.crashes(name, at: number, .before) {
      kill(.crashBeforeCommit)
    }
    try require()
    if world.hasFullDisk(device) { throw CocoaError(.fileWriteOutOfSpace) }
  }

  func didCommit() throws {
    store?.notify(SharedStore.writeLock)
    if world.strikes(.crashAfterCommit) || world.crashes(name, at: world.commits(of: name), .after) {
      kill(.crashAfterCommit)
    }
    try require()
  }

  private func require() throws {
    if isDead { throw SimulatedCrash() }
  }
}
