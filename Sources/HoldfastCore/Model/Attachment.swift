import Foundation

/// The SHA-256 of a file's bytes, as 64 lowercase hexadecimal digits (FIPS 180-4): the same file has the same one on
/// every device.
public struct AttachmentChecksum: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public init(stringLiteral value: String) { rawValue = value }
  public var description: String { rawValue }

  /// It names a file, so nothing else passes where it comes from outside.
  package var isWellFormed: Bool {
    rawValue.utf8.count == 64
      && rawValue.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }
}

/// A file that belongs to a draft or to a message (SPEC D1).
///
/// ```swift
/// let picture = try client.attach(url, in: conversation)     // copied and on disk
/// try client.sendDraft(in: conversation)
/// ```
public struct Attachment: Sendable, Codable, Hashable, Identifiable {
  public var checksum: AttachmentChecksum
  /// What it is called, without a folder: at most 255 bytes, for showing and for saving under.
  public var name: String
  /// As `image/png` (RFC 6838, section 4.2), without parameters and in lower case.
  public var mediaType: String
  public var byteCount: Int64

  public init(checksum: AttachmentChecksum, name: String, mediaType: String, byteCount: Int64) {
    self.checksum = checksum
    self.name = name
    self.mediaType = mediaType
    self.byteCount = byteCount
  }

  /// One file under two names is two attachments; twice under the same name, it is one.
  public var id: String { checksum.rawValue + "/" + name }

  /// A message that comes from a backend has no more of them here.
  package static let mostReceived = 200

  /// What comes from a backend is checked before it names a file or is shown. Nil when it makes no sense.
  package var sanitized: Attachment? {
    guard checksum.isWellFormed, byteCount >= 0 else { return nil }
    var attachment = self
    attachment.name = AttachmentName.sanitized(name)
    attachment.mediaType = MediaType.normalized(mediaType) ?? MediaType.unknown
    return attachment
  }
}

/// How much may be attached, and what is fetched without being asked for.
public struct AttachmentLimits: Sendable, Hashable {
  /// The largest file, in bytes. What the transport takes may be less.
  public var maximumBytes: Int64
  /// The most attachments of one draft.
  public var perDraft: Int
  /// Attachments of incoming messages up to this size are fetched by themselves; larger ones with
  /// ``ChatClient/download(_:)``.
  public var fetchedUnasked: Int64

  public init(
    maximumBytes: Int64 = 100_000_000, perDraft: Int = 20, fetchedUnasked: Int64 = 10_000_000
  ) {
    self.maximumBytes = maximumBytes
    self.perDraft = perDraft
    self.fetchedUnasked = fetchedUnasked
  }
}
