import Foundation

/// Why a model gave no answer, or no whole one. The sentence has neither the prompt nor the answer in it.
///
/// ```swift
/// do {
///   for try await part in completions.answer(ModelPrompt("Hello?")) { print(part) }
/// } catch let error as ModelError where error.code == .unauthorized {
///   print("Ask for another key: \(error.message)")
/// }
/// ```
public struct ModelError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A code that can be compared. Codes are added over time, so a `switch` needs a `default`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: String
    /// A code with this name.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// The server cannot be reached.
    public static let unreachable = Code(rawValue: "unreachable")
    /// The server could not prove who it is.
    public static let untrusted = Code(rawValue: "untrusted")
    /// The server does not accept the key, or wants one.
    public static let unauthorized = Code(rawValue: "unauthorized")
    /// The server does not let this account have this: a model, a region.
    public static let forbidden = Code(rawValue: "forbidden")
    /// The server knows neither the model's name nor its address.
    public static let unknownModel = Code(rawValue: "unknownModel")
    /// The prompt is longer than the model takes.
    public static let promptTooLong = Code(rawValue: "promptTooLong")
    /// The account has no money left, or may not use the model.
    public static let quotaExceeded = Code(rawValue: "quotaExceeded")
    /// The server had too much to do, each time it was asked.
    public static let overloaded = Code(rawValue: "overloaded")
    /// The server refused the request.
    public static let rejected = Code(rawValue: "rejected")
    /// The server failed before a word came, or within the answer.
    public static let serverFailed = Code(rawValue: "serverFailed")
    /// The server said nothing for too long.
    public static let silent = Code(rawValue: "silent")
    /// The answer ended without a word.
    public static let empty = Code(rawValue: "empty")
    /// The answer stopped before its end.
    public static let cutOff = Code(rawValue: "cutOff")
    /// What came is no answer of a model.
    public static let malformed = Code(rawValue: "malformed")
  }

  /// The kind of error, for code that handles it.
  public let code: Code
  /// One English sentence for the user.
  public let message: String
  /// What the server said. It may quote the prompt or the key, so it belongs into no log. Nil when it said nothing.
  public let detail: String?
  /// The number of requests that were made.
  public internal(set) var requests = 0
  /// Whether the same request may succeed a moment later.
  var mayPass: Bool

  /// An error with a code and a sentence.
  public init(_ code: Code, _ message: String, detail: String? = nil) {
    (self.code, self.message, self.detail) = (code, message, detail)
    mayPass = code == .overloaded || code == .serverFailed
  }

  /// Whether the words that came are the beginning of an answer that nobody ended.
  public var isCutOff: Bool { code == .cutOff || code == .silent }

  public var description: String { "\(code): \(message)" }
}

extension ModelError: LocalizedError {
  /// The sentence for the user: ``message``, and what the server said to it, in one line without what looks like a key.
  public var errorDescription: String? { shownDetail.map { "\(message) It says: “\($0)”" } ?? message }
}
