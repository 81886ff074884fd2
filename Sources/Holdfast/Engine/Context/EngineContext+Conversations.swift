import Foundation
import HoldfastCore
import HoldfastStore

/// Conversations that the user makes and names, and messages that the app stores as they are. Nothing here is sent.
extension EngineContext {
  /// See ``ChatClient/createConversation(_:title:members:metadata:isOnDevice:)``.
  func createConversation(
    _ id: ConversationKey, title: String?, members: [UserID], metadata: Data?, isOnDevice: Bool,
    isMadeHere: Bool
  ) throws(ChatError) {
    let new = try NewConversation(
      id, title: title, members: members, metadata: metadata, isOnDevice: isOnDevice,
      isMadeHere: isMadeHere, of: user)
    try store.write { try create(new, $0) }
  }

  func setTitle(_ title: String?, of id: ConversationKey) throws(ChatError) {
    let title = try NewConversation.titleInOneLine(title)
    try store.write { try $0.conversations.setTitle(title, of: id, by: user) }
  }

  /// Returns the number of messages that are new.
  func storeFinished(
    _ messages: some Sequence<FinishedMessage>, in conversation: ConversationKey
  ) throws(ChatError) -> Int {
    let now = environment.now()
    return try store.write { transaction in
      let conversation = try transaction.conversations.require(conversation)
      var count = 0
      for message in messages where try isNew(message, in: conversation, transaction) {
        try transaction.messages.insert(
          message.id, in: conversation, sender: message.sender, role: message.role,
          content: message.content.storable, order: nil,
          place: try transaction.messages.place(order: nil, in: conversation), createdAt: message.createdAt,
          isRecorded: true)
        count += 1
      }
      guard count > 0 else { return 0 }
      try transaction.imports.setTitle(conversation, by: user)
      try transaction.conversations.touch(conversation, now: now)
      return count
    }
  }

  private func isNew(
    _ message: FinishedMessage, in conversation: ConversationKey, _ transaction: Transaction
  ) throws -> Bool {
    guard message.id.isWellFormed, message.sender.isWellFormed else {
      throw ChatError.malformedID
    }
    try message.content.require()
    guard let known = try transaction.messages.known(message.id) else { return true }
    guard transaction.localDeletions.origin(of: known.conversation) == conversation else {
      throw ChatError(
        .malformedID, "A message of another conversation has this ID. Make one that nobody else makes.")
    }
    return false
  }
}
