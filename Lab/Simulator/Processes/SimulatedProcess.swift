import Foundation
import Holdfast

/// An operating-system process of the world. It runs on files, ends at any moment without warning, and is restarted
/// on the files that it had written.
struct SimulatedProcess: Sendable {
  let world: WorldState
  let name: String
  /// The fault that ends the process between commits.
  let kills: Fault
  /// The device whose disk and clock the process uses. Nil when they are its own.
  var device: String?
  /// The store that the process shares with other processes. Nil when its files are its own.
  var store: SharedStore?

  /// Starts `body`, and again each time the process has ended, until the task is cancelled.
  ///
  /// - Parameter isOver: whether the process stays down after its end.
  func run(
    _ body: @escaping @Sendable (_ folder: URL, _ gate: CrashGate) async throws -> Void,
    ended: @escaping @Sendable () -> Void, isOver: @escaping @Sendable () -> Bool = { false }
  ) async throws {
    var launch = 0
    while !Task.isCancelled {
      launch += 1
      let folder = store?.folder ?? world.folder.appendingPathComponent("\(name)-\(launch)")
      let successor = world.folder.appendingPathComponent("\(name)-\(launch + 1)")
      let gate = CrashGate(
        world: world, name: name, device: device ?? name, folder: folder,
        successor: store == nil ? successor : nil, store: store)
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          do {
            try await body(folder, gate)
          } catch is CancellationError {
          } catch {
            // A crash during the start of the process appears as an error of the store, and so does a full disk.
            if !gate.isDead { world.trace(name, "did not start: \(error)") }
          }
        }
        group.addTask { await live(gate) }
        await group.next()
        if !Task.isCancelled { gate.kill() }
        ended()
        group.cancelAll()
      }
      guard !Task.isCancelled, !isOver() else { return }
      let pause = world.scheduler.draw { $0.milliseconds(50...3000) }
      try await world.scheduler.sleep(until: world.scheduler.now + pause)
    }
  }

  /// Returns when the process has ended: at a commit, or after its lifetime.
  private func live(_ gate: CrashGate) async {
    guard let life = world.faults.calm(before: kills) else { return await gate.died.wait() }
    let span = world.scheduler.draw { $0.milliseconds(life) }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await gate.died.wait() }
      group.addTask {
        try? await world.scheduler.sleep(until: world.scheduler.now + span)
        // A world that heals kills no process.
        if world.isHealing { return await Signal().wait() }
        if !Task.isCancelled { gate.kill(kills) }
      }
      await group.next()
      group.cancelAll()
    }
  }
}
