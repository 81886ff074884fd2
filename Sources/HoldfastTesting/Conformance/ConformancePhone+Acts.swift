import Foundation
import Holdfast

/// What a user does on a phone. Each act is noted in the ledger once the call has returned.
extension ConformancePhone {
  /// Sends a message.
  ///
  /// - Parameter noted: the conversation's first ID, where this phone has another one.
  @discardableResult
  func say(
    _ text: String? = nil, in conversation: ConversationID, noted: ConversationID? = nil
  ) throws -> MessageID {
    let text = text ?? nextText()
    let id = try client.send(text, in: conversation)
    ledger.sent(.init(id: id, sender: user, text: text), in: noted ?? conversation)
    return id
  }

  /// Sends messages, one after the other.
  @discardableResult
  func say(times: Int, in conversation: ConversationID) throws -> [MessageID] {
    try (0..<times).map { _ in try say(in: conversation) }
  }

  /// Sends a file with a text.
  @discardableResult
  func sendFile(_ bytes: Data, in conversation: ConversationID) throws -> MessageID {
    let text = nextText()
    let chat = try client.conversation(conversation)
    try client.edit(text, in: conversation)
    let attachment = try chat.attach(bytes, name: "file-\(text.count).bin")
    let id = try chat.sendDraft()
    ledger.sent(
      .init(id: id, sender: user, text: text, attachments: [attachment.checksum]), in: conversation)
    return id
  }

  func edit(_ message: MessageID) throws {
    let text = nextText() + " edited"
    try client.message(message).edit(to: text)
    ledger.edited(message, to: text)
  }

  func delete(_ message: MessageID) throws {
    try client.message(message).delete()
    ledger.deleted(message)
  }

  func react(_ value: String, to message: MessageID) throws {
    try client.message(message).react(value)
    ledger.change(message) { $0.reactions.insert(.init(value, from: user)) }
  }

  func unreact(_ value: String, to message: MessageID) throws {
    try client.message(message).unreact(value)
    ledger.change(message) { $0.reactions.remove(.init(value, from: user)) }
  }

  /// Reads a conversation up to a message.
  func read(upTo message: MessageID, in conversation: ConversationID) throws {
    try client.conversation(conversation).markRead(upTo: message)
    ledger.read(message, by: user, in: conversation)
  }

  /// The text of the composer.
  func draft(in conversation: ConversationID) throws -> String { try client.draftText(in: conversation) }

  /// The rows of a conversation at this moment.
  func rows(of conversation: ConversationID) throws -> [MessageRow] {
    try client.conversationSnapshot(conversation, limit: ConformanceStage.limit).rows
  }

  /// The ID that the phone has for a conversation which it created.
  func present(_ conversation: ConversationID) throws -> ConversationID {
    try client.store.aliases.current(conversation)
  }
}
