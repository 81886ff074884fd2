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
