import Foundation
import HoldfastCore
import HoldfastStore
import Synchronization

/// The navigation states of all windows of the process, and their storage (rules R2, R8).
///
/// A save holds `writing` the whole time and locks the entries for moments only, so that a window that is scrolled
/// never waits for the disk. The order of the locks is `writing`, the drafts' entries, `state`.
package final class Scenes: Saving {
  struct Entry: Sendable {
    var buffer: SceneBuffer<SceneContent>
    /// The app's version of the state, which is stored with it.
    var version: Int
    /// The number of the opening. A window that holds another number has been closed or cleared since.
    var opening: Int
    /// The reason why the last save failed, or why the state could not be read. Nil when nothing failed.
    var problem: ChatError?
    /// Nil once the state was read from the store.
    var loading: Loading?
    /// Nil once the model has taken it over, and for a window that was read when it was opened.
    var loaded: Loaded?
  }

  struct State {
    var entries: [SceneID: Entry] = [:]
    var openings = 0
    /// The instant at which ``SavingLoop/run()`` wakes by itself. Nil when nothing is unsaved.
    var awaited: ChatEnvironment.Instant?
  }

  /// The outcome of a change.
  enum Reception {
    case taken
    /// All states were cleared since. The value is the window's new state.
    case cleared(SceneContent, opening: Int)
    /// The window was read late, and has the stored state joined with its own now.
    case joined(SceneContent, opening: Int, LateScene)
    /// The window was closed permanently, and is no longer stored.
    case closed
  }

  let store: Store
  let environment: ChatEnvironment
  let intervals: ChatConfiguration.SaveIntervals
  let state = Mutex(State())
  /// Held by every opening, save, closing and clearing, so that no save under way brings back a closed or cleared
  /// state.
  let writing = Mutex(())
  /// Raised when a state becomes due sooner than the saving loop expects.
  let wake: Signal

  init(
    store: Store, environment: ChatEnvironment, intervals: ChatConfiguration.SaveIntervals, wake: Signal
  ) {
    self.wake = wake
    self.store = store
    self.environment = environment
    self.intervals = intervals
  }

  /// Takes over a window's changed state. ``SavingLoop/run()`` stores the state after a pause.
  func change(_ id: SceneID, to content: SceneContent, opening: Int) -> Reception {
    let now = environment.uptime()
    let (reception, isSooner) = state.withLock { state -> (Reception, Bool) in
      guard var entry = state.entries[id] else { return (.closed, false) }
      if let loaded = entry.loaded, loaded.opening == opening {
        // The model has not seen the load, and may have changed its state.
        let joined = content.merged(over: entry.buffer.content, since: loaded.content)
        entry.buffer.change(to: joined, now: now)
        entry.loaded = nil
        state.entries[id] = entry
        return (.joined(joined, opening: entry.opening, loaded.scene), true)
      }
      guard entry.opening == opening else {
        return (.cleared(entry.buffer.content, opening: entry.opening), false)
      }
      entry.buffer.change(to: content, now: now)
      state.entries[id] = entry
      guard let deadline = entry.buffer.deadline, state.awaited.map({ deadline < $0 }) ?? true else {
        return (.taken, false)
      }
      // While scrolling continues, the due time moves away. The saving loop wakes at the first due time.
      state.awaited = deadline
      return (.taken, true)
    }
    if isSooner { wake.raise() }
    return reception
  }

  /// Writes the states that are due. Returns the instant of the next call, or nil when nothing is due until a window
  /// changes.
  func saveDue(now: ChatEnvironment.Instant) -> ChatEnvironment.Instant? {
    writing.withLock { _ in _ = loadLate(now: now, isForced: false) }
    try? save { $0.buffer.action(now: now) == .write }
    return state.withLock { state in
      state.awaited = state.entries.values.compactMap { $0.loading?.tryAt ?? $0.buffer.deadline }.min()
      return state.awaited
    }
  }

  /// Stores the states of all windows. When the call returns, the states are on disk. Nothing is written when nothing
  /// has changed.
  ///
  /// - Throws: also the reason why a window could not be read. Its changes stay in memory, and join the
  ///   stored state later.
  func saveAll() throws(ChatError) {
    let unread = writing.withLock { _ in loadLate(now: environment.uptime(), isForced: true) }
    try save { $0.buffer.hasChanges }
    if let unread { throw unread }
  }

  /// Stores the windows for which `isDue` returns true in one transaction. A state that cannot be encoded does not keep
  /// the others from being stored.
  private func save(_ isDue: (Entry) -> Bool) throws(ChatError) {
    let problem = writing.withLock { _ -> ChatError? in
      let due = state.withLock { $0.entries }.filter { $0.value.loading == nil && isDue($0.value) }
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
          // A deleted conversation has no scroll position, even if the window has not seen the deletion yet.
          let content = entry.buffer.content
          let stored = try content.withoutLostTimelines(transaction.conversations.presentName)
          try transaction.scenes.save(
            id, version: entry.version, state: stored == content ? bytes : try stored.encoded(),
            now: environment.now())
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

  /// Removes a window permanently (rule R2).
  func close(_ id: SceneID) throws(ChatError) {
    let result = writing.withLock { _ -> Result<Void, ChatError> in
      do throws(ChatError) {
        // A malformed ID was never stored, and SQLite's text ends at U+0000.
        if id.isWellFormed { try store.write { try $0.scenes.delete(id) } }
      } catch {
        return .failure(error)
      }
      state.withLock { _ = $0.entries.removeValue(forKey: id) }
      return .success(())
    }
    try result.get()
  }

  /// Clears the states of all windows. `body` deletes them from the store, in a transaction of its own.
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

/// A window's state, independent of its types.
struct SceneContent: Equatable, Sendable {
  let value: any Hashable & Sendable
  private let encode: @Sendable () throws -> Data
  let emptied: @Sendable () -> SceneContent
  private let merge: @Sendable (_ stored: SceneContent, _ base: SceneContent) -> SceneContent
  private let keepTimelines: @Sendable ((ConversationID) throws -> ConversationID?) throws -> SceneContent

  init<Route, Sheet>(_ state: SceneState<Route, Sheet>) {
    value = state
    encode = { try SceneCoding.encode(state) }
    emptied = { SceneContent(SceneState<Route, Sheet>()) }
    merge = { stored, base in
      guard let stored: SceneState<Route, Sheet> = stored.state(),
        let base: SceneState<Route, Sheet> = base.state()
      else { return SceneContent(state) }
      return SceneContent(state.merged(over: stored, since: base))
    }
    keepTimelines = { present in
      var kept = state
      kept.scroll = try state.scroll.inPresentConversations(present)
      return SceneContent(kept)
    }
  }

  /// See ``SceneState/merged(over:since:)``.
  func merged(over stored: SceneContent, since base: SceneContent) -> SceneContent { merge(stored, base) }

  /// The state without the scroll positions of conversations that no longer exist.
  func withoutLostTimelines(_ present: (ConversationID) throws -> ConversationID?) throws -> SceneContent {
    try keepTimelines(present)
  }

  static func == (left: Self, right: Self) -> Bool { AnyHashable(left.value) == AnyHashable(right.value) }

  /// The state with these types. Nil when it has other types.
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
