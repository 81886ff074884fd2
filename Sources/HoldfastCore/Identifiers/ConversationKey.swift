/// The inner ID of a conversation, which never changes. The rows of the store and everything in memory refer to a
/// conversation by it. Its present name, a ``ConversationID``, belongs to the app and to the server.
///
/// A key is the first name that the conversation had on this device. `ConversationNames` translates one into the other.
package struct ConversationKey: RawRepresentable, Hashable, Sendable, Codable,
  CustomStringConvertible, ExpressibleByStringLiteral
{
  package let rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }
  package init(stringLiteral value: String) { rawValue = value }
  package var description: String { rawValue }
}

extension ConversationKey {
  /// Compares the bytes.
  package static func == (left: Self, right: Self) -> Bool {
    left.rawValue.hasSameBytes(as: right.rawValue)
  }
  /// Compares the bytes. The standard library's `!=` for types with a raw value would compare the texts.
  package static func != (left: Self, right: Self) -> Bool {
    !left.rawValue.hasSameBytes(as: right.rawValue)
  }
  /// Hashes the bytes, as `==` compares them.
  package func hash(into hasher: inout Hasher) { rawValue.hashBytes(into: &hasher) }

  package var isWellFormed: Bool { MessageID.isWellFormed(rawValue) }
}
