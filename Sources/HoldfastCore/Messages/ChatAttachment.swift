import Foundation

extension ChatAttachment {
  /// The SHA-256 of a file's bytes, as 64 lowercase hexadecimal digits (FIPS 180-4). The same file has the same
  /// checksum on every device.
  public struct Checksum: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible,
    ExpressibleByStringLiteral
  {
    public let rawValue: String
    /// A checksum with these digits. They are not checked here.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A checksum from a literal. Its digits are not checked here.
    public init(stringLiteral value: String) { rawValue = value }
    public var description: String { rawValue }

    /// Whether the checksum has 64 lowercase hexadecimal digits. A checksum names a file, so one that comes from
    /// outside is used only if it is well formed.
    package var isWellFormed: Bool {
      rawValue.utf8.count == 64
        && rawValue.utf8.allSatisfy {
          (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
    }
  }
}

/// A file that belongs to a draft or to a message (rule D1).
///
/// ```swift
/// let picture = try chat.attach(url)     // copied and on disk
/// try chat.sendDraft()
/// ```
public struct ChatAttachment: Sendable, Codable, Hashable, Identifiable {
  /// The checksum of the file's bytes, which names the file in the store.
  public var checksum: ChatAttachment.Checksum
  /// The file's name for showing and for saving, without a folder. At most 255 bytes.
  public var name: String
  /// The media type, such as `image/png`, in lower case and without parameters (RFC 6838, section 4.2).
  public var mediaType: String
  /// The file's size in bytes.
  public var byteCount: Int64

  /// An attachment with these values. The initializer stores no file.
  public init(checksum: ChatAttachment.Checksum, name: String, mediaType: String, byteCount: Int64) {
    self.checksum = checksum
    self.name = name
    self.mediaType = mediaType
    self.byteCount = byteCount
  }

  /// The checksum and the name. One file under two names is two attachments; the same file twice under one name
  /// is one attachment.
  public var id: String { checksum.rawValue + "/" + name }

  /// The most attachments that are kept of a message from the server.
  package static let mostReceived = 200

  /// The attachment with a safe name and media type. Nil when its checksum or its size makes no sense. An
  /// attachment from the server is checked in this way before it names a file or is shown.
  package var sanitized: ChatAttachment? {
    guard checksum.isWellFormed, byteCount >= 0 else { return nil }
    var attachment = self
    attachment.name = AttachmentName.sanitized(name)
    attachment.mediaType = MediaType.normalized(mediaType) ?? MediaType.unknown
    return attachment
  }
}
