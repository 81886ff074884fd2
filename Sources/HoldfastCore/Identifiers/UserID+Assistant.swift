import Foundation

extension UserID {
  private static let infix = "/assistant/"

  /// The ID of an assistant: a member of its own, whose model the app of an account runs (rule L3). It is
  /// `alice/assistant/claude` for an assistant named `claude` of the account `alice`.
  ///
  /// ```swift
  /// let assistant = UserID.assistant("claude", of: client.user)
  /// let reply = try await chat.beginReply(as: assistant)
  /// ```
  ///
  /// The account is a part of the ID, so that nobody can let an assistant speak for somebody else.
  ///
  /// - Parameter name: 1 to 64 bytes without a slash and without control characters. Another name makes no assistant: a
  ///   reply cannot begin in its name.
  public static func assistant(_ name: String, of account: UserID) -> UserID {
    UserID(rawValue: account.rawValue + infix + name)
  }

  /// The name of the assistant. Nil when the ID is that of an account.
  public var assistantName: String? { parts?.name }

  /// The account whose app runs the assistant's model. The ID itself when it is that of an account.
  public var account: UserID { parts?.account ?? self }

  private var parts: (account: UserID, name: String)? {
    // Most IDs have no slash, and each row asks.
    guard rawValue.utf8.contains(UInt8(ascii: "/")),
      let infix = rawValue.range(of: Self.infix, options: .backwards)
    else { return nil }
    let (account, name) = (String(rawValue[..<infix.lowerBound]), String(rawValue[infix.upperBound...]))
    guard !account.isEmpty, Self.isAssistantName(name) else { return nil }
    return (UserID(rawValue: account), name)
  }

  package static func isAssistantName(_ name: String) -> Bool {
    MessageID.isWellFormed(name) && name.utf8.count <= 64 && !name.utf8.contains(UInt8(ascii: "/"))
  }
}
