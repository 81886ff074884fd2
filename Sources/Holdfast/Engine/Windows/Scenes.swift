import Foundation
import HoldfastCore
import HoldfastStore
import Synchronization

/// The places of all windows of the process, and their way to the store (SPEC R2, R8).
///
/// Whoever writes holds `writing`, and the entries are locked for moments only: a window that is scrolled never waits
/// for the disk. Order of the locks: `writing`, the drafts' entries, `state`.
package final class Scenes: Saving {
  struct Entry: Sendable {
    var buffer: SceneBuffer<SceneContent>
    /// Of the app, for what is written.
    var version: Int
    /// A window that holds another number has been closed or cleared meanwhile.
    var opening: Int
    /// Why the last save failed.
    var problem: ChatError?
  }

  struct State {
    var entries: [SceneID: Entry] = [:]
    var openings = 0
    /// When ``run()`` looks again without being told. Nil: never.
    var awaited: ChatEnvironment.Instant?
  }

  /// What became of a change.
  enum Reception {
    case taken
    /// All places were cleared since: this is the window's.
    case cleared(SceneContent, opening: Int)
    /// The window was closed for good: nothing of it is stored any more.
    case closed
  }

  let store: Store
  let environment: ChatEnvironment
  let intervals: ChatConfiguration.SaveIntervals
  let state = Mutex(State())
  /// Held by whoever writes, so that no save that was under way brings back what was closed or cleared.
  let writing = Mutex(())
  /// Raised when a place becomes due sooner than the loop that saves knows.
  let wake: Signal

  init(
    store: Store, environment: ChatEnvironment, intervals: ChatConfiguration.SaveIntervals, wake: Signal
  ) {
    self.wake = wake
    self.store = store
    self.environment = environment
    self.intervals = intervals
  }

  /// The window is somewhere else. It is stored a pause later, by ``run()``.
  func change(_ id: SceneID, to content: SceneContent, opening: Int) -> Reception {
    let now = environment.uptime()
    let (reception, isSooner) = state.withLock { state -> (Reception, Bool) in
      guard var entry = state.entries[id] else { return (.closed, false) }
      guard entry.opening == opening else {
        return (.cleared(entry.buffer.content, opening: entry.opening), false)
      }
      entry.buffer.change(to: content, now: now)
      state.entries[id] = entry
      guard let deadline = entry.buffer.deadline, state.awaited.map({ deadline < $0 }) ?? true else {
        return (.taken, false)
      }
      // While scrolling goes on, what is due moves away: whoever saves looks when it was due first.
      state.awaited = deadline
      return (.taken, true)
    }
    if isSooner { wake.raise() }
    return reception
  }

  /// Writes what is due, and says when to look again. Nil: when a window changes.
  func saveDue(now: ChatEnvironment.Instant) -> ChatEnvironment.Instant? {
    try? save { $0.buffer.action(now: now) == .write }
    return state.withLock { state in
      state.awaited = state.entries.values.compactMap(\.buffer.deadline).min()
      return state.awaited
    }
  }

  /// When it returns, the place of every window is on disk. No write when nothing has changed.
  func saveAll() throws(ChatError) { try save { $0.buffer.hasChanges } }

  /// One transaction for all windows of which `isDue` says so. One that cannot be encoded keeps none of the others from
  /// being stored.
  private func save(_ isDue: (Entry) -> Bool) throws(ChatError) {
    let problem = writing.withLock { _ -> ChatError? in
      let due = state.withLock { $0.entries }.filter { isDue($0.value) }
        .sorted { $0.key.rawValue < $1.key.rawValue }
      guard !due.isEmpty else { return nil }
      var outcomes: [(SceneID, Entry, ChatError?)] = []
      var rows: [(id: SceneID, entry: Entry, bytes: Data)] = []
      for (id, entry) in due {
        do throws(ChatError) {
          rows.append((id, entry, try entry.buffer.content.encoded()))
        } catch {
          outcomes.append((id, entry, error))
        }
      }
      let failure = write(rows)
      outcomes += rows.map { ($0.id, $0.entry, failure) }
      note(outcomes)
      return outcomes.lazy.compactMap(\.2).first
    }
    guard let problem else { return }
    environment.logger.error("place not saved", metadata: ["code": "\(problem.code)"])
    store.changes.publish(Changes(scenes: true))
    throw problem
  }

  private func write(_ rows: [(id: SceneID, entry: Entry, bytes: Data)]) -> ChatError? {
    guard !rows.isEmpty else { return nil }
    do throws(ChatError) {
      try store.write { transaction in
        for (id, entry, bytes) in rows {
          try transaction.saveScene(id, version: entry.version, state: bytes, now: environment.now())
        }
      }
      return nil
    } catch {
      return error
    }
  }

  private func note(_ outcomes: [(SceneID, Entry, ChatError?)]) {
    let now = environment.uptime()
    state.withLock { state in
      for (id, entry, problem) in outcomes {
        guard state.entries[id]?.opening == entry.opening else { continue }
        state.entries[id]?.problem = problem
        if problem == nil {
          state.entries[id]?.buffer.wrote(entry.buffer.content)
        } else {
          state.entries[id]?.buffer.failed(now: now)
        }
      }
    }
  }

  func problem(of id: SceneID) -> ChatError? { state.withLock { $0.entries[id]?.problem } }

  /// Removes a window for good (SPEC R2).
  func close(_ id: SceneID) throws(ChatError) {
    let result = writing.withLock { _ -> Result<Void, ChatError> in
      do throws(ChatError) {
        // A malformed ID was never stored, and SQLite's text ends at U+0000.
        if id.isWellFormed { try store.write { try $0.deleteScene(id) } }
      } catch {
        return .failure(error)
      }
      state.withLock { _ = $0.entries.removeValue(forKey: id) }
      return .success(())
    }
    try result.get()
  }

  /// Forgets where all windows are, in the transaction of `body`.
  func clear(_ body: () throws(ChatError) -> Void) throws(ChatError) {
    let result = writing.withLock { _ -> Result<Void, ChatError> in
      do throws(ChatError) { try body() } catch { return .failure(error) }
      state.withLock { state in
        for (id, entry) in state.entries {
          state.openings += 1
          state.entries[id] = Entry(
            buffer: SceneBuffer(stored: entry.buffer.content.emptied(), intervals: intervals),
            version: entry.version,
            opening: state.openings)
        }
      }
      return .success(())
    }
    try result.get()
  }
}

