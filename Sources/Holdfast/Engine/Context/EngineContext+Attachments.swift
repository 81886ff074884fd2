import HoldfastCore
import HoldfastStore

/// The limits for attachments: those of the app and of the transport.
extension EngineContext {
  /// The largest size of a file that can be sent. Throws when the transport carries no files.
  func requireAttachments(in conversation: ConversationKey, _ reading: Reading) throws -> Int64 {
    guard try !isOnDevice(conversation, reading) else { return configuration.attachments.maximumBytes }
    guard transport.capabilities.carriesAttachments else {
      throw ChatError(.attachmentsUnsupported, "Attachments cannot be sent here. Send a text.")
    }
    return min(
      configuration.attachments.maximumBytes,
      transport.capabilities.maximumAttachmentBytes ?? configuration.attachments.maximumBytes)
  }

  /// Checks files that were picked earlier: the transport may have changed since, and drafts may have been joined.
  func requireCarried(
    _ attachments: [ChatAttachment], in conversation: ConversationKey, _ reading: Reading
  ) throws {
    guard !attachments.isEmpty else { return }
    let maximum = try requireAttachments(in: conversation, reading)
    let maximumCount = configuration.attachments.perDraft
    guard attachments.count <= maximumCount else {
      throw ChatError(
        .tooManyAttachments, "A message has at most \(maximumCount) attachments. Take some out.")
    }
    guard attachments.allSatisfy({ $0.byteCount <= maximum }) else {
      throw ChatError(.attachmentTooLarge, "An attachment is larger than can be sent. Take it out.")
    }
  }

  /// Removes, at launch, the files that an earlier process left.
  func sweepAttachmentFolder() {
    do throws(ChatError) {
      try store.sweepAttachmentFolder()
    } catch {
      logger.notice("attachments not swept", metadata: ["code": "\(error.code)"])
    }
  }
}
