import Holdfast

/// A button or an entry of a message's menu. A view shows it, and reports the chosen one.
package struct MessageAction: Sendable, Codable, Hashable, Identifiable {
  /// What the action does.
  package enum Kind: String, Sendable, Codable, Hashable, CaseIterable {
    /// Of a message, or of an operation on one: ``MessageHandle/retry()``, the question about held messages,
    /// ``MessageHandle/cancel()``, and the sheet that explains it.
    case retry, decide, cancel, info
    /// Of an unsent message: ``MessageHandle/takeBack()``.
    case takeBack
    /// Of a delivered message: ``ComposerModel/reply(to:)``, ``ComposerModel/beginEdit(_:)`` and
    /// ``MessageHandle/delete()``.
    case reply, beginEdit, delete
    /// Of a reply: see ``MessageRow/Action``. The last one restores its newest version.
    case continueReply, retryReply, stopReply, regenerateReply, keepEarlierReply, restoreReply

    /// The actions that need a model.
    package static let ofReplies: Set<Kind> = [.continueReply, .retryReply, .regenerateReply]
  }

  package var kind: Kind
  package var title: String
  /// Whether the action loses something. It is shown in red.
  package var isDestructive = false
  /// Whether the text goes to the composer, which then gets the focus.
  package var goesToComposer = false

  package var id: Kind { kind }
}

extension MessageAction {
  init(
    _ kind: Kind, _ button: ChatConfiguration.ShownText.Button,
    _ texts: (ChatConfiguration.ShownText) -> String,
    isDestructive: Bool = false
  ) {
    self.init(
      kind: kind, title: texts(.button(button)), isDestructive: isDestructive,
      goesToComposer: kind == .takeBack || kind == .beginEdit || kind == .reply)
  }
}
