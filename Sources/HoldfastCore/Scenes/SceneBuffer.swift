/// One window's navigation state, and when to store it (rule R8). Pure. ``DebouncedSave`` has the times.
package struct SceneBuffer<Content: Equatable & Sendable>: Equatable, Sendable {
  private var saving: DebouncedSave
  package private(set) var content: Content
  /// The content on disk.
  package private(set) var stored: Content

  package init(
    stored: Content, intervals: ChatConfiguration.SaveIntervals = ChatConfiguration.SaveIntervals()
  ) {
    saving = DebouncedSave(intervals: intervals)
    content = stored
    self.stored = stored
  }

  package var hasChanges: Bool { content != stored }

  package mutating func change(to content: Content, now: ChatEnvironment.Instant) {
    guard content != self.content else { return }
    self.content = content
    saving.changed(hasChanges: hasChanges, now: now)
  }

  /// The time at which the content is to be stored. Nil when nothing is unsaved.
  package var deadline: ChatEnvironment.Instant? { saving.deadline }

  /// The action that is due now.
  package func action(now: ChatEnvironment.Instant) -> DebouncedSave.Action { saving.action(now: now) }

  /// `content` is on disk now. Later changes are not.
  package mutating func wrote(_ content: Content) {
    stored = content
    saving.wrote(hasChanges: hasChanges)
  }

  /// The save failed.
  package mutating func failed(now: ChatEnvironment.Instant) { saving.failed(now: now) }
}
