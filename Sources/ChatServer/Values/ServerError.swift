import Foundation

/// The reason why a ``ChatServer`` could not open, take an account or take a connection. It never contains a token.
public struct ServerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A code that can be compared. Codes are added over time, so a `switch` needs a `default`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// No account has this token.
    public static let unauthorized = Code(rawValue: "unauthorized")
    /// The account's ID is empty, longer than 255 bytes or has control characters; or the token is empty.
    public static let invalidAccount = Code(rawValue: "invalidAccount")
    /// Another account has this token already.
    public static let tokenTaken = Code(rawValue: "tokenTaken")
    /// Another server is running on the folder, in this process or in another one. The folder is left
    /// unchanged.
    public static let folderInUse = Code(rawValue: "folderInUse")
    /// The folder's database was written by a newer server, or belongs to another application. It is left
    /// unchanged.
    public static let storageForeign = Code(rawValue: "storageForeign")
    /// The database could not be read or written. The message has SQLite's code.
    public static let storageFailed = Code(rawValue: "storageFailed")
    /// The server was stopped.
    public static let stopped = Code(rawValue: "stopped")
  }

  public let code: Code
  /// One English sentence that says what happened and what to do.
  public let message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { "\(code): \(message)" }

  static let invalidAccount = ServerError(
    .invalidAccount,
    "An account's ID has 1 to 255 bytes without control characters, and its token is not empty.")

  static let stopped = ServerError(.stopped, "The server was stopped. Open a new one on the same folder.")
}

extension ServerError: LocalizedError {
  /// The sentence for the operator: ``message``.
  public var errorDescription: String? { message }
}
