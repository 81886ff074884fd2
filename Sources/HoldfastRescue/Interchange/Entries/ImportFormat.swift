/// The format of an imported file. The contents decide. For a list of texts without a status, the file's name
/// decides.
public enum ImportFormat: String, Sendable, Codable, Hashable, CaseIterable {
  /// An object with `conversations`, as ``ChatClient/exportHistory(to:as:including:progress:)`` writes it.
  case history
  /// An array of messages, some of them unsent.
  case queue
  /// Messages that were sent or received, in the form of OpenAI's API or a similar one: an array of them, an object
  /// with `messages`, or a list of such arrays or objects.
  case messages
  /// The export of ChatGPT: conversations with a `mapping`.
  case chatGPT
  /// The export of Claude: conversations with `chat_messages`.
  case claude
  /// The export of Open WebUI: chats with a `history`.
  case openWebUI
  /// The export of LibreChat: a conversation whose messages have a `parentMessageId`.
  case libreChat
  /// Conversations whose turns have `from` and `value`.
  case shareGPT
  /// An object with `draftInput` and `draftInputSessionId`.
  case singleDraft
  /// An object of drafts, by the ID of their project.
  case draftsByProject
  /// An object with the place where the user was, such as `selectedProjectPath`, `selectedSessionId` and `activeSheet`.
  /// ``ChatClient/importPlace(from:into:as:version:sheet:)`` reads it.
  case place
}
