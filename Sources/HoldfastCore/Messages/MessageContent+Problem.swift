extension MessageContent {
  /// A reason why a content cannot be sent, stored or accepted. Sender, server and imports check for the same ones.
  package enum Problem: Equatable, Sendable {
    /// The ID of the answered message, or of the answered request, is malformed.
    case malformedReplyTo, malformedRequest
    case textTooLong(bytes: Int)
    case formattingTooLong(bytes: Int)
    case reasoningTooLong(bytes: Int)
    case metadataTooLarge(bytes: Int)
    /// There are too many images or videos, or one of the references is empty or too long.
    case referencesTooLarge
  }

  /// The content's first problem. Nil when it can be sent.
  ///
  /// - Parameter limit: the largest size of the text, of its formatting and of the reasoning, in bytes of UTF-8, each
  ///   by itself. Nil for no limit. Metadata and references have limits of their own.
  package func problem(atMost limit: Int? = nil) -> Problem? {
    if replyTo?.isWellFormed == false { return .malformedReplyTo }
    if request?.isWellFormed == false { return .malformedRequest }
    if let limit {
      let sizes = (text.utf8.count, formatting?.count ?? 0, reasoning?.utf8.count ?? 0)
      if sizes.0 > limit { return .textTooLong(bytes: sizes.0) }
      // Mentions and spans are sent with the text, and have the text's limit.
      if sizes.1 > limit { return .formattingTooLong(bytes: sizes.1) }
      if sizes.2 > limit { return .reasoningTooLong(bytes: sizes.2) }
    }
    if let bytes = metadata?.count, bytes > Self.maximumMetadataBytes {
      return .metadataTooLarge(bytes: bytes)
    }
    let areValid = [images, videos].allSatisfy { references in
      references.count <= Self.maximumReferences && references.allSatisfy(Self.isValidReference)
    }
    return areValid ? nil : .referencesTooLarge
  }

  /// The content as the store keeps it. See `String.storable`. Metadata and references that are too large, and a
  /// malformed request ID, are left out. Only a server that does not check them sends such a message, and its text is
  /// worth more.
  package var storable: MessageContent {
    var content = self
    if request?.isWellFormed == false { content.request = nil }
    content.text = text.storable
    content.reasoning = reasoning?.storable
    if (metadata?.count ?? 0) > Self.maximumMetadataBytes { content.metadata = nil }
    content.images = Self.fitting(images)
    content.videos = Self.fitting(videos)
    return content
  }

  private static func fitting(_ references: [String]) -> [String] {
    Array(references.lazy.map(\.storable).filter(isValidReference).prefix(maximumReferences))
  }

  private static func isValidReference(_ reference: String) -> Bool {
    !reference.isEmpty && reference.utf8.count <= maximumReferenceBytes
  }
}
