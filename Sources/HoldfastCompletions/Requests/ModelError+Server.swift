import Foundation
import HoldfastHTTP

extension ModelError {
  static let cutOff = ModelError(.cutOff, "The answer was cut off.")

  /// The error of an answer that ended without a word.
  package init(empty end: ModelEnd, hasThought: Bool) {
    let sentence =
      switch end.reason {
      case .length where hasThought: "The model reached its limit while it was still thinking."
      case .length: "The conversation leaves no room for an answer."
      case .filter: "The service withheld the answer."
      case .tools: "The model wants to call a tool, and none is offered to it."
      case .pause: "The service paused before the first word."
      case .stop, .refusal, .other:
        hasThought ? "The model thought, and gave no answer." : "The model gave no answer."
      }
    self.init(end.reason == .length && !hasThought ? .promptTooLong : .empty, sentence)
    requests = end.requests
  }

  /// The error of a server that said nothing for so long.
  static func silence(of limit: Duration) -> ModelError {
    ModelError(.silent, "The model said nothing for \(limit.components.seconds) seconds.")
  }

  /// The error that a server's answer is, by its status and its word for the reason.
  init(status: Int, reason: String, detail: String?, model: String) {
    let known = Code(status: status, reason: reason, message: detail ?? "")
    let sentence =
      switch known {
      case .unauthorized: "The model's server does not accept the key."
      case .forbidden: "The model's server does not allow this."
      case .unknownModel: "The server knows no model “\(model)” at this address."
      case .promptTooLong: "The conversation is longer than the model takes."
      case .quotaExceeded: "The account at the model's server has nothing left."
      case .overloaded: "The model's server has too much to do. Try again in a minute."
      case .malformed: "What came is no answer of a model. Check the address."
      case .rejected: "The model's server refused the request (\(reason))."
      default: "The model's server failed (\(reason))."
      }
    self.init(known, sentence, detail: detail)
    // llama.cpp says it with a 500, and will say it each time.
    if detail?.contains("not supported") == true { mayPass = false }
  }

  /// The error of a request that got no answer.
  init(_ failure: HTTPFailure, on url: URL) {
    let host = url.host(percentEncoded: false) ?? ""
    switch failure.kind {
    case .unreachable: self.init(.unreachable, "The model's server at \(host) cannot be reached.")
    case .unknownHost: self.init(.unreachable, "There is no server with the name \(host).")
    case .untrusted: self.init(.untrusted, "The server at \(host) cannot prove that it is \(host).")
    case .overrun: self.init(.malformed, "The model's server sent more than could be read.")
    }
    mayPass = failure.kind == .unreachable
  }
}

extension ModelError.Code {
  fileprivate init(status: Int, reason: String, message: String) {
    let words = "\(reason) \(message)".lowercased()
    self =
      switch (status, reason) {
      case (_, "insufficient_quota"), (402, _): .quotaExceeded
      case _ where Self.isTooLong(status, words): .promptTooLong
      case (_, "model_not_found"), (404, _): .unknownModel
      case (401, _), (_, "authentication_error"), (_, "invalid_api_key"): .unauthorized
      case (403, _): message.isEmpty || Self.isAboutKey(words) ? .unauthorized : .forbidden
      case (429, _), (503, _), (529, _), (_, "overloaded_error"), (_, "rate_limit_exceeded"),
        (_, "rate_limit_error"):
        .overloaded
      case (200, "malformed"), (_, "not an event stream"), (_, "too large"), (_, "tool calls too large"):
        .malformed
      case (500..., _), (408, _), (200, _): .serverFailed
      default: .rejected
      }
  }

  private static func isAboutKey(_ words: String) -> Bool {
    ["key", "token", "credential", "authenticat"].contains { words.contains($0) }
  }

  /// Whether the server says that the prompt is longer than the model takes. There is no common word for it: these are those
  /// of OpenAI, Anthropic, Google, Groq, Mistral, Qwen, OpenRouter, llama.cpp, vLLM, Ollama and LM Studio.
  private static func isTooLong(_ status: Int, _ words: String) -> Bool {
    let isBusy = ["rate limit", "rate_limit", "throttl", "per minute", "quota"].contains {
      words.contains($0)
    }
    guard status != 429, !isBusy else { return false }
    if status == 413 { return !words.contains("image") }
    return [
      "context_length_exceeded", "exceed_context_size", "context window", "context length", "context size",
      "context limit", "model_context_window", "prompt is too long", "prompt too long", "input is too long",
      "too many tokens", "reduce the length of the messages", "too large for model with",
      "range of input length", "request_too_large", "exceeds the maximum number of tokens",
      "longer than the maximum", "input length exceeds",
    ].contains { words.contains($0) }
  }
}

extension ModelError {
  /// The most characters of a server's sentence that are shown.
  private static let mostShown = 300

  /// The part of the prompt that the model takes, as a server's words for a prompt that is too long have it. Nil when they have
  /// no numbers.
  ///
  ///     This model's maximum context length is 4096 tokens. However, you requested 5012 tokens
  ///     prompt is too long: 210000 tokens > 200000 maximum
  package var takenPart: Double? {
    guard code == .promptTooLong, let detail else { return nil }
    let numbers = detail.replacing(",", with: "").matches(of: /\d{3,}/).compactMap { Double($0.output) }
    guard let asked = numbers.max(), let most = numbers.filter({ $0 < asked }).max(), most * 10 > asked else {
      return nil
    }
    return most / asked
  }

  /// What the server said, for the eyes of its user: one line, without what looks like a key. Nil when it said nothing.
  var shownDetail: String? {
    let words = (detail ?? "").split(whereSeparator: \.isWhitespace).map { word in
      word.wholeMatch(of: /.*[A-Za-z0-9_*-]{24,}.*/) == nil ? String(word) : "…"
    }
    let line = words.joined(separator: " ")
    guard !line.isEmpty else { return nil }
    return line.count <= Self.mostShown ? line : line.prefix(Self.mostShown) + "…"
  }
}
