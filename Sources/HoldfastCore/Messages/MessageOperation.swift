/// An operation on an existing message: an edit, a deletion or a reaction (rule O14).
///
/// An operation is sent as a message is: it has an ID of its own from the tap to the server, waits in the same
/// outbox, and is never sent before its message.
public struct MessageOperation: Sendable, Codable, Hashable {
  /// The kind of operation.
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

  /// The kind of operation.
  public var kind: Kind
  /// The message that the operation changes.
  public var target: MessageID
  /// Whether an edit replaces reasoning, metadata, images and videos together with the text, as an answer does that was
  /// regenerated. False: an edit replaces the text with its formatting, and keeps the rest.
  public var isWhole: Bool

  /// An operation of this kind on the message `target`.
  public init(_ kind: Kind, of target: MessageID, isWhole: Bool = false) {
    self.kind = kind
    self.target = target
    self.isWhole = isWhole
  }
}
