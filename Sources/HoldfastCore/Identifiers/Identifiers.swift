import Foundation

/// The ID of a message. It is made on the device before the first write, and stays the same on every attempt,
/// on the server and on every reader's device ("nothing twice").
///
/// ```swift
/// let id = try client.send("Hello", in: conversation)
/// ```
public struct MessageID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  public let rawValue: String
  /// An ID of this text. A call that takes the ID checks it.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// An ID from a literal. A call that takes the ID checks it.
  public init(stringLiteral value: String) { rawValue = value }
  public var description: String { rawValue }
}

/// The ID of a conversation: any non-empty string of at most 255 UTF-8 bytes without control characters. Two
/// devices that use the same string mean the same conversation.
public struct ConversationID: RawRepresentable, Hashable, Sendable, Codable,
  CustomStringConvertible, ExpressibleByStringLiteral
{
  public let rawValue: String
  /// An ID of this text. A call that takes the ID checks it.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// An ID from a literal. A call that takes the ID checks it.
  public init(stringLiteral value: String) { rawValue = value }
  public var description: String { rawValue }
}

/// The ID of an account on a server. The account is the author of a message or a member of a conversation.
public struct UserID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  public let rawValue: String
  /// An ID of this text. A call that takes the ID checks it.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// An ID from a literal. A call that takes the ID checks it.
  public init(stringLiteral value: String) { rawValue = value }
  public var description: String { rawValue }
}

/// The ID of a request that the server answers later, as a model does. The app makes it, and the engine asks
/// the server for the outcome under this ID.
public struct RequestID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  public let rawValue: String
  /// An ID of this text. A call that takes the ID checks it.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// An ID from a literal. A call that takes the ID checks it.
  public init(stringLiteral value: String) { rawValue = value }
  public var description: String { rawValue }
}

// Two IDs are equal when their bytes are, as in the database and on the wire. `==` of texts also holds for texts that
// only look the same (é in one scalar or in two, K and the kelvin sign), so that two rows would be one key here.

extension MessageID {
  /// Compares the bytes.
  public static func == (left: Self, right: Self) -> Bool { left.rawValue.hasSameBytes(as: right.rawValue) }
  /// Compares the bytes. The standard library's `!=` for types with a raw value would compare the texts.
  public static func != (left: Self, right: Self) -> Bool { !left.rawValue.hasSameBytes(as: right.rawValue) }
  /// Hashes the bytes, as `==` compares them.
  public func hash(into hasher: inout Hasher) { rawValue.hashBytes(into: &hasher) }
}

extension ConversationID {
  /// Compares the bytes.
  public static func == (left: Self, right: Self) -> Bool { left.rawValue.hasSameBytes(as: right.rawValue) }
  /// Compares the bytes. The standard library's `!=` for types with a raw value would compare the texts.
  public static func != (left: Self, right: Self) -> Bool { !left.rawValue.hasSameBytes(as: right.rawValue) }
  /// Hashes the bytes, as `==` compares them.
  public func hash(into hasher: inout Hasher) { rawValue.hashBytes(into: &hasher) }
}

extension UserID {
  /// Compares the bytes.
  public static func == (left: Self, right: Self) -> Bool { left.rawValue.hasSameBytes(as: right.rawValue) }
  /// Compares the bytes. The standard library's `!=` for types with a raw value would compare the texts.
  public static func != (left: Self, right: Self) -> Bool { !left.rawValue.hasSameBytes(as: right.rawValue) }
  /// Hashes the bytes, as `==` compares them.
  public func hash(into hasher: inout Hasher) { rawValue.hashBytes(into: &hasher) }
}

extension RequestID {
  /// Compares the bytes.
  public static func == (left: Self, right: Self) -> Bool { left.rawValue.hasSameBytes(as: right.rawValue) }
  /// Compares the bytes. The standard library's `!=` for types with a raw value would compare the texts.
  public static func != (left: Self, right: Self) -> Bool { !left.rawValue.hasSameBytes(as: right.rawValue) }
  /// Hashes the bytes, as `==` compares them.
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

extension RequestID {
  package var isWellFormed: Bool { MessageID.isWellFormed(rawValue) }
}
