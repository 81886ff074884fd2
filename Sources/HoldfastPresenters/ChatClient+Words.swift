import Holdfast

extension ChatClient {
  /// A text of the catalogue, as the app words it.
  package nonisolated func text(_ text: ChatConfiguration.ShownText) -> String { configuration.texts(text) }

  /// The label of a button.
  package nonisolated func label(_ button: ChatConfiguration.ShownText.Button) -> String {
    text(.button(button))
  }

  /// Whether a message can have files.
  package nonisolated var carriesFiles: Bool { transport.capabilities.carriesAttachments }
}
