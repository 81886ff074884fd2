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

  /// Deletes a stored state that cannot be read. It could not be read at the next launch either.
  func forget(_ id: SceneID) {
    do throws(ChatError) {
      try store.write { try $0.deleteScene(id) }
    } catch {
      environment.logger.error("place not cleared", metadata: ["code": "\(error.code)"])
    }
  }

  /// Registers an opened window. Returns the number that the window's changes come with.
  func register<Route, Sheet>(
    _ id: SceneID, stored: SceneState<Route, Sheet>, present: SceneState<Route, Sheet>, version: Int
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
          opening: state.openings)
      }
      entry.version = version
      entry.buffer.change(to: SceneContent(present), now: now)
      state.entries[id] = entry
      return entry.opening
    }
    wake.raise()
    return opening
  }
}
