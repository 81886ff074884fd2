import HoldfastHTTP

/// Streamed responses
/// ([OpenAI, streaming events](https://platform.openai.com/docs/api-reference/responses-streaming)). The text is told several
/// times over; the deltas alone count.
extension AnswerReading {
  mutating func readResponse(_ fields: JSONFields) {
    let type = fields.text("type") ?? ""
    switch type {
    case "error":
      if fields.isSet("error") { fail(fields, "error") } else { fail(fields) }
    case "response.output_text.delta": add(text: fields.text("delta") ?? "")
    case "response.refusal.delta": add(refusal: fields.text("delta") ?? "")
    case "response.reasoning_text.delta", "response.reasoning_summary_text.delta":
      add(reasoning: fields.text("delta") ?? "")
    case "response.reasoning_summary_part.added": if hasReasoning { add(reasoning: "\n\n") }
    case "response.output_item.added": begin(fields.object("item"))
    case "response.function_call_arguments.delta":
      calls.add(
        fields.text("item_id"), id: nil, name: nil, arguments: fields.text("delta") ?? "")
    case "response.completed", "response.incomplete", "response.failed":
      if let response = fields.object("response") { end(response) }
    case "":
      guard let response = whole(fields) else { return }
      readOutput(response)
      end(response)
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

  private mutating func readOutput(_ response: JSONFields) {
    for item in response.objects("output") {
      if item.text("type") == "function_call" {
        calls.add(
          item.text("id"), id: item.text("call_id"), name: item.text("name"),
          arguments: item.json("arguments"))
      }
      for part in item.objects("content") {
        switch part.text("type") {
        case "output_text": add(text: part.text("text") ?? "")
        case "reasoning_text": add(reasoning: part.text("text") ?? "")
        default: add(refusal: part.text("refusal") ?? "")
        }
      }
    }
  }

  private mutating func end(_ response: JSONFields) {
    count(response.object("usage"))
    guard let status = response.word("status"), status != "failed", !response.isSet("error") else {
      if response.isSet("status") || response.isSet("error") { fail(response, "error") }
      return
    }
    finish(
      status == "incomplete" ? response.object("incomplete_details")?.word("reason") ?? status : status)
  }
}
