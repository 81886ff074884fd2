/// The role of a message's author, as the usual chat formats name it. Between people every message is `user`.
public enum MessageRole: String, Sendable, Codable, Hashable, CaseIterable {
  /// A person. Between people every message has this role.
  case user
  /// An assistant, usually a language model.
  case assistant
  /// Instructions for a model.
  case system
  /// The result of a tool that a model has called.
  case tool
}

/// The delivery state of a message, derived from the store when it is read. No column stores it, so that a
/// crash cannot make it wrong (SPEC O1).
public enum Delivery: Sendable, Codable, Hashable {
  /// The message is on its way, or about to be: the connection is up, and the server's receipt is awaited.
  case sending
  /// The message is stored and waits: for the connection, for another message, or for its next attempt.
  case queued
  /// The message has been queued for so long that its user is asked before it is sent (SPEC O16).
  case held
  /// The server has confirmed the message. Messages of other users are always delivered.
  case delivered
  /// The message stopped for a reason. It is kept with its text until the user decides (SPEC O8).
  case failed(FailureReason)
}

/// The state of a message's text: complete, still arriving, or cut off (SPEC H3).
public enum Completeness: String, Sendable, Codable, Hashable {
  /// The whole text is here.
  case complete
  /// Tokens are arriving in this process.
  case streaming
  /// Tokens stopped before the end. The text that had arrived is stored.
  case interrupted
}
