import Foundation
import Holdfast
import Synchronization

/// A simulated process's end: after it, nothing of the process reaches disk or network any more, although
/// its tasks still run until they notice.
struct SimulatedCrash: Error {}

/// Stands at every commit of one simulated process, and ends it before or after one.
final class CrashGate: CommitGate {
  private struct State {
    var isDead = false
  }
  private let state = Mutex(State())
  private let world: WorldState
  private let name: String
  private let folder: URL
  private let successor: URL
  /// Raised when the process has ended.
  let died = Signal()

  init(world: WorldState, name: String, folder: URL, successor: URL) {
    self.world = world
    self.name = name
    self.folder = folder
    self.successor = successor
  }

  var isDead: Bool { state.withLock { $0.isDead } }

  /// Ends the process, between two commits.
  func kill(_ reason: String = "killed") {
    let isFirst = state.withLock { state in
      defer { state.isDead = true }
      return !state.isDead
    }
    guard isFirst else { return }
    world.count(.crash)
    world.trace("\(name) \(reason)")
    keepFiles()
    died.raise()
  }

  /// The next process finds the files as they are at this moment. The databases of this one close later, and
  /// would tidy them up, which `kill -9` never does.
  private func keepFiles() {
    let files = FileManager.default
    do {
      try makePrivateFolder(successor)
      for name in try files.contentsOfDirectory(atPath: folder.path) where !name.hasSuffix("-shm") {
        try files.copyItem(
          at: folder.appendingPathComponent(name), to: successor.appendingPathComponent(name))
      }
    } catch {
      world.trace("\(name)'s files could not be kept: \(error)")
    }
  }

  func willCommit() throws {
    try require()
    if world.strikes(\.crashBeforeCommit) { kill("crashed before a commit") }
    try require()
  }

  func didCommit() throws {
    if world.strikes(\.crashAfterCommit) { kill("crashed after a commit") }
    try require()
  }

  private func require() throws {
    if isDead { throw SimulatedCrash() }
  }
}
