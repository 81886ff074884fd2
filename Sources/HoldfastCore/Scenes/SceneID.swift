import Foundation

/// The ID of one window of the app, the same at each launch: on iOS the session's `persistentIdentifier`, with
/// SwiftUI a value kept in `@SceneStorage`. Any string of 1 to 255 UTF-8 bytes without control characters.
public struct SceneID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  public let rawValue: String
  /// An ID of this text. A call that takes the ID checks it.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// An ID from a literal. A call that takes the ID checks it.
  public init(stringLiteral value: String) { rawValue = value }
  public var description: String { rawValue }

  /// Compares the bytes.
  public static func == (left: Self, right: Self) -> Bool { left.rawValue.hasSameBytes(as: right.rawValue) }
  /// Compares the bytes. The standard library's `!=` for types with a raw value would compare the texts.
  public static func != (left: Self, right: Self) -> Bool { !left.rawValue.hasSameBytes(as: right.rawValue) }
  /// Hashes the bytes, as `==` compares them.
  public func hash(into hasher: inout Hasher) { rawValue.hashBytes(into: &hasher) }

  package var isWellFormed: Bool { MessageID.isWellFormed(rawValue) }
}
