import Foundation
import Observation

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

/// The routes and sheets of an app, as tests have them.
enum SceneExample {
  enum Route: Codable, Hashable { case members, file(String) }
  enum Sheet: Codable, Hashable { case settings, info(MessageID) }
  typealias State = SceneState<Route, Sheet>

  static let scene: SceneID = "main"

  /// Everything that a window has.
  static var full: State {
    var state = State(
      project: "p-1", conversation: EngineExample.conversation, path: [.members, .file("a")],
      sheet: .info("m7"),
      columns: .detailOnly)
    state.scroll[timeline: EngineExample.conversation] = ScrollAnchor(message: "m7", offset: 0.25)
    state.scroll[list: "projects"] = 320
    return state
  }
}

extension ChatClient {
  /// What the file has of a window.
  nonisolated func storedScene(_ id: SceneID = SceneExample.scene) throws -> SceneExample.State? {
    try store.read { try $0.scene(id) }?.state.map {
      try JSONDecoder().decode(SceneExample.State.self, from: $0)
    }
  }

  /// Goes up with each row that is written.
  nonisolated func revision() throws -> Int64 {
    try store.read { try $0.row("SELECT value FROM setting WHERE name = 'revision'")![0] }
  }
}

/// What models follow by themselves is awaited through their own observation.
@MainActor enum Shown {
  typealias Condition = @MainActor @Sendable () -> Bool

  /// Returns once `condition` holds.
  static func hold(_ condition: @escaping Condition) async {
    // `Observations` would be shorter, and asks for a newer system than the package does.
    let changed = Signal()
    while !Task.isCancelled {
      let isMet = withObservationTracking {
        condition()
      } onChange: {
        changed.raise()
      }
      if isMet { return }
      await changed.wait()
    }
  }

  /// Runs `follow` until `condition` holds.
  static func until(
    _ condition: @escaping Condition, while follow: @escaping @MainActor @Sendable () async -> Void
  ) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await follow() }
      group.addTask { await hold(condition) }
      await group.next()
      group.cancelAll()
    }
  }
}
