import HoldfastCore
import HoldfastStore

/// A window without a view, whose state is one text, for comparing the restored state with the promised one.
package struct PlainScene: Sendable {
  private let client: ChatClient
  private let id: SceneID
  private let opening: Int
  /// The state of the window when it was opened. Nil for a new window.
  package let restored: String?
  /// The conversation that was open, in its present ID. Nil when none was, or when it was deleted.
  package let conversation: ConversationID?
  /// The notice that the window was opened with.
  package let notice: SceneNotice?

  package init(_ client: ChatClient, _ id: SceneID) {
    let opened: OpenedScene<String, String> = client.reader.openScene(id, version: 1, migrations: [])
    (self.client, self.id) = (client, id)
    opening = opened.opening
    restored = opened.state.path.last
    (conversation, notice) = (opened.state.conversation, opened.notice)
  }

  package func go(to place: String) {
    let state = SceneState<String, String>(path: [place])
    _ = client.scenes.change(id, to: SceneContent(state), opening: opening)
  }

  package func open(_ conversation: ConversationID) {
    let state = SceneState<String, String>(conversation: conversation)
    _ = client.scenes.change(id, to: SceneContent(state), opening: opening)
  }
}
