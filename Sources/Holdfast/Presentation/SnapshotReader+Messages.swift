import HoldfastCore
import HoldfastStore

extension SnapshotReader {
  /// The explanation that ``MessageHandle/explain()`` returns.
  func explanation(of id: MessageID) throws(ChatError) -> Explanation {
    let streams = sharedStates.replies.streams
    let stored = try store.read {
      try $0.outbox.status(of: id, afterFailure: configuration.retry.afterFailure)
    }
    let moment = StatusMoment(client, of: stored.conversation, streams: streams)
    return Explanation(
      moment.status(
        of: id, at: stored.place, attempts: stored.attempts, attachments: stored.attachments)
    ).localized(with: configuration.texts)
  }

  func details(of id: MessageID) throws(ChatError) -> MessageDetails? {
    try store.read { try $0.messages.details(of: id) }.flatMap { found in
      store.deletions.isHidden(found.conversation) ? nil : found.details
    }
  }

  /// The ID under which a message is in the conversation on this device. Nil when it is not.
  func idHere(of message: MessageID, in conversation: ConversationID) -> MessageID? {
    let key = store.key(of: conversation)
    return try? store.read { db in
      let id = try db.messages.knownID(message)
      return try db.history.isHere(id, in: key) ? id : nil
    }
  }

  /// A conversation as it is stored.
  func facts(of key: ConversationKey) throws(ChatError) -> StoredConversation {
    let found = try store.read { db in
      // A conversation that the user has deleted is not there, even while Undo is offered.
      try db.conversations.isVisible(key) ? db.conversations.stored(key) : nil
    }
    guard let found else { throw .unknownConversation }
    return found
  }
}
