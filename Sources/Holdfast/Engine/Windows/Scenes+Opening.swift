import HoldfastCore
import HoldfastStore

extension SceneState {
  /// Closes the conversation, together with the path and the sheet over it. The list is shown.
  mutating func leaveConversation() {
    if let conversation { scroll[timeline: conversation] = nil }
    (conversation, path, sheet) = (nil, [], nil)
  }
}

extension Scenes {
  /// The state that this process has. Nil when the window has not been opened, or was opened with other types.
  func remembered<Route, Sheet>(_ id: SceneID) -> SceneState<Route, Sheet>? {
    state.withLock { $0.entries[id]?.buffer.content.state() }
  }

  /// The ID of a window whose scene has none. The first window of the process begins at the place that was left last:
  /// the system deletes its scenes when their user ends the app, and most of its windows on a Mac. It gets an ID of its
  /// own, because the other window may come back. A further window is new.
  package func idOfNewWindow() -> SceneID {
    let id = SceneID(rawValue: environment.makeID())
    if state.withLock({ $0.openings == 0 }) {
      do throws(ChatError) {
        try store.write { try $0.scenes.copyLast(to: id) }
      } catch {
        environment.logger.notice("place not copied", metadata: ["code": "\(error.code)"])
      }
    }
    return id
  }

  /// Notes that a window has shown that its conversation was erased. It shows that once. If this cannot be stored, it
  /// shows it again at the next launch.
  func noteLossShown(in id: SceneID) {
    do throws(ChatError) {
      try store.write { try $0.scenes.noteLossShown(in: id) }
    } catch {
      environment.logger.notice("place not noted", metadata: ["code": "\(error.code)"])
    }
  }

  /// Deletes a stored state that cannot be read. It could not be read at the next launch either.
  func forget(_ id: SceneID) {
    do throws(ChatError) {
      try store.write { try $0.scenes.delete(id) }
    } catch {
      environment.logger.error("place not cleared", metadata: ["code": "\(error.code)"])
    }
  }

  /// Stores the state of a window that has been neither opened nor stored, once. The state and the note of its import
  /// are one transaction. Returns whether the state was stored.
  ///
  /// - Parameter item: the name under which the import is noted.
  package func bring<Route, Sheet>(
    _ imported: SceneState<Route, Sheet>, into id: SceneID, version: Int, as item: String
  ) throws(ChatError) -> Bool {
    let bytes = try SceneContent(imported).encoded()
    let result = writing.withLock { _ -> Result<Bool, ChatError> in
      // The next save of an open window would replace the state.
      guard state.withLock({ $0.entries[id] == nil }) else { return .success(false) }
      do throws(ChatError) {
        return .success(
          try store.write { transaction in
            guard try transaction.scenes.stored(id) == nil, try transaction.imports.note(item) else {
              return false
            }
            try transaction.scenes.save(id, version: version, state: bytes, now: environment.now())
            return true
          })
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Registers an opened window. Returns the number that the window's changes come with.
  ///
  /// - Parameter loading: reads the window's state later. Nil when it was read.
  func register<Route, Sheet>(
    _ id: SceneID, stored: SceneState<Route, Sheet>, present: SceneState<Route, Sheet>, version: Int,
    loading: (@Sendable () throws(ChatError) -> LateScene)? = nil
  ) -> Int {
    let now = environment.uptime()
    let opening = state.withLock { state in
      var entry: Entry
      if let there = state.entries[id], there.buffer.content.state(SceneState<Route, Sheet>.self) != nil {
        entry = there
      } else {
        state.openings += 1
        entry = Entry(
          buffer: SceneBuffer(stored: SceneContent(stored), intervals: intervals), version: version,
          opening: state.openings,
          loading: loading.map { Loading(base: SceneContent(present), read: $0, tryAt: now + .seconds(1)) })
      }
      entry.version = version
      entry.buffer.change(to: SceneContent(present), now: now)
      state.entries[id] = entry
      if entry.loading != nil { state.awaited = nil }
      return entry.opening
    }
    wake.raise()
    return opening
  }
}
