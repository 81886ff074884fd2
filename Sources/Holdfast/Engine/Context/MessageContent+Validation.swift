import Foundation
import HoldfastCore

extension MessageContent {
  /// Throws when metadata or references are larger than a message may have.
  func requireAdditionsFit() throws(ChatError) {
    if let bytes = metadata?.count, bytes > Self.maximumMetadataBytes {
      throw ChatError(
        .metadataTooLarge,
        "The metadata has \(bytes) bytes, \(Self.maximumMetadataBytes) are allowed. Store it elsewhere, and refer to it."
      )
    }
    guard hasValidReferences else {
      throw ChatError(
        .referencesTooLarge,
        """
        A message has up to \(Self.maximumReferences) images and as many videos, each a reference of 1 to \
        \(Self.maximumReferenceBytes) bytes. Attach larger data as a file.
        """)
    }
  }
}
