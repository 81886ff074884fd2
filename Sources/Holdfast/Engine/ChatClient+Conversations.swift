import Foundation
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// The largest size of a title, in UTF-8 bytes. A longer title is refused.
  package static var maximumTitleBytes: Int { ConversationTitle.maximumBytes }

  /// See ``ChatClient/createConversation(_:title:members:metadata:isOnDevice:)``.
  nonisolated func make(
    _ id: ConversationKey, title: String?, members: [UserID], metadata: Data?, isOnDevice: Bool
  ) throws(ChatError) {
    let new = try NewConversation(
      id, title: title, members: members, metadata: metadata, isOnDevice: isOnDevice, of: user)
    try store.write { try context.create(new, $0) }
  }

  nonisolated func setTitle(_ title: String?, of id: ConversationKey) throws(ChatError) {
    let title = try NewConversation.titleInOneLine(title)
    try store.write { try $0.conversations.setTitle(title, of: id, by: user) }
  }

  /// The conversation that was last on the screen, for an app that opens there again. Nil when there was none, or when
  /// it is deleted. An undone deletion brings it back. It follows ``ConversationHandle/replaceID(with:)``.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`.
  public nonisolated func activeConversation() throws(ChatError) -> ConversationID? {
    try store.read { db in try db.conversations.active().map(db.name) }
  }

  /// Stores the conversation that is on the screen.
  ///
  /// ```swift
  /// .onChange(of: selection) { try? client.setActiveConversation(selection) }
  /// ```
  ///
  /// Costs a sync when the conversation differs from the stored one. A crash leaves one or the other.
  ///
  /// - Parameter id: nil when no conversation is on the screen.
  /// - Throws: ``ChatError`` with code `unknownConversation`, or one that starts with `storage`.
  public nonisolated func setActiveConversation(_ id: ConversationID?) throws(ChatError) {
    let key = id.map(store.key)
    if let key, try store.read({ try $0.conversations.active() }) == key { return }
    try store.write { transaction in
      try transaction.conversations.setActive(key.map { try transaction.conversations.require($0) })
    }
  }
}
