import HoldfastHTTP

/// Streamed responses
/// ([OpenAI, streaming events](https://platform.openai.com/docs/api-reference/responses-streaming)). The text is told several
/// times over, and by some servers at its end alone.
extension AnswerReading {
  mutating func readResponse(_ fields: JSONFields) {
    let type = fields.text("type") ?? ""
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
    case "response.output_item.added": begin(fields.object("item"))
    case "response.output_item.done": if let item = fields.object("item") { read(item: item, at: .item) }
    case "response.function_call_arguments.delta":
      calls.add(
        fields.text("item_id"), id: nil, name: nil, arguments: fields.text("delta") ?? "")
    case "response.function_call_arguments.done":
      calls.complete(
        fields.text("item_id"), id: nil, name: fields.text("name"), arguments: fields.json("arguments"))
    case "response.completed", "response.incomplete", "response.failed":
      if let response = fields.object("response") { end(response) }
    case "": if let response = whole(fields) { end(response) }
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
    default: for part in item.objects("content") { read(part, at: level) }
    }
  }

  private mutating func read(_ part: JSONFields, at level: StreamedText.Level) {
    switch part.text("type") {
    case "output_text": add(text: part.text("text") ?? "", at: level)
    case "reasoning_text", "summary_text": add(reasoning: part.text("text") ?? "", at: level)
    default: add(refusal: part.text("refusal") ?? "", at: level)
    }
  }

  private mutating func end(_ response: JSONFields) {
    for item in response.objects("output") { read(item: item, at: .answer) }
    count(response.object("usage"))
    guard let status = response.word("status"), status != "failed", !response.isSet("error") else {
      if response.isSet("status") || response.isSet("error") { fail(response, "error") }
      return
    }
    finish(
      status == "incomplete" ? response.object("incomplete_details")?.word("reason") ?? status : status)
    isDone = true
  }
}
