import Foundation

// IDs are compared byte by byte, as SQLite and servers compare them. Swift's own `==` takes two strings for one that
// differ in Unicode normalisation only: two conversations would share a lane, and two accounts a queue.

/// The ID of a message: made on the device before the first write, and the same on every attempt,
/// on the server and on every reader's device (SPEC: "nothing twice").
///
/// ```swift
/// let id = try client.send("Hello", in: conversation)
/// ```
public struct MessageID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public init(stringLiteral value: String) { rawValue = value }
  public var description: String { rawValue }

  public static func == (left: MessageID, right: MessageID) -> Bool {
    left.rawValue.hasSameBytes(as: right.rawValue)
  }
  public func hash(into hasher: inout Hasher) { rawValue.hashBytes(into: &hasher) }
}

/// The ID of a conversation. Any non-empty string of at most 255 UTF-8 bytes; two devices that use the
/// same string mean the same conversation.
public struct ConversationID: RawRepresentable, Hashable, Sendable, Codable,
  CustomStringConvertible, ExpressibleByStringLiteral
{
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public init(stringLiteral value: String) { rawValue = value }
  public var description: String { rawValue }

  public static func == (left: ConversationID, right: ConversationID) -> Bool {
    left.rawValue.hasSameBytes(as: right.rawValue)
  }
  public func hash(into hasher: inout Hasher) { rawValue.hashBytes(into: &hasher) }
}

/// The ID of an account on a server: the author of a message, or a member of a conversation.
public struct UserID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public init(stringLiteral value: String) { rawValue = value }
  public var description: String { rawValue }

  public static func == (left: UserID, right: UserID) -> Bool {
    left.rawValue.hasSameBytes(as: right.rawValue)
  }
  public func hash(into hasher: inout Hasher) { rawValue.hashBytes(into: &hasher) }
}

extension MessageID {
  /// Longer IDs are refused wherever they enter: from an app, a file or a server.
  package static let maximumBytes = 255

  package var isWellFormed: Bool { Self.isWellFormed(rawValue) }

  package static func isWellFormed(_ raw: String) -> Bool {
    !raw.isEmpty && raw.utf8.count <= maximumBytes
      && raw.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }
}

extension ConversationID {
  package var isWellFormed: Bool { MessageID.isWellFormed(rawValue) }
}

extension UserID {
  package var isWellFormed: Bool { MessageID.isWellFormed(rawValue) }
}

extension String {
  fileprivate func hashBytes(into hasher: inout Hasher) {
    var text = self
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    // No byte of UTF-8: it ends the ID, so that two IDs in a row hash as two.
    hasher.combine(UInt8.max)
  }
}
