import HoldfastHTTP

/// Streamed messages ([Anthropic, streaming messages](https://docs.anthropic.com/en/docs/build-with-claude/streaming)).
extension AnswerReading {
  mutating func readMessage(_ fields: JSONFields, _ type: String) {
    switch type {
    case "error": fail(fields, "error")
    case "message_start": count(fields.object("message")?.object("usage"))
    case "content_block_start": begin(fields.object("content_block"), fields.integer("index") ?? 0)
    case "content_block_delta": readDelta(fields.object("delta"), fields.integer("index") ?? 0)
    case "message_delta":
      finish(fields.object("delta")?.word("stop_reason"))
      count(fields.object("usage"))
    case "message_stop": isDone = true
    case "message": readWhole(fields)
    default: break
    }
  }

  private mutating func begin(_ block: JSONFields?, _ index: Int) {
    guard let block, let type = block.text("type") else { return }
    blocks[index] = type
    if type == "text" { add(text: block.text("text") ?? "") }
    add(reasoning: block.text("thinking") ?? "")
    // A server's own tool is no call of the client's.
    if type == "tool_use" {
      calls.add(String(index), id: block.text("id"), name: block.text("name"), arguments: "")
    }
  }

  private mutating func readDelta(_ delta: JSONFields?, _ index: Int) {
    guard let delta else { return }
    switch delta.text("type") {
    case "text_delta": add(text: delta.text("text") ?? "")
    case "thinking_delta": add(reasoning: delta.text("thinking") ?? "")
    case "input_json_delta" where blocks[index] == "tool_use":
      calls.add(String(index), id: nil, name: nil, arguments: delta.text("partial_json") ?? "")
    default: break
    }
  }

  /// The message as a whole, in place of its stream or behind it.
  private mutating func readWhole(_ fields: JSONFields) {
    let isBehindCalls = !calls.calls.isEmpty
    for (index, block) in fields.objects("content").enumerated() {
      add(text: block.text("text") ?? "", at: .answer)
      add(reasoning: block.text("thinking") ?? "", at: .answer)
      if !isBehindCalls, block.text("type") == "tool_use" {
        calls.add(
          String(index), id: block.text("id"), name: block.text("name"), arguments: block.json("input"))
      }
    }
    finish(fields.word("stop_reason"))
    count(fields.object("usage"))
  }
}
