import Foundation
import HoldfastHTTP

/// What a server said in answer to one request, read event by event. Pure: bytes in, parts of the answer out.
///
/// ```
///   reading ── a finish, and the end of the body ──► whole
///      ├────── the end of the body alone ──────────► interrupted
///      └────── an error, an event that is no JSON ─► failed; what had come stays
/// ```
///
/// A finish does not end the reading: usage may come behind it. Nothing behind `[DONE]`, or behind an error, counts.
package struct AnswerReading: Sendable {
  /// How the reading ended.
  package enum Ending: Sendable, Hashable {
    case whole(ModelEnd)
    /// There was no finish. The reason is `cut` when the body itself was incomplete.
    case interrupted(String)
    /// The server's word for the error, and its sentence, which may quote the prompt.
    case failed(String, message: String?)
  }

  /// The most bytes of all calls of tools together.
  private static let mostCallBytes = 1 << 20

  private let api: CompletionAPI
  package private(set) var usage: ModelUsage?
  package private(set) var finish: String?
  /// Whether the finish is where an answer ends: some servers put one into each piece.
  private(set) var isFinished = false
  package private(set) var failure: (reason: String, message: String?)?
  /// Whether the server said that nothing follows.
  package internal(set) var isDone = false
  package internal(set) var calls = ToolCalls()
  /// The items of a response that have begun and not ended, and the messages that have ended.
  var items = (open: 0, messages: 0)
  /// The kinds of the content blocks of a message, by number.
  var blocks: [Int: String] = [:]
  private(set) var hasReasoning = false
  private var halves = (text: LoneSurrogates(), reasoning: LoneSurrogates())
  private(set) var emitted = (text: StreamedText(), reasoning: StreamedText(), refusal: StreamedText())
  /// Whether an empty line belongs in front of the next reasoning, which is a part of its own.
  private var isBehindReasoning = false
  private var parts: [ModelPart] = []
  /// What the model said instead of an answer.
  package private(set) var refusal = ""

  package init(_ api: CompletionAPI) { self.api = api }

  /// Whether a word of the answer has come.
  package private(set) var hasBegun = false
  /// Whether a word has come in a delta.
  var hasDeltas = false

  /// Reads the data of an event, or a whole answer that was not streamed. Returns what it adds to the answer.
  ///
  /// - Parameter name: the type that the event names, for servers whose data has none. Nil when it names none.
  package mutating func read(_ data: String, named name: String? = nil) -> [ModelPart] {
    let isBlank = data.utf8.allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) }
    guard !isDone, failure == nil, !isBlank else { return [] }
    let isEnd = data.utf8.count < 64 && data.trimmingCharacters(in: .whitespacesAndNewlines) == "[DONE]"
    guard !isEnd else {
      isDone = true
      return []
    }
    guard let fields = try? JSONFields(data) else {
      if name == "error" { fail("error", message: data) } else { fail("malformed") }
      return []
    }
    defer { parts = [] }
    let (hadBegun, hadFinish) = (hasBegun, finish != nil)
    switch api {
    case .chatCompletions: readChat(fields)
    case .responses: readResponse(fields, fields.word("type") ?? name ?? "")
    case .messages: readMessage(fields, fields.word("type") ?? name ?? "")
    }
    if hadFinish, !parts.isEmpty { isFinished = false }
    // One in front of all words, or beside the first one, may be in each piece.
    if !hadFinish, finish != nil { isFinished = hadBegun || (parts.isEmpty && !calls.calls.isEmpty) }
    let isError = fields.isSet("error") && (api == .chatCompletions || !fields.has("type"))
    if isError { fail(fields, "error") }
    if !isError, name == "error", failure == nil { fail(fields) }
    // MiniMax reports an error beside the fields of an answer, under the status 200.
    if let response = fields.object("base_resp"), (response.integer("status_code") ?? 0) != 0 {
      fail(response)
    }
    if calls.bytes > Self.mostCallBytes { fail("tool calls too large") }
    return parts
  }

  /// The end of the body.
  ///
  /// - Parameter isComplete: whether the body came to its end, as HTTP frames it.
  /// - Returns: what was held back, and how the answer ended.
  package mutating func end(isComplete: Bool) -> (parts: [ModelPart], Ending) {
    defer { parts = [] }
    add(text: "", rest: halves.text.end())
    add(reasoning: "", rest: halves.reasoning.end())
    emit(text: emitted.text.end())
    emit(reasoning: emitted.reasoning.end())
    if isComplete, finish == nil, items.messages > 0, items.open == 0 { finish = "completed" }
    if let failure { return (parts, .failed(failure.reason, message: failure.message)) }
    guard let finish else { return (parts, .interrupted(isComplete ? "no finish" : "cut")) }
    guard !FinishWord(finish).isInterruption else { return (parts, .interrupted(finish)) }
    return (parts, .whole(ModelEnd(reason(of: finish), word: finish, toolCalls: calls.calls, usage: usage)))
  }

  private func reason(of word: String) -> ModelEnd.Reason {
    let reason = FinishWord(word).reason
    return reason == .stop && !calls.calls.isEmpty ? .tools : reason
  }

  mutating func add(text: String, rest: String = "") {
    emit(text: emitted.text.add(delta: halves.text.join(text) + rest))
  }

  /// Adds a whole text. The deltas may have sent all of it.
  mutating func add(text: String, at level: StreamedText.Level) {
    emit(text: emitted.text.add(whole: LoneSurrogates.mended(text), at: level))
  }

  mutating func add(reasoning: String, rest: String = "") {
    emit(reasoning: emitted.reasoning.add(delta: halves.reasoning.join(reasoning) + rest))
  }

  /// Adds a whole part of the reasoning, of which the deltas may have sent all.
  mutating func add(reasoning: String, at level: StreamedText.Level) {
    let whole = LoneSurrogates.mended(reasoning)
    let new = emitted.reasoning.add(whole: whole, at: level)
    if new == whole { beginReasoning() }
    emit(reasoning: new)
  }

  /// Another part of the reasoning begins.
  mutating func beginReasoning() { isBehindReasoning = hasReasoning }

  /// A refusal is what the user reads in place of an answer.
  mutating func add(refusal text: String) {
    emit(refusal: emitted.refusal.add(delta: text))
  }

  /// Adds a whole refusal, of which the deltas may have sent all.
  mutating func add(refusal text: String, at level: StreamedText.Level) {
    emit(refusal: emitted.refusal.add(whole: text, at: level))
  }

  /// Adds the message that some servers put into a piece in place of a delta, or behind the deltas: the next words, all
  /// words so far, or the whole.
  mutating func add(message text: String, reasoning: String) {
    if hasDeltas {
      emit(text: emitted.text.add(answer: LoneSurrogates.mended(text)))
      emit(reasoning: emitted.reasoning.add(answer: LoneSurrogates.mended(reasoning)))
    } else {
      emit(text: emitted.text.add(growing: halves.text.join(text)))
      emit(reasoning: emitted.reasoning.add(growing: halves.reasoning.join(reasoning)))
    }
  }

  private mutating func emit(text: String) {
    guard !text.isEmpty else { return }
    hasBegun = true
    parts.append(.text(text))
  }

  private mutating func emit(reasoning: String) {
    guard !reasoning.isEmpty else { return }
    parts.append(.reasoning(isBehindReasoning ? "\n\n" + reasoning : reasoning))
    (hasBegun, hasReasoning, isBehindReasoning) = (true, true, false)
  }

  private mutating func emit(refusal text: String) {
    refusal += text
    emit(text: text)
  }

  mutating func finish(_ word: String?) {
    guard let word, !["", "null", "none"].contains(word.lowercased()) else { return }
    finish = word
  }

  mutating func count(_ fields: JSONFields?) {
    guard let fields, fields.isSet else { return }
    let earlier = usage ?? ModelUsage()
    usage = ModelUsage(
      input: fields.integer("input_tokens") ?? fields.integer("prompt_tokens") ?? earlier.input,
      output: fields.integer("output_tokens") ?? fields.integer("completion_tokens") ?? earlier.output)
  }

  mutating func fail(_ reason: String, message: String? = nil) {
    if failure == nil { failure = (reason, message) }
  }

  /// Notes the error in this field: an object with a code, a type or a status, or a sentence.
  mutating func fail(_ outer: JSONFields, _ name: String) {
    guard let error = outer.object(name) else {
      return fail(outer.word("error_type") ?? "error", message: outer.text(name))
    }
    fail(error)
  }

  mutating func fail(_ error: JSONFields) {
    let type = error.word("type").flatMap { $0 == "error" ? nil : $0 }
    let code = error.integer("code") ?? error.integer("status_code")
    let number = code.flatMap { $0 == 0 ? nil : String($0) }
    fail(
      error.word("code") ?? type ?? error.word("status") ?? number ?? "error",
      message: ServerComplaint(error).sentence)
  }
}

/// A server's word for the end of an answer, without what differs between them: `FinishReason.MAX_TOKENS`,
/// `max-tokens`. Gemini's are in capitals ([FinishReason](https://ai.google.dev/api/generate-content#FinishReason)),
/// and gateways pass on what they get.
struct FinishWord {
  private let word: String

  init(_ word: String) {
    let last = word.split(separator: ".").last.map(String.init) ?? word
    self.word = last.lowercased().replacing("-", with: "_")
  }

  private func has(_ parts: String...) -> Bool { parts.contains { word.contains($0) } }

  /// Whether the server could not go on, so that the model has not ended the answer.
  var isInterruption: Bool {
    word != "error" && has("error", "abort", "cancel", "timeout", "timed_out", "insufficient_system")
  }

  var reason: ModelEnd.Reason {
    switch word {
    case "stop", "end_turn", "stop_sequence", "completed": .stop
    case "refusal": .refusal
    case "pause_turn": .pause
    case _ where has("tool", "function"): .tools
    case _ where has("length", "max_", "limit", "window_exceeded"): .length
    case _
    where has("filter", "safety", "recitation", "blocklist", "prohibited", "spii", "guardrail", "sensitive"):
      .filter
    default: .other
    }
  }
}
