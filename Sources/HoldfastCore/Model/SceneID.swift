import Foundation

/// The ID of one window of the app, the same at each launch: on iOS the session's `persistentIdentifier`, with SwiftUI a
/// value kept in `@SceneStorage`. Any string of 1 to 255 UTF-8 bytes without control characters.
public struct SceneID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public init(stringLiteral value: String) { rawValue = value }
  public var description: String { rawValue }

  public static func == (left: Self, right: Self) -> Bool { left.rawValue.hasSameBytes(as: right.rawValue) }
  /// The standard library's own, for a type with a raw value, would ask the texts.
  public static func != (left: Self, right: Self) -> Bool { !left.rawValue.hasSameBytes(as: right.rawValue) }
  /// By the bytes, as `==` does.
  public func hash(into hasher: inout Hasher) { rawValue.hashBytes(into: &hasher) }

  package var isWellFormed: Bool { MessageID.isWellFormed(rawValue) }
}
