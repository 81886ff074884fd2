import Foundation
import HoldfastCore
import HoldfastStore

/// Puts messages into the timeline and the outbox, in one transaction each. Any thread may use it.
package struct Sender: Sendable {
  let context: EngineContext
  let drafts: Drafts

  var store: Store { context.store }
  private var environment: ChatEnvironment { context.environment }

  /// - Parameter members: those of a conversation that is made when it does not exist.
  func send(
    _ content: MessageContent, in conversation: ConversationKey, creatingWith members: [UserID]? = nil
  ) throws(ChatError) -> MessageID {
    try send(content, in: conversation, creatingWith: members) { _, _ in }.id
  }

  func sendDraft(in conversation: ConversationKey) throws(ChatError) -> MessageID {
    try sendDraft(in: conversation) { _, _ in }.id
  }

  /// - Parameters:
  ///   - members: those of a conversation that is made when it does not exist.
  ///   - also: further work in the same transaction, after the message.
  func send<Value: Sendable>(
    _ content: MessageContent, in conversation: ConversationKey, creatingWith members: [UserID]? = nil,
    also: (MessageID, Transaction) throws -> Value
  ) throws(ChatError) -> (id: MessageID, value: Value) {
    let head = try members.map { members throws(ChatError) in
      try NewConversation(conversation, members: members, of: context.user)
    }
    try content.require()
    return try measured { (id: MessageID) throws(ChatError) -> Value in
      try store.write { transaction in
        let conversation = transaction.whole(of: conversation)
        if let head { try context.create(head, transaction) }
        try enqueue(
          id, try validated(content, in: conversation, transaction), in: conversation, endsDraft: false,
          transaction)
        return try also(id, transaction)
      }
    }
  }

  /// Sends content under the caller's ID. Returns whether the message is new.
  func sendOnce(
    _ content: MessageContent, in conversation: ConversationKey, id: MessageID
  ) throws(ChatError) -> Bool {
    guard id.isWellFormed else { throw ChatError.malformedID }
    try content.require()
    let sentAt = environment.uptime()
    return try store.write { transaction in
      let conversation = transaction.whole(of: conversation)
      if !transaction.deletions.isHidden(conversation), let known = try transaction.messages.known(id) {
        let shown = transaction.localDeletions.origin(of: known.conversation)
        guard known.sender == context.user, shown == conversation else {
          throw ChatError(.malformedID, "Another message has this ID. Make one that nobody else makes.")
        }
        return false
      }
      try enqueue(
        id, try validated(content, in: conversation, transaction), in: conversation, endsDraft: false,
        transaction)
      context.deliveryTimes.sent(id, at: sentAt)
      return true
    }
  }

  /// - Parameter also: further work in the same transaction, after the message.
  func sendDraft<Value: Sendable>(
    in conversation: ConversationKey, also: (MessageID, Transaction) throws -> Value
  ) throws(ChatError) -> (id: MessageID, value: Value) {
    try measured { (id: MessageID) throws(ChatError) -> Value in
      try drafts.move(DraftKey(conversation: conversation)) { content, transaction in
        let conversation = transaction.whole(of: conversation)
        try context.requireCarried(content.attachments, in: conversation, transaction)
        let sent = try validated(content.message, besides: content.attachments, in: conversation, transaction)
        try enqueue(
          id, sent, besides: content.attachments, in: conversation, endsDraft: true, transaction)
        return try also(id, transaction)
      }
    }
  }

  /// The content in the form in which it is sent.
  private func validated(
    _ content: MessageContent, besides attachments: [ChatAttachment] = [], in conversation: ConversationKey,
    _ transaction: Transaction
  ) throws -> MessageContent {
    try context.requireCarried(content.fields, in: conversation, transaction)
    var content = content
    content.formattedText = try trimmed(
      content.formattedText, isAlone: attachments.isEmpty && !content.hasReferences)
    try content.require(atMost: try context.maximumMessageBytes(in: conversation, transaction))
    return content
  }

  /// The text in the form in which it is sent, for an edit.
  ///
  /// - Parameter isAlone: whether the message has nothing else, so that the text must not be empty.
  func validated(
    _ text: MessageContent.FormattedText, isAlone: Bool, in conversation: ConversationKey,
    _ transaction: Transaction
  ) throws -> MessageContent.FormattedText {
    if text.formatting != nil {
      try context.requireCarried([.formatting], in: conversation, transaction)
    }
    let text = try trimmed(text, isAlone: isAlone)
    try MessageContent(text).require(atMost: try context.maximumMessageBytes(in: conversation, transaction))
    return text
  }

  private func trimmed(
    _ text: MessageContent.FormattedText, isAlone: Bool
  ) throws(ChatError) -> MessageContent.FormattedText {
    let isBlank = text.string.isBlank
    guard !isBlank || !isAlone else {
      throw ChatError(.emptyMessage, "There is nothing to send. Type something first.")
    }
    // The engine cannot move the spans of a formatted text, so such a text is sent as it was typed.
    let string = (isBlank ? "" : text.formatting == nil ? text.string.trimmed : text.string).storable
    return MessageContent.FormattedText(string, formatting: isBlank ? nil : text.formatting)
  }

  /// Makes the message's ID, and measures the delivery from now on. A message that cannot be sent is not measured.
  /// The measurement begins before the commit, because the acknowledgement may come before anything else is done.
  private func measured<Value>(
    _ enqueue: (MessageID) throws(ChatError) -> Value
  ) throws(ChatError) -> (id: MessageID, value: Value) {
    let id = MessageID(rawValue: environment.makeID())
    context.deliveryTimes.sent(id, at: environment.uptime())
    do throws(ChatError) {
      return (id, try enqueue(id))
    } catch {
      context.deliveryTimes.forget(id)
      throw error
    }
  }

  private func enqueue(
    _ id: MessageID, _ content: MessageContent, besides attachments: [ChatAttachment] = [],
    in conversation: ConversationKey, endsDraft: Bool, _ transaction: Transaction
  ) throws {
    let now = environment.now()
    let title = ConversationTitle.automatic(
      from: content.text.isEmpty ? attachments.first?.name ?? "" : content.text)
    try transaction.conversations.noteSend(id, title: title, in: conversation, endsDraft: endsDraft, now: now)
    let isOnDevice = try context.isOnDevice(conversation, transaction)
    if !isOnDevice {
      try transaction.outbox.requireRoom(in: conversation, limits: context.configuration.outbox)
    }
    try transaction.messages.insert(
      id, in: conversation, sender: context.user, role: .user, content: content, order: nil,
      place: isOnDevice
        ? try transaction.messages.place(order: nil, in: conversation) : TimelinePlace.underWay,
      createdAt: now)
    if !attachments.isEmpty { try transaction.attachments.set(attachments, of: .message(id)) }
    if isOnDevice {
      context.deliveryTimes.forget(id)
      try transaction.deliveries.note(of: id, in: conversation, at: now)
    } else {
      try transaction.outbox.enqueue(id, in: conversation, at: context.waitingReading)
    }
  }
}
