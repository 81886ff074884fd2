import Foundation
import HoldfastHTTP

extension ModelError {
  static let cutOff = ModelError(.cutOff, "The answer was cut off.")

  /// The error of an answer that ended without a word.
  package init(empty end: ModelEnd, hasThought: Bool) {
    // A thought that its server does not send costs tokens too.
    let hasHidden = end.usage.map { $0.output > 1 } ?? true
    let sentence =
      switch end.reason {
      case .length where hasThought || hasHidden: "The model reached its limit while it was still thinking."
      case .length: "The conversation leaves no room for an answer."
      case .filter: "The service withheld the answer."
      case .tools: "The model wants to call a tool, and none is offered to it."
      case .pause: "The service paused before the first word."
      case .stop, .refusal, .other:
        hasThought ? "The model thought, and gave no answer." : "The model gave no answer."
      }
    let isFull = end.reason == .length && !hasThought && !hasHidden
    self.init(isFull ? .promptTooLong : .empty, sentence)
    requests = end.requests
  }

  /// The error of a server that said nothing for so long.
  static func silence(of limit: Duration) -> ModelError {
    ModelError(.silent, "The model said nothing for \(limit.components.seconds) seconds.")
  }

  /// The error that a server's answer is, by its status and its word for the reason.
  init(status: Int, reason: String, detail: String?, model: String) {
    let known = Code(status: status, reason: reason, message: detail ?? "")
    let reason = Self.shown(reason, atMost: 40) ?? "\(status)"
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
    // Gateways put the status into the body.
    let status = Int(reason).flatMap { (400...599).contains($0) ? $0 : nil } ?? status
    self =
      switch (status, reason) {
      case (_, "insufficient_quota"), (402, _): .quotaExceeded
      case _ where Self.isTooLong(status, words): .promptTooLong
      case (_, "model_not_found"), (404, _): .unknownModel
      case (401, _), (_, "authentication_error"), (_, "invalid_api_key"): .unauthorized
      case (403, _): message.isEmpty || Self.isAboutKey(words) ? .unauthorized : .forbidden
      case (429, _), (503, _), (529, _), (_, "overloaded_error"), (_, "rate_limit_exceeded"),
        (_, "rate_limit_error"), (_, "RESOURCE_EXHAUSTED"):
        .overloaded
      case (200, "malformed"), (_, "not an event stream"), (_, "too large"), (_, "tool calls too large"):
        .malformed
      case (500..., _), (408, _), (200, _): .serverFailed
      default: .rejected
      }
  }

  private static func isAboutKey(_ words: String) -> Bool {
    words.contains(
      /(?:invalid|incorrect|wrong|missing|expired|revoked|no valid)\W.{0,20}(?:key|token|credential)|authenticat/
    )
  }

  /// Whether the server says that the prompt is longer than the model takes. There is no common word for it: these are
  /// those of OpenAI, Anthropic, Google, Groq, Mistral, Qwen, OpenRouter, llama.cpp, vLLM, Ollama and LM Studio.
  private static func isTooLong(_ status: Int, _ words: String) -> Bool {
    // A limit of each minute that one request exceeds is a limit of the request.
    if let found = words.firstMatch(of: /limit\D{0,12}(\d+)\D{1,20}requested\D{0,12}(\d+)/),
      let limit = Int(found.output.1), let requested = Int(found.output.2)
    {
      return requested > limit
    }
    let isBusy = [
      "rate limit", "rate_limit", "ratelimit", "throttl", "per minute", "quota", "please wait", "try again",
      "retry",
    ].contains { words.contains($0) }
    guard ![429, 503, 529].contains(status), !isBusy else { return false }
    if status == 413 { return !words.contains("image") }
    return [
      "context_length_exceeded", "exceed_context_size", "context window", "context length", "context size",
      "context limit", "model_context_window", "prompt is too long", "prompt too long", "input is too long",
      "maximum prompt length", "model token limit", "only supports up to", "max_prompt_tokens", "max length",
      "prompt_tokens_exceeded", "`inputs` tokens + `max_new_tokens`", "reduce the length of the messages",
      "too large for model with",
      "range of input length", "request_too_large", "exceeds the maximum number of tokens",
      "longer than the maximum", "input length exceeds",
    ].contains { words.contains($0) }
  }
}

extension ModelError {
  /// The most characters of a server's sentence that are shown.
  private static let mostShown = 300

  /// The part of the prompt that the model takes, as a server's words for a prompt that is too long have it. Nil when
  /// they have no numbers.
  ///
  ///     This model's maximum context length is 4096 tokens. However, you requested 5012 tokens
  ///     prompt is too long: 210000 tokens > 200000 maximum
  package var takenPart: Double? {
    guard code == .promptTooLong, let detail else { return nil }
    let words = detail.replacing(",", with: "").lowercased()
    let limits = [
      /(?:maximum|limit|max_model_len|context (?:length|size|window))[^0-9.;]{0,40}(\d{3,})/,
      /(\d{3,})\s*(?:tokens?)?\s*(?:maximum|limit)/, />\s*(\d{3,})/,
    ]
    let found = limits.lazy.compactMap { words.firstMatch(of: $0)?.output.1 }.first
    let asked = words.matches(of: /\d{3,}/).compactMap { Double($0.output) }.max()
    guard let most = found.flatMap({ Double($0) }), let asked, most < asked, most * 20 > asked else {
      return nil
    }
    return most / asked
  }

  /// What the server said, for the eyes of its user: one line, without what looks like a key. Nil when it said nothing.
  var shownDetail: String? { detail.flatMap { Self.shown($0, atMost: Self.mostShown) } }

  /// A server's words in one line, without what looks like a key, and without characters that change how a line is
  /// read.
  private static func shown(_ words: String, atMost most: Int) -> String? {
    let plain = words.unicodeScalars.filter { $0.properties.generalCategory != .format }
    let line = String(String.UnicodeScalarView(plain)).split(whereSeparator: \.isWhitespace).joined(
      separator: " "
    )
    .replacing(
      /(?:sk|gsk|pk|rk|xai|hf|key)[-_][A-Za-z0-9_.\-]{6,}|AIza[\w\-]{8,}|[A-Za-z0-9]{24,}/, with: "…")
    guard !line.isEmpty else { return nil }
    return line.count <= most ? line : line.prefix(most) + "…"
  }
}
