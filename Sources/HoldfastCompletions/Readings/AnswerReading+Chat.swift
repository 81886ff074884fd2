import HoldfastHTTP

/// Streamed chat completions ([OpenAI, chat completion chunk
/// object](https://platform.openai.com/docs/api-reference/chat-streaming)), and what servers that speak alike make of
/// them.
extension AnswerReading {
  mutating func readChat(_ fields: JSONFields) {
    count(fields.isSet("usage") ? fields.object("usage") : fields.object("x_groq")?.object("usage"))
    for choice in fields.objects("choices") where (choice.integer("index") ?? 0) == 0 {
      readChoice(choice, hasError: fields.isSet("error"))
    }
  }

  private mutating func readChoice(_ choice: JSONFields, hasError: Bool) {
    let hadCalls = !calls.calls.isEmpty
    if let delta = choice.object("delta"), delta.isSet {
      readDelta(delta)
      if hasBegun { hasDeltas = true }
    }
    if let message = choice.object("message") { readWhole(message, hadCalls: hadCalls) }
    finish(choice.word("finish_reason"))
    if choice.isSet("error") { return fail(choice, "error") }
    if finish == "error", !hasError { fail("error") }
  }

  private mutating func readDelta(_ delta: JSONFields) {
    let words = words(of: delta)
    add(text: words.text)
    add(reasoning: words.reasoning)
    add(refusal: delta.text("refusal") ?? "")
    readCalls(of: delta, isWhole: false)
  }

  /// A message in place of a delta, or behind the deltas.
  private mutating func readWhole(_ message: JSONFields, hadCalls: Bool) {
    let words = words(of: message)
    add(message: words.text, reasoning: words.reasoning)
    add(refusal: message.text("refusal") ?? "", at: .answer)
    if !hadCalls { readCalls(of: message, isWhole: true) }
  }

  private func words(of delta: JSONFields) -> (text: String, reasoning: String) {
    // Servers name it one way or the other, and some do both.
    var words = (
      delta.text("content") ?? "", delta.word("reasoning_content") ?? delta.text("reasoning") ?? ""
    )
    for part in delta.objects("content") {
      switch part.text("type") {
      case "text": words.0 += part.text("text") ?? ""
      case "thinking": for thought in part.objects("thinking") { words.1 += thought.text("text") ?? "" }
      default: break
      }
    }
    return words
  }

  private mutating func readCalls(of delta: JSONFields, isWhole: Bool) {
    for (place, call) in delta.objects("tool_calls").enumerated() {
      let function = call.object("function")
      let key = call.integer("index").map(String.init) ?? (isWhole ? String(place) : nil)
      calls.add(
        key, id: call.text("id"), name: function?.text("name"), arguments: function?.json("arguments") ?? "")
    }
    if let function = delta.object("function_call") {
      calls.add(
        "function_call", id: nil, name: function.text("name"), arguments: function.json("arguments"))
    }
  }
}
