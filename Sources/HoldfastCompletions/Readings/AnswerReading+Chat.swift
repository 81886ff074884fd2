import HoldfastHTTP

/// Streamed chat completions
/// ([OpenAI, chat completion chunk object](https://platform.openai.com/docs/api-reference/chat-streaming)), and what servers
/// that speak alike make of them.
extension AnswerReading {
  mutating func readChat(_ fields: JSONFields) {
    count(fields.isSet("usage") ? fields.object("usage") : fields.object("x_groq")?.object("usage"))
    for choice in fields.objects("choices") where (choice.integer("index") ?? 0) == 0 {
      readChoice(choice, hasError: fields.isSet("error"))
    }
  }

  private mutating func readChoice(_ choice: JSONFields, hasError: Bool) {
    let delta = choice.object("delta").flatMap { $0.isSet ? $0 : nil } ?? choice.object("message")
    if let delta { readDelta(delta, isWhole: choice.has("message")) }
    finish(choice.word("finish_reason"))
    if choice.isSet("error") { return fail(choice, "error") }
    if finish == "error", !hasError { fail("error") }
  }

  private mutating func readDelta(_ delta: JSONFields, isWhole: Bool) {
    add(text: delta.text("content") ?? "")
    for part in delta.objects("content") {
      switch part.text("type") {
      case "text": add(text: part.text("text") ?? "")
      case "thinking": for thought in part.objects("thinking") { add(reasoning: thought.text("text") ?? "") }
      default: break
      }
    }
    // Servers name it one way or the other, and some do both.
    add(reasoning: delta.word("reasoning_content") ?? delta.text("reasoning") ?? "")
    add(refusal: delta.text("refusal") ?? "")
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
