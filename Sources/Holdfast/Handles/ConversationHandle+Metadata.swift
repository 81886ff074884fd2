import Foundation
import HoldfastCore
import HoldfastStore

/// The metadata and the members of a conversation.
extension ConversationHandle {
  /// The app's own data about the conversation. Nil when the app gave none. Costs one small read.
  ///
  /// ```swift
  /// let settings = try chat.metadata().map { try JSONDecoder().decode(ChatSettings.self, from: $0) }
  /// ```
  ///
  /// - Throws: ``ChatError`` with code `unknownConversation`, or a storage code.
  public func metadata() throws(ChatError) -> Data? { try client.reader.facts(of: key).metadata }

  /// Replaces the app's own data about the conversation: a system prompt, a model, whether it is pinned. The engine
  /// only keeps it, on this device, and ``ConversationListSnapshot/Row/metadata`` has it. It follows
  /// ``replaceID(with:)``, and is deleted with the conversation.
  ///
  /// ```swift
  /// try chat.setMetadata(try JSONEncoder().encode(ChatSettings(isPinned: true)))
  /// ```
  ///
  /// One transaction when the data differs. When the call returns, the data survives any crash.
  ///
  /// - Parameter metadata: at most 64 KB: ``MessageContent/maximumMetadataBytes``. Each read of the list includes it,
  ///   so it
  ///   should be small. Nil removes it.
  /// - Throws: ``ChatError`` with code `metadataTooLarge`, `unknownConversation`, or a storage code.
  ///   The data is then unchanged.
  public func setMetadata(_ metadata: Data?) throws(ChatError) {
    try MessageContent(metadata: metadata).require()
    try client.store.write { try $0.conversations.setMetadata(metadata, of: key) }
  }

  /// The accounts and assistants that take part in the conversation, this user's included. Costs one small read.
  ///
  /// ```swift
  /// let others = try chat.members().filter { $0 != client.user }
  /// ```
  ///
  /// - Throws: ``ChatError`` with code `unknownConversation`, or a storage code.
  public func members() throws(ChatError) -> [UserID] { try client.reader.facts(of: key).members }
}
