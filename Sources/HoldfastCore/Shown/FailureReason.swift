/// The reason why a message stopped (rules O7, O8). It is stored with the outbox row and shown to the user.
public struct FailureReason: Sendable, Codable, Hashable {
  /// A code that can be compared. Codes are added over time, so a `switch` needs a `default`.
  public struct Code: RawRepresentable, Sendable, Codable, Hashable {
    public let rawValue: String
    /// A code with this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The server refused the message permanently.
    public static let rejected = Code(rawValue: "rejected")
    /// The text is longer than the server accepts.
    public static let tooLong = Code(rawValue: "tooLong")
    /// Every attempt failed.
    public static let attemptsSpent = Code(rawValue: "attemptsSpent")
    /// The process ended too often while this message was in flight.
    public static let interruptedTooOften = Code(rawValue: "interruptedTooOften")
    /// The conversation no longer exists, or this account was removed from it.
    public static let conversationRefused = Code(rawValue: "conversationRefused")
    /// It is unknown whether the message was delivered. The user decides whether it is sent again.
    public static let outcomeUnknown = Code(rawValue: "outcomeUnknown")
    /// The server does not accept one of the attachments.
    public static let attachmentRefused = Code(rawValue: "attachmentRefused")
    /// The file of one of the attachments is no longer on this device, or has changed.
    public static let attachmentDamaged = Code(rawValue: "attachmentDamaged")
    /// The reply ended before it was finished, for a reason that the app gave, or before its first word.
    public static let replyFailed = Code(rawValue: "replyFailed")
    /// Older messages could not be loaded: ``ConversationSnapshot/older``.
    public static let historyFailed = Code(rawValue: "historyFailed")
    /// The server could not be searched: ``SearchSnapshot/server``.
    public static let searchFailed = Code(rawValue: "searchFailed")
  }

  /// The kind of failure, for code that handles it.
  public let code: Code
  /// One sentence for the user, without contents. When the engine found the failure, it is in English, or the text of
  /// ``ChatConfiguration/texts`` for ``cause``. Otherwise it is the sentence of the server or the app.
  public private(set) var explanation: String
  /// The failure with its numbers, when the engine itself found it. Nil when the server or the app gave the sentence.
  public let cause: ChatConfiguration.ShownText.Failure?

  /// A reason with a code and a sentence for the user.
  public init(_ code: Code, _ explanation: String) {
    self.code = code
    self.explanation = explanation
    cause = ChatConfiguration.ShownText.Failure(code, explanation)
  }

  /// Whether the server may have the message although it failed here. If the server has it, a message that was
  /// deleted or taken back returns as a delivered one with the next messages from the server, and an edited
  /// text becomes a second message. Warn the user before you offer these.
  public var mayHaveArrived: Bool { code == .outcomeUnknown || code == .interruptedTooOften }
}

extension FailureReason: Localizable {
  package mutating func localize(with texts: (ChatConfiguration.ShownText) -> String) {
    if let cause { explanation = texts(.failure(cause)) }
  }
}
