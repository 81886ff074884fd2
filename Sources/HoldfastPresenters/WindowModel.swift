import Foundation
import Holdfast
import Observation

/// The sheet that may cover a conversation, and is restored at the next launch.
package enum KeptSheet: Codable, Hashable, Sendable {
  case info(MessageID)
}

/// A window with a whole chat: its place, which is restored at the next launch, and the places that links and
/// notifications open in it.
@MainActor @Observable package final class WindowModel {
  package let scene: SceneModel<Never, KeptSheet>
  package let connection: ConnectionModel
  /// The message that a search hit, a link or a notification has opened. Nil once its screen was scrolled, or another
  /// conversation was opened.
  package private(set) var sought: MessageID?
  /// The number of places that were opened, so that the same message can be opened again.
  package private(set) var openings = 0

  /// Opens a window where it was at the last launch. Reads its place, and the rows of its conversation.
  package init(_ client: ChatClient, _ window: SceneID) {
    scene = SceneModel(client, window)
    connection = ConnectionModel(client)
    scene.resolve { sheet in sheet }
  }

  /// The conversation that is open. Nil: the list alone is shown.
  package var selection: ConversationID? {
    get { scene.state.conversation }
    set {
      guard newValue != scene.state.conversation else { return }
      scene.state.conversation = newValue
      sought = nil
      if newValue != nil { scene.dismissNotice() }
    }
  }

  /// Opens a conversation, at a message of it if there is one. Nil: the list alone.
  package func open(_ conversation: ConversationID?, at message: MessageID? = nil) {
    scene.open(SceneActivity(conversation: conversation))
    sought = message
    openings += 1
  }

  /// The place of a conversation in this window.
  package func place(of conversation: ConversationID) -> any KeptPlace {
    ScenePlace(scene, conversation) { [weak self] in self?.sought = nil }
  }

  /// Follows the store until the task is cancelled.
  package func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.scene.run() }
      group.addTask { await self.connection.run() }
    }
  }
}

/// A conversation's place in its window.
private final class ScenePlace: KeptPlace {
  private let scene: SceneModel<Never, KeptSheet>
  private let conversation: ConversationID
  /// Called when the reader has moved.
  private let moved: @MainActor () -> Void

  init(
    _ scene: SceneModel<Never, KeptSheet>, _ conversation: ConversationID,
    moved: @escaping @MainActor () -> Void
  ) {
    (self.scene, self.conversation, self.moved) = (scene, conversation, moved)
  }

  var anchor: ScrollPositions.Anchor? {
    get { scene.state.scroll[timeline: conversation] }
    set {
      guard newValue != anchor else { return }
      scene.state.scroll[timeline: conversation] = newValue
      moved()
    }
  }

  var explained: MessageID? {
    get { if case .info(let message) = scene.state.sheet { message } else { nil } }
    set {
      let sheet = newValue.map(KeptSheet.info)
      if sheet != scene.state.sheet { scene.state.sheet = sheet }
    }
  }
}
