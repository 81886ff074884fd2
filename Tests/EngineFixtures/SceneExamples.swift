import Foundation
import Holdfast
import HoldfastCore
import Observation

@testable import HoldfastStore

/// The routes and sheets of an app, for tests.
package enum SceneExample {
  package enum Route: Codable, Hashable { case members, file(String) }
  package enum Sheet: Codable, Hashable { case settings, info(MessageID) }
  package typealias State = SceneState<Route, Sheet>

  package static let scene: SceneID = "main"

  /// A window with every kind of state.
  package static var full: State {
    var state = State(
      project: "p-1", conversation: EngineExample.conversation, path: [.members, .file("a")],
      sheet: .info("m7"),
      columns: .detailOnly)
    state.scroll[timeline: EngineExample.conversation] = ScrollPositions.Anchor(message: "m7", offset: 0.25)
    state.scroll[list: "projects"] = 320
    return state
  }
}

extension ChatClient {
  /// The stored state of a window.
  package nonisolated func storedScene(_ id: SceneID = SceneExample.scene) throws -> SceneExample.State? {
    try storedRow(of: id)?.state.map { try JSONDecoder().decode(SceneExample.State.self, from: $0) }
  }

  /// The row of a window, whether or not it is readable.
  package nonisolated func storedRow(of id: SceneID = SceneExample.scene) throws -> StoredScene? {
    try store.read { try $0.scenes.stored(id) }
  }

  /// A number that grows with each row that is written.
  package nonisolated func revision() throws -> Int64 {
    try store.read { try $0.settings.value(.revision) } ?? 0
  }
}

/// Updates of models are awaited through their own observation.
@MainActor package enum Shown {
  package typealias Condition = @MainActor @Sendable () -> Bool

  /// Returns once `condition` holds.
  package static func hold(_ condition: @escaping Condition) async {
    // `Observations` would be shorter, but requires a newer system than the package does.
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
  package static func until(
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
