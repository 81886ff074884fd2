import Foundation
import Holdfast

/// The acts of a user on a phone. Each act is recorded in the ledger once the call has returned.
extension ConformancePhone {
  /// Sends a message.
  ///
  /// - Parameter noted: the conversation's first ID, if this phone has another one.
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
    try client.drafts.edit(text, in: conversation)
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

  /// Writes an answer in the account's own name, because not all servers record assistants.
  func answer(in conversation: ConversationID) async throws -> MessageID {
    let content = try answer()
    let reply = try await client.conversation(conversation).beginReply()
    try await write(content, to: reply)
    ledger.sent(.init(id: reply.id, sender: user, text: content.text), in: conversation)
    return reply.id
  }

  /// Regenerates an answer. Returns its new content.
  func answerAgain(_ message: MessageID) async throws -> MessageContent {
    let content = try answer()
    try await write(content, to: try await client.message(message).regenerateReply())
    ledger.edited(message, to: content.text)
    return content
  }

  /// An answer with the fields that the transport supports.
  private func answer() throws -> MessageContent {
    let (text, fields) = (nextText(), try client.transport.capabilities.fields)
    return MessageContent(
      text, reasoning: fields.contains(.reasoning) ? "why \(text)" : nil,
      metadata: fields.contains(.metadata) ? Data(text.utf8) : nil)
  }

  private func write(_ content: MessageContent, to reply: ReplyHandle) async throws {
    try await reply.append(content.text, reasoning: content.reasoning ?? "")
    try await reply.finish(metadata: content.metadata)
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
  func draft(in conversation: ConversationID) throws -> String { try client.drafts.text(in: conversation) }

  /// The rows of a conversation at this moment.
  func rows(of conversation: ConversationID) throws -> [MessageRow] {
    try client.reader.conversation(conversation, limit: ConformanceStage.limit).rows
  }

  /// The phone's present ID of a conversation that it created.
  func present(_ conversation: ConversationID) throws -> ConversationID {
    try client.store.names.name(of: client.store.key(of: conversation))
  }
}
