import Foundation
import HoldfastCore

extension MessageContent {
  /// Throws the content's first problem as an error.
  ///
  /// - Parameter limit: the largest size of the text, of its formatting and of the reasoning. Nil for no limit.
  func require(atMost limit: Int? = nil) throws(ChatError) {
    guard let problem = problem(atMost: limit) else { return }
    let limit = limit ?? 0
    throw switch problem {
    case .malformedReplyTo, .malformedRequest: ChatError.malformedID
    case .textTooLong(let bytes):
      ChatError(.messageTooLong, "The message has \(bytes) bytes, \(limit) are allowed. Shorten it.")
    case .formattingTooLong(let bytes):
      ChatError(
        .messageTooLong,
        "The formatting has \(bytes) bytes, \(limit) are allowed. Shorten the text, or send it plain.")
    case .reasoningTooLong(let bytes):
      ChatError(
        .messageTooLong,
        "The reasoning has \(bytes) bytes, \(limit) are allowed. Shorten it, or leave it out.")
    case .metadataTooLarge(let bytes):
      ChatError(
        .metadataTooLarge,
        "The metadata has \(bytes) bytes, \(Self.maximumMetadataBytes) are allowed. Store it elsewhere, and refer to it."
      )
    case .referencesTooLarge:
      ChatError(
        .referencesTooLarge,
        """
        A message has up to \(Self.maximumReferences) images and as many videos, each a reference of 1 to \
        \(Self.maximumReferenceBytes) bytes. Attach larger data as a file.
        """)
    }
  }
}
