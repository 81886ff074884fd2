import Foundation
import HoldfastCore
import HoldfastTransport

/// The frames that carry attachments, over the same connection as the messages.
extension Wire {
  /// The most bytes of an attachment in one frame. Base64 adds a third.
  package static let maximumChunkBytes = 48 * 1024

  package struct AttachmentItem: Codable, Hashable, Sendable {
    /// SHA-256 in lowercase hexadecimal.
    package var checksum: String
    package var name: String
    package var mediaType: String
    package var bytes: Int64
    package init(checksum: String, name: String, mediaType: String, bytes: Int64) {
      self.checksum = checksum
      self.name = name
      self.mediaType = mediaType
      self.bytes = bytes
    }
  }

  /// A piece of a file of `total` bytes. Without `data` it asks for the number of bytes that the server has.
  package struct Upload: Codable, Hashable, Sendable {
    package var checksum: String
    package var total: Int64
    package var offset: Int64
    package var data: Data?
    package init(checksum: String, total: Int64, offset: Int64 = 0, data: Data? = nil) {
      self.checksum = checksum
      self.total = total
      self.offset = offset
      self.data = data
    }
  }

  /// The number of bytes that the server has, without a gap. It equals the file's size only once the file is
  /// complete, verified and on disk.
  package struct Uploaded: Codable, Hashable, Sendable {
    package var checksum: String
    package var bytes: Int64
    package init(checksum: String, bytes: Int64) {
      self.checksum = checksum
      self.bytes = bytes
    }
  }

  package struct Fetch: Codable, Hashable, Sendable {
    package var checksum: String
    package var offset: Int64
    package init(checksum: String, offset: Int64) {
      self.checksum = checksum
      self.offset = offset
    }
  }

  /// The bytes from `offset` on, of a file of `total` bytes.
  package struct Bytes: Codable, Hashable, Sendable {
    package var checksum: String
    package var offset: Int64
    package var total: Int64
    package var data: Data
    package init(checksum: String, offset: Int64, total: Int64, data: Data) {
      self.checksum = checksum
      self.offset = offset
      self.total = total
      self.data = data
    }
  }

  package struct TransferRefused: Codable, Hashable, Sendable {
    package enum Code: String, Codable, Hashable, Sendable {
      /// The server asks the client to wait and retry.
      case busy
      /// The received bytes have another checksum, and were dropped. The client starts over.
      case wrongChecksum
      case tooLarge
      /// The attachment does not exist, or this account may not have it.
      case unknown
      /// The frame contradicts itself or an earlier frame.
      case malformed
    }
    package var checksum: String
    package var code: Code
    package var explanation: String
    package var retryAfter: Int64?
    package init(checksum: String, code: Code, explanation: String, retryAfter: Int64? = nil) {
      self.checksum = checksum
      self.code = code
      self.explanation = explanation
      self.retryAfter = retryAfter
    }
  }
}

extension Wire.AttachmentItem {
  package init(_ attachment: ChatAttachment) {
    self.init(
      checksum: attachment.checksum.rawValue, name: attachment.name, mediaType: attachment.mediaType,
      bytes: attachment.byteCount)
  }
}

extension ChatAttachment {
  /// Nil when the item is invalid.
  package init?(_ item: Wire.AttachmentItem) {
    let attachment = ChatAttachment(
      checksum: ChatAttachment.Checksum(rawValue: item.checksum), name: item.name, mediaType: item.mediaType,
      byteCount: item.bytes)
    guard let sanitized = attachment.sanitized else { return nil }
    self = sanitized
  }
}

extension ChatAttachment.Refusal {
  /// Uses the server's own explanation for a final refusal.
  package init(_ refused: Wire.TransferRefused) {
    switch refused.code {
    case .busy: self = .notNow(after: .wire(retryAfter: refused.retryAfter))
    case .wrongChecksum: self = .damaged
    case .tooLarge, .unknown, .malformed:
      let explanation = String(refused.explanation.prefix(300))
      self = .rejected(explanation.isEmpty ? "The server did not accept an attachment." : explanation)
    }
  }
}
