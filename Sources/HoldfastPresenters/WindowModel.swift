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
  /// The message that a search hit, a link or a notification has opened. Nil once another conversation was opened.
  package private(set) var sought: MessageID?
  /// The reason why a link was not opened. Nil once another place was opened.
  package private(set) var linkProblem: ChatError?

  /// Opens a window where it was at the last launch. Reads its place, and the rows of its conversation.
  package init(_ client: ChatClient, _ window: SceneID) {
    scene = SceneModel(client, window)
    scene.resolve { sheet in sheet }
  }

  /// The reason why the window's place could not be read or stored, or why a link was not opened.
  package var problem: ChatError? { linkProblem ?? scene.problem }

  /// The conversation that is open. Nil: the list alone is shown.
  package var selection: ConversationID? {
    get { scene.state.conversation }
    set {
      guard newValue != scene.state.conversation else { return }
      scene.state.conversation = newValue
      (sought, linkProblem) = (nil, nil)
      if newValue != nil { scene.dismissNotice() }
    }
  }

  /// Opens a conversation, at a message of it if there is one.
  package func open(_ conversation: ConversationID, at message: MessageID? = nil) {
    scene.open(SceneActivity(conversation: conversation))
    (sought, linkProblem) = (message, nil)
  }

  /// Opens the place that a link or an activity names. `read` reads it. A link of another app changes nothing.
  package func open(_ read: () throws(ChatError) -> SceneActivity) {
    do throws(ChatError) {
      scene.open(try read())
      (sought, linkProblem) = (nil, nil)
    } catch {
      if error.code != .foreignLink { linkProblem = error }
    }
  }

  /// The place of a conversation in this window.
  package func place(of conversation: ConversationID) -> any KeptPlace { ScenePlace(scene, conversation) }

  /// Follows the store until the task is cancelled.
  package func run() async { await scene.run() }
}

/// A conversation's place in its window.
private final class ScenePlace: KeptPlace {
  private let scene: SceneModel<Never, KeptSheet>
  private let conversation: ConversationID

  init(_ scene: SceneModel<Never, KeptSheet>, _ conversation: ConversationID) {
    (self.scene, self.conversation) = (scene, conversation)
  }

  var anchor: ScrollPositions.Anchor? {
    get { scene.state.scroll[timeline: conversation] }
    set { if newValue != anchor { scene.state.scroll[timeline: conversation] = newValue } }
  }

  var explained: MessageID? {
    get { if case .info(let message) = scene.state.sheet { message } else { nil } }
    set {
      let sheet = newValue.map(KeptSheet.info)
      if sheet != scene.state.sheet { scene.state.sheet = sheet }
    }
  }
}
