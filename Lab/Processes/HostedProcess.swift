import Foundation
import Holdfast
import HoldfastRelay

/// The state of a hosted process, for display.
///
/// ```
///            launch            first line
///   killed ─────────► starting ──────────► running
///   stopped              │                    │
///      ▲                 └────────┬───────────┘
///      └── ended: killed when the user killed it, stopped when it left or crashed
/// ```
package struct ProcessStatus: Sendable, Codable, Equatable {
  package enum Phase: String, Sendable, Codable { case starting, running, killed, stopped }
  package var phase: Phase
  /// The process ID. Nil when there is no process.
  package var pid: Int32?
  /// Why there is no process, as a sentence. Nil while it runs, after a kill, and before the first launch.
  package var detail: String?

  package init(phase: Phase, pid: Int32? = nil, detail: String? = nil) {
    (self.phase, self.pid, self.detail) = (phase, pid, detail)
  }
}

/// A host for one process, which can be launched, paused, killed and launched again.
package actor HostedProcess {
  package typealias Publish = @Sendable (_ status: ProcessStatus, _ launch: Int, _ line: Data?) -> Void

  private let publish: Publish
  private let makeChild: @Sendable (_ launch: Int) throws -> ChildProcess
  private let launches: AsyncStream<ChildProcess>
  private let launched: AsyncStream<ChildProcess>.Continuation

  private var child: ChildProcess?
  private var status = ProcessStatus(phase: .stopped)
  private var launchCount = 0
  private var wasKilled = false
  /// The sentence for a process that was asked to exit, shown once it has exited. Nil when it was not asked.
  private var farewell: String?
  private var launchAfterEnd = false
  /// Functions that get every line, and nil when the process ends. Each returns true once it is done waiting.
  private var waiters: [Int: (Data?) -> Bool] = [:]
  private var nextWaiter = 0

  /// - Parameters:
  ///   - makeChild: starts the process; called once for each launch, with the launch's number.
  ///   - publish: called after each change and each line.
  package init(
    makeChild: @escaping @Sendable (_ launch: Int) throws -> ChildProcess,
    publish: @escaping Publish
  ) {
    self.makeChild = makeChild
    self.publish = publish
    (launches, launched) = AsyncStream.makeStream()
  }

  /// Follows every launch until the task is cancelled, and then kills the running process.
  package func run() async {
    for await child in launches {
      for await event in child.events {
        switch event {
        case .line(let line): received(line)
        case .ended(let ending): ended(ending)
        }
      }
      if Task.isCancelled { child.kill() }
    }
    child?.kill()
  }

  package func launch() throws {
    guard child == nil else {
      // The process was just killed and has not ended yet. The launch follows once it has.
      launchAfterEnd = wasKilled
      return
    }
    launchCount += 1
    let child = try makeChild(launchCount)
    self.child = child
    wasKilled = false
    farewell = nil
    change(to: ProcessStatus(phase: .starting, pid: child.pid))
    launched.yield(child)
  }

  package func kill() {
    guard let child else { return }
    wasKilled = true
    launchAfterEnd = false
    child.kill()
  }

  /// Sends SIGSTOP: the process does nothing until ``resume()``, and its connections stay open.
  package func pause() { child?.send(signal: SIGSTOP) }

  package func resume() { child?.send(signal: SIGCONT) }

  /// Writes a line to the process and waits for the line that answers it. Nil when there is no process, or when it
  /// ends first.
  package func exchange<Answer: Sendable>(
    _ line: Data, for extract: @escaping @Sendable (Data) -> Answer?
  ) async -> Answer? {
    guard let child, !wasKilled else { return nil }
    // These two calls run without a suspension between them, so the answer cannot arrive before its waiter is
    // registered.
    child.send(line)
    return await wait(for: extract)
  }

  /// The first answer that `extract` finds in a line from now on. Nil when the process ends first.
  package func wait<Answer: Sendable>(for extract: @escaping @Sendable (Data) -> Answer?) async -> Answer? {
    guard child != nil else { return nil }
    return await withCheckedContinuation { continuation in
      waiters[nextWaiter] = { line in
        guard let line else {
          continuation.resume(returning: nil)
          return true
        }
        guard let answer = extract(line) else { return false }
        continuation.resume(returning: answer)
        return true
      }
      nextWaiter += 1
    }
  }

  /// Asks the process to exit, and returns when it has exited. Does nothing when there is no process.
  package func leave(saying farewell: String) async {
    guard let child, !wasKilled else { return }
    self.farewell = farewell
    child.closeInput()
    await whenEnded()
  }

  /// Writes a line to the process, if there is one.
  package func send(_ line: Data) { child?.send(line) }

  /// Asks the process to exit, and kills it if it still runs after `grace`.
  package func stop(grace: Duration, environment: ChatEnvironment) async {
    guard let child else { return }
    wasKilled = true
    launchAfterEnd = false
    child.closeInput()
    await withTaskGroup { group in
      group.addTask {
        // A cancelled sleep means that the process exited in time.
        do { try await environment.sleep(environment.uptime() + grace) } catch { return }
        child.kill()
      }
      await whenEnded()
      group.cancelAll()
    }
  }

  private func whenEnded() async { _ = await wait { _ -> Bool? in nil } }

  private func received(_ line: Data) {
    status.phase = .running
    publish(status, launchCount, line)
    answer(line)
  }

  private func ended(_ ending: ChildProcess.Ending) {
    child = nil
    let detail: String? =
      switch ending {
      case _ where wasKilled: nil
      case .exit(0) where farewell != nil: farewell
      case .exit(0): "It left by itself."
      case .exit(let code): "It failed with exit code \(code)."
      case .signal(let number): "It ended with signal \(number)."
      }
    change(to: ProcessStatus(phase: wasKilled ? .killed : .stopped, detail: detail))
    answer(nil)
    guard launchAfterEnd else { return }
    launchAfterEnd = false
    do { try launch() } catch {
      change(to: ProcessStatus(phase: .stopped, detail: "It could not be started."))
    }
  }

  private func change(to status: ProcessStatus) {
    self.status = status
    publish(status, launchCount, nil)
  }

  private func answer(_ line: Data?) {
    waiters = waiters.filter { !$0.value(line) }
  }
}
