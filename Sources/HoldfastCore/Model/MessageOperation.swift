/// What is done to a message that is there already: an edit, its deletion, a reaction (SPEC O14). On its way it is
/// like a message: it has an ID of its own from the tap to the server, waits in the same queue, and never leaves
/// before the message that it is about.
public struct MessageOperation: Sendable, Codable, Hashable {
  /// What is done.
  public enum Kind: String, Sendable, Codable, Hashable, CaseIterable {
    /// The sender gives the message another text.
    case edit
    /// The sender deletes the message, for everybody.
    case delete
    /// A member adds a reaction.
    case react
    /// A member takes back a reaction of their own.
    case unreact
  }

  public var kind: Kind
  /// The message that it is about.
  public var target: MessageID

  public init(_ kind: Kind, of target: MessageID) {
    self.kind = kind
    self.target = target
  }
}

/// One reaction to a message, by whom.
public struct SentReaction: Sendable, Codable, Hashable {
  public var sender: UserID
  /// Mostly an emoji: 1 to 64 bytes without control characters.
  public var value: String

  public init(_ value: String, from sender: UserID) {
    self.sender = sender
    self.value = value
  }

  /// The value byte by byte, as the store and the server compare it.
  public static func == (left: SentReaction, right: SentReaction) -> Bool {
    left.sender == right.sender && left.value.hasSameBytes(as: right.value)
  }

  /// Longer ones are refused wherever they enter.
  package static let maximumBytes = 64

  package static func isWellFormed(_ value: String) -> Bool {
    !value.isEmpty && value.utf8.count <= maximumBytes
      && value.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }
}
