import Foundation
import HoldfastCore

extension MessageContent {
  /// Throws when the metadata is larger than a message may have.
  static func requireMetadataFits(_ metadata: Data?) throws(ChatError) {
    guard let bytes = metadata?.count, bytes > maximumMetadataBytes else { return }
    throw ChatError(
      .metadataTooLarge,
      "The metadata has \(bytes) bytes, \(maximumMetadataBytes) are allowed. Store it elsewhere, and refer to it."
    )
  }
}
