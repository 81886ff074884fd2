import Foundation

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
}

/// The ID of an account on a server: the author of a message, or a member of a conversation.
public struct UserID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public init(stringLiteral value: String) { rawValue = value }
  public var description: String { rawValue }
}

/// The ID of a request to a backend that answers later, as a model does: made by the app, and the one under which the
/// backend is asked for the outcome.
public struct RequestID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public init(stringLiteral value: String) { rawValue = value }
  public var description: String { rawValue }
}

// Two IDs are the same when their bytes are, as in the database and on the wire. `==` of texts holds those to be one that
// only look the same (é in one scalar or in two, K and the sign for kelvin): two rows would be one key here.

extension MessageID {
  public static func == (left: Self, right: Self) -> Bool { left.rawValue.hasSameBytes(as: right.rawValue) }
  /// The standard library's own, for a type with a raw value, would ask the texts.
  public static func != (left: Self, right: Self) -> Bool { !left.rawValue.hasSameBytes(as: right.rawValue) }
  /// By the bytes, as `==` does.
  public func hash(into hasher: inout Hasher) { rawValue.hashBytes(into: &hasher) }
}

extension ConversationID {
  public static func == (left: Self, right: Self) -> Bool { left.rawValue.hasSameBytes(as: right.rawValue) }
  /// The standard library's own, for a type with a raw value, would ask the texts.
  public static func != (left: Self, right: Self) -> Bool { !left.rawValue.hasSameBytes(as: right.rawValue) }
  /// By the bytes, as `==` does.
  public func hash(into hasher: inout Hasher) { rawValue.hashBytes(into: &hasher) }
}

extension UserID {
  public static func == (left: Self, right: Self) -> Bool { left.rawValue.hasSameBytes(as: right.rawValue) }
  /// The standard library's own, for a type with a raw value, would ask the texts.
  public static func != (left: Self, right: Self) -> Bool { !left.rawValue.hasSameBytes(as: right.rawValue) }
  /// By the bytes, as `==` does.
  public func hash(into hasher: inout Hasher) { rawValue.hashBytes(into: &hasher) }
}

extension RequestID {
  public static func == (left: Self, right: Self) -> Bool { left.rawValue.hasSameBytes(as: right.rawValue) }
  /// The standard library's own, for a type with a raw value, would ask the texts.
  public static func != (left: Self, right: Self) -> Bool { !left.rawValue.hasSameBytes(as: right.rawValue) }
  /// By the bytes, as `==` does.
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