/// A window's state, whatever its types are.
struct SceneContent: Equatable, Sendable {
  let value: any Hashable & Sendable
  private let encode: @Sendable () throws -> Data
  let emptied: @Sendable () -> SceneContent

  init<Route, Sheet>(_ state: SceneState<Route, Sheet>) {
    value = state
    encode = { try SceneCoding.encode(state) }
    emptied = { SceneContent(SceneState<Route, Sheet>()) }
  }

  static func == (left: Self, right: Self) -> Bool { AnyHashable(left.value) == AnyHashable(right.value) }

  /// Nil: it has other types.
  func state<Route, Sheet>(
    _: SceneState<Route, Sheet>.Type = SceneState<Route, Sheet>.self
  ) -> SceneState<Route, Sheet>? { value as? SceneState<Route, Sheet> }

  func encoded() throws(ChatError) -> Data {
    let bytes: Data
    do {
      bytes = try encode()
    } catch {
      throw ChatError(
        .sceneNotEncodable, "A route or a sheet of the window cannot be encoded. Mend its type.")
    }
    guard bytes.count <= SceneCoding.maximumBytes else {
      throw ChatError(.sceneTooLarge, "A window's place has at most 256 KB. Keep IDs in it, and no contents.")
    }
    return bytes
  }
}
