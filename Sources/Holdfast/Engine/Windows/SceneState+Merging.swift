import HoldfastCore

extension SceneState {
  /// The state of a window that was read late (rule R1): `stored`, with what was done since `base` was shown in its
  /// place. The project, the conversation, the path and the sheet belong together: a user who has opened anything
  /// stays there.
  func merged(over stored: Self, since base: Self) -> Self {
    var merged = stored
    if !isSamePlace(as: base) {
      (merged.project, merged.conversation, merged.path, merged.sheet) = (project, conversation, path, sheet)
    }
    if columns != base.columns { merged.columns = columns }
    merged.scroll = scroll.merged(over: stored.scroll, since: base.scroll)
    return merged
  }

  private func isSamePlace(as other: Self) -> Bool {
    project == other.project && conversation == other.conversation && path == other.path
      && sheet == other.sheet
  }
}

extension ScrollPositions {
  fileprivate func merged(over stored: Self, since base: Self) -> Self {
    var merged = stored
    for conversation in Set(timelines.map(\.conversation) + base.timelines.map(\.conversation))
    where self[timeline: conversation] != base[timeline: conversation] {
      merged[timeline: conversation] = self[timeline: conversation]
    }
    for name in Set(lists.map(\.name) + base.lists.map(\.name)) where self[list: name] != base[list: name] {
      merged[list: name] = self[list: name]
    }
    return merged
  }
}
