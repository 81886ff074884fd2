import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay

/// The operator's functions for a whole conversation: rename, close or remove it. Its members are notified at once,
/// or when they reconnect.
extension ChatServer {
  /// Announces a conversation to its members again, for example after a member was readmitted. A client whose
  /// messages were refused then sends them again. Returns whether the conversation exists.
  ///
  /// - Throws: ``ServerError`` with `storageFailed` or `stopped`.
  @discardableResult
  package func announce(_ id: ConversationID) throws -> Bool { try change(id) { _, _ in } }

  /// Gives a conversation another ID. Clients may use either ID. Returns false when there is no such conversation,
  /// or when another one has or had the new ID.
  ///
  /// - Throws: ``ServerError`` with `storageFailed` or `stopped`.
  @discardableResult
  package func rename(_ id: ConversationID, to new: ConversationID) throws -> Bool {
    guard new.isWellFormed, new != id else { return false }
    let isTaken = try throwingServerError {
      try database.read { db in
        let conversations = Conversations(db: db)
        let present = presentIDs[new.rawValue]
        return try conversations.find(new.rawValue) != nil
          || (present != nil && present != presentIDs[id.rawValue] ?? id.rawValue)
      }
    }
    guard !isTaken else { return false }
    return try change(id) { conversation, conversations in
      try conversations.rename(conversation.id, to: new.rawValue)
      conversation.id = new.rawValue
    }
  }

  /// Deletes a conversation for everyone. It accepts no messages afterwards. Returns whether it existed.
  ///
  /// - Throws: ``ServerError`` with `storageFailed` or `stopped`.
  @discardableResult
  package func remove(_ id: ConversationID) throws -> Bool {
    remnants = .all
    return try change(id) { conversation, conversations in
      try conversations.removeContents(of: conversation.id)
      (conversation.isRemoved, conversation.title) = (true, nil)
    }
  }

  /// Closes a conversation for new messages, with a reason that its members see. Nil opens it again. Returns whether
  /// the conversation exists.
  ///
  /// - Throws: ``ServerError`` with `storageFailed` or `stopped`.
  @discardableResult
  package func refuse(_ id: ConversationID, because refusal: String?) throws -> Bool {
    try change(id) { conversation, conversations in
      try conversations.setRefusal(refusal, of: conversation.id)
      conversation.refusal = refusal
    }
  }

  private func change(
    _ id: ConversationID, _ body: (inout ConversationRecord, Conversations) throws -> Void
  ) throws -> Bool {
    guard !isStopped else { throw ServerError.stopped }
    let present = presentIDs[id.rawValue] ?? id.rawValue
    let changed = try throwingServerError {
      try database.write { db -> (LogEntry, [String: String])? in
        let conversations = Conversations(db: db)
        guard var conversation = try conversations.find(present), !conversation.isRemoved else { return nil }
        try body(&conversation, conversations)
        return (try EventLog(db: db).append(announcing: conversation), try conversations.presentIDs())
      }
    }
    guard let (entry, ids) = changed else { return false }
    presentIDs = ids
    push([entry])
    return true
  }
}

extension Wire.ClientFrame {
  /// The frame with the conversations' IDs replaced by their present IDs.
  func under(_ presentIDs: [String: String]) -> Self {
    guard !presentIDs.isEmpty else { return self }
    func present(_ id: String) -> String { presentIDs[id] ?? id }
    switch self {
    case .send(var send):
      for index in send.messages.indices {
        send.messages[index].conversation = present(send.messages[index].conversation)
      }
      return .send(send)
    case .piece(var piece):
      piece.conversation = present(piece.conversation)
      return .piece(piece)
    case .read(var read):
      read.conversation = present(read.conversation)
      return .read(read)
    case .ask(var ask):
      ask.conversation = present(ask.conversation)
      return .ask(ask)
    case .history(var question):
      question.conversation = present(question.conversation)
      return .history(question)
    case .search(var question):
      question.conversation = question.conversation.map(present)
      return .search(question)
    case .hello, .sync, .upload, .fetch, .ping: return self
    }
  }
}
