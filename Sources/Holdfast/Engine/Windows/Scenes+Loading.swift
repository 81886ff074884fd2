import HoldfastCore
import HoldfastStore

/// The stored state of a window, read later because the store could not be read when the window was opened (rule R1).
struct LateScene: Sendable {
  /// The state as the store has it.
  var stored: SceneContent
  /// Whether the conversation that the window showed was erased meanwhile.
  var isConversationLost = false
  /// The reason why the stored state was cleared. Nil when it could be read.
  var problem: ChatError?
}

extension Scenes {
  /// The late read of a window whose store was suspended, locked or busy when it was opened.
  ///
  /// ```
  ///   opened ──the read fails──► shown empty, stored nothing ──read later──► merged with what was done meanwhile
  /// ```
  ///
  /// Until it is read, nothing of the window is written, so that the unread state is not replaced.
  struct Loading: Sendable {
    /// The state that the window showed in the place of the stored one.
    let base: SceneContent
    let read: @Sendable () throws(ChatError) -> LateScene
    /// The instant of the next try, and the wait after it.
    var tryAt: ChatEnvironment.Instant
    var pause: Duration = .seconds(1)

    mutating func failed(now: ChatEnvironment.Instant) {
      tryAt = now + pause
      pause = min(pause * 2, .seconds(30))
    }
  }

  /// A load that the window's model has not taken over yet.
  struct Loaded: Sendable {
    /// The number of the opening that the model knows.
    let opening: Int
    /// The content that the model had reported last.
    let content: SceneContent
    let scene: LateScene
  }

  /// Reads the windows that could not be read before, if their next try is due.
  ///
  /// - Parameter isForced: whether they are read now. An app that calls for a save has a reason to think that it works.
  /// - Returns: the problem of a window that has something to store and could not be read.
  func loadLate(now: ChatEnvironment.Instant, isForced: Bool) -> ChatError? {
    var problem: ChatError?
    let entries = state.withLock { $0.entries }.sorted { $0.key.rawValue < $1.key.rawValue }
    for (id, entry) in entries {
      guard let loading = entry.loading, isForced || loading.tryAt <= now else { continue }
      do throws(ChatError) {
        merge(try loading.read(), of: id, opened: entry.opening, over: loading.base, now: now)
      } catch {
        state.withLock { state in
          guard state.entries[id]?.opening == entry.opening else { return }
          state.entries[id]?.loading?.failed(now: now)
          state.entries[id]?.problem = error
        }
        if entry.buffer.hasChanges { problem = problem ?? error }
      }
    }
    return problem
  }

  private func merge(
    _ scene: LateScene, of id: SceneID, opened opening: Int, over base: SceneContent,
    now: ChatEnvironment.Instant
  ) {
    state.withLock { state in
      guard let present = state.entries[id], present.opening == opening else { return }
      let content = present.buffer.content
      var buffer = SceneBuffer(stored: scene.stored, intervals: intervals)
      buffer.change(to: content.merged(over: scene.stored, since: base), now: now)
      state.openings += 1
      state.entries[id] = Entry(
        buffer: buffer, version: present.version, opening: state.openings,
        loaded: Loaded(opening: opening, content: content, scene: scene))
    }
    store.changes.publish(Changes(scenes: true))
  }
}
