import HoldfastHTTP

/// Streamed responses ([OpenAI, streaming events](https://platform.openai.com/docs/api-reference/responses-streaming)).
/// The text is sent several times over, and by some servers at its end alone.
extension AnswerReading {
  mutating func readResponse(_ fields: JSONFields, _ type: String) {
    switch type {
    case "error":
      if fields.isSet("error") { fail(fields, "error") } else { fail(fields) }
    case "response.output_text.delta": add(text: fields.text("delta") ?? "")
    case "response.output_text.done": add(text: fields.text("text") ?? "", at: .text)
    case "response.refusal.delta": add(refusal: fields.text("delta") ?? "")
    case "response.refusal.done": add(refusal: fields.text("refusal") ?? "", at: .text)
    case "response.reasoning_text.delta", "response.reasoning_summary_text.delta":
      add(reasoning: fields.text("delta") ?? "")
    case "response.reasoning_text.done", "response.reasoning_summary_text.done":
      add(reasoning: fields.text("text") ?? "", at: .text)
    case "response.reasoning_summary_part.added": beginReasoning()
    case "response.content_part.done", "response.reasoning_summary_part.done":
      if let part = fields.object("part") { read(part, at: .part) }
    case "response.output_item.added":
      items.open += 1
      begin(fields.object("item"))
    case "response.output_item.done":
      items.open = max(0, items.open - 1)
      if let item = fields.object("item") {
        if item.text("type") == "message" { items.messages += 1 }
        read(item: item, at: .item)
      }
    case "response.function_call_arguments.delta":
      calls.add(
        fields.text("item_id"), id: nil, name: nil, arguments: fields.text("delta") ?? "")
    case "response.function_call_arguments.done":
      calls.complete(
        fields.text("item_id"), id: nil, name: fields.text("name"), arguments: fields.json("arguments"))
    case "response.completed", "response.incomplete", "response.failed", "response.done":
      let word = String(type.dropFirst("response.".count))
      end(fields.object("response") ?? JSONFields([:]), as: word == "done" ? "completed" : word)
    case "": if let response = whole(fields) { end(response, as: nil) }
    default: break
    }
  }

  /// The response that was not streamed.
  private func whole(_ fields: JSONFields) -> JSONFields? {
    fields.object("response") ?? (fields.text("object") == "response" ? fields : nil)
  }

  private mutating func begin(_ item: JSONFields?) {
    guard let item, item.text("type") == "function_call" else { return }
    calls.add(item.text("id"), id: item.text("call_id"), name: item.text("name"), arguments: "")
  }

  /// An item as a whole.
  private mutating func read(item: JSONFields, at level: StreamedText.Level) {
    switch item.text("type") {
    case "function_call":
      calls.complete(
        item.text("id"), id: item.text("call_id"), name: item.text("name"), arguments: item.json("arguments"))
    case "reasoning":
      let thoughts = item.objects("content")
      for part in thoughts.isEmpty ? item.objects("summary") : thoughts { read(part, at: level) }
    default:
      add(text: item.text("content") ?? "", at: level)
      for part in item.objects("content") { read(part, at: level) }
    }
  }

  private mutating func read(_ part: JSONFields, at level: StreamedText.Level) {
    switch part.text("type") {
    case "refusal": add(refusal: part.text("refusal") ?? "", at: level)
    case "reasoning_text", "summary_text": add(reasoning: part.text("text") ?? "", at: level)
    default: add(text: part.text("text") ?? "", at: level)
    }
  }

  /// Reads the whole output. Its texts are those of the stream where these differ in the division alone.
  private mutating func readOutput(_ response: JSONFields) {
    let items = response.objects("output")
    let texts = items.flatMap { $0.objects("content") }
      .filter { ["output_text", "text"].contains($0.text("type")) }.compactMap { $0.text("text") }
    let isEmitted = !emitted.text.all.isEmpty && texts.joined() == emitted.text.all
    for item in items where !isEmitted || item.text("type") != "message" { read(item: item, at: .answer) }
    if isEmitted {
      for part in items.flatMap({ $0.objects("content") }) where part.text("type") == "refusal" {
        read(part, at: .answer)
      }
    }
    if emitted.text.all.isEmpty { add(text: response.text("output_text") ?? "", at: .answer) }
  }

  /// - Parameter word: what the event says of the response, where the response has no status.
  private mutating func end(_ response: JSONFields, as word: String?) {
    readOutput(response)
    count(response.object("usage"))
    guard let status = response.word("status") ?? word, status != "failed", !response.isSet("error") else {
      if response.isSet("status") || response.isSet("error") { fail(response, "error") }
      return
    }
    finish(
      status == "incomplete" ? response.object("incomplete_details")?.word("reason") ?? status : status)
    isDone = true
  }
}
