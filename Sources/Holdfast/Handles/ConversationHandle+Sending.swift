import Foundation
import HoldfastCore
import HoldfastStore

extension ConversationHandle {
  /// Sends a text, as ``ChatClient/send(_:in:replyTo:creatingWith:)`` does.
  ///
  /// - Parameters:
  ///   - text: what to say.
  ///   - replyTo: the message of this conversation that the text answers.
  ///   - members: the accounts of a conversation that may not exist yet, and is then created with the message.
  /// - Returns: the message's ID, which never changes.
  /// - Throws: as ``ChatClient/send(_:in:replyTo:creatingWith:)``. Nothing is changed then.
  @discardableResult
  public func send(
    _ text: String, replyTo: MessageID? = nil, creatingWith members: [UserID]? = nil
  ) throws(ChatError) -> MessageID {
    try send(MessageContent(text, replyTo: replyTo), creatingWith: members)
  }

  /// Sends a text with its formatting, metadata, references to images and videos, or the request that it answers. With
  /// references, the text may be empty.
  ///
  /// ```swift
  /// try chat.send(MessageContent("The harbour", images: ["https://example.org/harbour.jpg"]))
  /// ```
  ///
  /// - Throws: as ``send(_:replyTo:creatingWith:)``, and code `metadataTooLarge` or `referencesTooLarge`. Nothing is
  ///   changed then.
  @discardableResult
  public func send(
    _ content: MessageContent, creatingWith members: [UserID]? = nil
  ) throws(ChatError) -> MessageID {
    try client.sender.send(content, in: key, creatingWith: members)
  }

  /// Sends a text once, under an ID that the caller has made. A bot that may repeat its work after a crash uses it.
  /// When the message is already here, sent from here or received from the server, nothing changes.
  ///
  /// ```swift
  /// for question in questions {
  ///   try chat.sendOnce(answer(question), id: MessageID(rawValue: "answer-\(question.id)"))
  /// }
  /// ```
  ///
  /// One transaction, which costs a sync when the message is new. A stored message survives any crash, and the server
  /// accepts an ID once: even a device that has lost its store sends no second copy. A message that was cancelled is
  /// gone, and its ID is free again.
  ///
  /// - Parameter text: what to say.
  /// - Parameter message: an ID that nobody else makes, in 1 to 255 bytes. It belongs to the text from then on.
  /// - Returns: whether the message is new.
  /// - Throws: as ``send(_:replyTo:creatingWith:)``; also code `malformedID` when the ID is that of somebody else's
  ///   message, or of a message in another conversation.
  @discardableResult
  public func sendOnce(_ text: String, id message: MessageID) throws(ChatError) -> Bool {
    try sendOnce(MessageContent(text), id: message)
  }

  /// Sends a text once, with the other fields of its content: see ``sendOnce(_:id:)-(String,_)`` and
  /// ``send(_:creatingWith:)``.
  @discardableResult
  public func sendOnce(_ content: MessageContent, id message: MessageID) throws(ChatError) -> Bool {
    try client.sender.sendOnce(content, in: key, id: message)
  }

  /// A composer of the conversation, for an app without view models: ``ComposerModel`` in plain form. Its text is
  /// sent by ``sendDraft()``. Keep it for as long as it is on the screen. Costs no disk access.
  ///
  /// ```swift
  /// let composer = chat.composer()
  /// field.text = try composer.content().text
  /// composer.edit(field.text)                     // each keystroke
  /// try chat.sendDraft()
  /// ```
  public func composer() -> DraftComposer { client.sender.composer(in: id) }

  /// Sends the content of the conversation's composer. Text and attachments move from the draft to the outbox in one
  /// transaction, so that they are in exactly one of them at any moment (rule D7). Attachments need no text.
  ///
  /// - Throws: as ``send(_:replyTo:creatingWith:)``, and code `attachmentsUnsupported`, `attachmentTooLarge` or
  ///   `tooManyAttachments` for what this transport does not carry. All of it is then still in the composer.
  @discardableResult
  public func sendDraft() throws(ChatError) -> MessageID { try client.sender.sendDraft(in: key) }

  /// Adds a file to the conversation's composer. The file is copied into the store, so that the original may change or
  /// go. When the call returns, copy and draft are on disk (rule D16). The same file under the same name is added once.
  ///
  /// ```swift
  /// let picture = try chat.attach(url)
  /// try chat.sendDraft()
  /// ```
  ///
  /// The call reads and writes the whole file, in pieces of 256 KB, on the caller's thread. That thread should not be
  /// the main one for a large file, which is why ``ComposerModel/attach(_:name:mediaType:)-(URL,_,_)`` is asynchronous.
  /// A crash leaves the draft as it was, and a copy that the next launch removes.
  ///
  /// - Parameters:
  ///   - file: on Apple's systems, the app must already have asked for access to a file that the user picked.
  ///   - name: the file's name for others; without a folder, and cut to 255 bytes. Nil: the name of the file.
  ///   - mediaType: such as `image/png`. Nil: guessed from the name.
  /// - Throws: ``ChatError`` with code `attachmentUnreadable`, `attachmentTooLarge`, `tooManyAttachments`,
  ///   `malformedMediaType`, `attachmentsUnsupported`, `unknownConversation`, or a storage code. The
  ///   draft is then unchanged.
  @discardableResult
  public func attach(
    _ file: URL, name: String? = nil, mediaType: String? = nil
  ) throws(ChatError) -> ChatAttachment {
    try client.sender.attach(AttachmentSource(file, name: name), mediaType: mediaType, to: key)
  }

  /// Adds bytes to the conversation's composer, as a file with this name.
  ///
  /// - Throws: as ``attach(_:name:mediaType:)-(URL,_,_)``.
  @discardableResult
  public func attach(
    _ data: Data, name: String, mediaType: String? = nil
  ) throws(ChatError) -> ChatAttachment {
    try client.sender.attach(AttachmentSource(data, name: name), mediaType: mediaType, to: key)
  }

  /// Removes a file from the conversation's composer. Does nothing when the composer does not have it. When the call
  /// returns, the file is erased from the store, unless something else refers to it.
  ///
  /// - Throws: ``ChatError`` with a storage code. The draft is then unchanged.
  public func removeAttachment(_ attachment: ChatAttachment.ID) throws(ChatError) {
    try client.drafts.detach(DraftKey(conversation: key), attachment)
  }
}
