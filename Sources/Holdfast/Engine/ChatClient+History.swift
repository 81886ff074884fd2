import HoldfastCore
import HoldfastStore

/// Older messages from the server (SPEC B6).
extension ChatClient {
  /// Asks for the next older messages of a conversation, or for all up to a message. Returns false when there is nothing to
  /// ask for.
  @discardableResult
  package nonisolated func fetchOlder(in conversation: ConversationID, upTo message: MessageID? = nil) -> Bool
  {
    guard transport.capabilities.carriesHistory, message?.isWellFormed != false else { return false }
    let key = store.key(of: conversation)
    let deletions = store.deletions.value
    guard let state = try? store.read({ try $0.history.state(of: key, deletions) }), !state.isWhole else {
      return false
    }
    olderDoor.ask(for: key, upTo: message)
    return true
  }

  /// Whether somebody has read back in this process, so that nothing makes room there.
  package nonisolated var hasReadBack: Bool { !olderDoor.readBack.isEmpty }

  /// The ID under which a message is in the conversation on this device. Nil when it is not.
  nonisolated func idHere(of message: MessageID, in conversation: ConversationID) -> MessageID? {
    let key = store.key(of: conversation)
    return try? store.read { db in
      let id = try db.messages.knownID(message)
      return try db.history.isHere(id, in: key) ? id : nil
    }
  }
}
