import Foundation
import HoldfastHTTP
import Testing

@testable import HoldfastCompletions

/// What servers of many makes do, each from a public report (rule L16).
@Suite(.timeLimit(.minutes(2))) struct ForeignServersTests {
  typealias Step = ScriptedHTTPClient.Step

  private static func event(_ json: String) -> Step { .piece("data: \(json)\n\n") }
  private static func events(_ all: String...) -> [Step] { [.head(200)] + all.map(event) }

  private static func pause(_ seconds: Int) -> Step { .pause(.seconds(seconds)) }

  // MARK: Silence and the end

  // L16.2, B10.1
  @Test(arguments: [
    (
      CompletionAPI.responses, #"{"type":"response.created","response":{"status":"in_progress"}}"#,
      #"{"type":"response.output_text.delta","delta":"Hello"}"#,
      #"{"type":"response.completed","response":{"status":"completed"}}"#
    ),
    (
      .messages, #"{"type":"message_start","message":{"usage":{"input_tokens":3}}}"#,
      #"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}"#,
      #"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#
    ),
    (
      .chatCompletions, #"{"choices":[{"index":0,"delta":{"role":"assistant","content":null}}]}"#,
      #"{"choices":[{"index":0,"delta":{"content":"Hello"}}]}"#,
      #"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#
    ),
  ]) func `a model that thinks behind its first event has two minutes`(
    api: CompletionAPI, first: String, word: String, finish: String
  ) throws {
    let script = [Step.head(200), Self.event(first), Self.pause(119), Self.event(word), Self.event(finish)]
    let answer = try ScriptedAnswer.run([script], api: api)
    #expect((answer.text, answer.error, answer.requests.count) == ("Hello", nil, 1))
    let silent = try ScriptedAnswer.run(
      [[.head(200), Self.event(first), Self.pause(121), Self.event(word)]], api: api)
    #expect((silent.error?.code, silent.requests.count) == (.silent, 1))
    let alive = [Step.piece(": ping\n\n"), Self.pause(100)]
    let patient = try ScriptedAnswer.run(
      [
        [.head(200), Self.event(first), Self.pause(100)] + alive + alive + [
          Self.event(word), Self.event(finish),
        ]
      ],
      api: api)
    #expect(patient.text == "Hello", "A comment is a sign of life.")
    let stopped = try ScriptedAnswer.run(
      [[.head(200), Self.event(first), Self.event(word), Self.pause(31), Self.event(finish)]], api: api)
    #expect((stopped.text, stopped.error?.code) == ("Hello", .silent), "Behind a word the limit is short.")
  }

  // L16.2
  @Test func `an answer whose finish came is whole two seconds later, on a connection that stays open`()
    throws
  {
    for rest in [[], [Step.piece(": keep\n\n"), .pause(.seconds(1)), .piece(": keep\n\n")]] {
      let open = rest + [Self.pause(600), .piece(": keep\n\n")]
      let answer = try ScriptedAnswer.run([[.head(200), .delta("Hel"), .delta("lo", finish: "stop")] + open])
      #expect((answer.text, answer.end?.reason, answer.error) == ("Hello", .stop, nil))
      #expect(answer.time == .seconds(2))
    }
    let usage = Self.event(#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#)
    let late = try ScriptedAnswer.run([
      [
        .head(200), .delta("Hel"), .delta("lo", finish: "stop"), .pause(.milliseconds(1_900)), usage,
        Self.pause(600),
      ]
    ])
    #expect(late.end?.usage == ModelUsage(input: 3, output: 2))
  }

  // L16.2
  @Test func `a server that puts a finish into each piece is read to its end`() throws {
    let words = ["One", " two", " three"].flatMap { [Step.delta($0, finish: "stop"), Self.pause(20)] }
    let answer = try ScriptedAnswer.run([[.head(200)] + words + [.done]])
    #expect((answer.text, answer.end?.reason) == ("One two three", .stop))
  }

  // L16.2
  @Test func `the last event of an API ends the reading`() throws {
    let responses = try ScriptedAnswer.run(
      [
        Self.events(
          #"{"type":"response.output_text.delta","delta":"Hi"}"#,
          #"{"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":1,"output_tokens":2}}}"#
        )
          + [Self.pause(600)]
      ], api: .responses)
    #expect((responses.text, responses.time, responses.end?.usage?.output) == ("Hi", .zero, 2))
    let messages = try ScriptedAnswer.run(
      [
        Self.events(
          #"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}"#,
          #"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#, #"{"type":"message_stop"}"#)
          + [Self.pause(600)]
      ], api: .messages)
    #expect((messages.text, messages.time) == ("Hi", .zero))
  }

  // MARK: Wholes

  // L16.1
  @Test(arguments: [
    (
      [
        "{\"delta\":{\"content\":\"Hel\"}}", "{\"delta\":{\"content\":\"lo\"}}",
        "{\"message\":{\"content\":\"Hello\"},\"finish_reason\":\"stop\"}",
      ], "Hello"
    ),
    (
      [
        "{\"delta\":{\"content\":\"Hel\"}}",
        "{\"delta\":{\"content\":\"lo\"},\"message\":{\"content\":\"Hello\"},\"finish_reason\":\"stop\"}",
      ], "Hello"
    ),
    (
      [
        "{\"delta\":{\"role\":\"assistant\"}}",
        "{\"message\":{\"content\":\"Hello\"},\"finish_reason\":\"stop\"}",
      ], "Hello"
    ),
    (
      [
        "{\"message\":{\"content\":\"Hel\"}}",
        "{\"message\":{\"content\":\"lo\"},\"finish_reason\":\"stop\"}",
      ], "Hello"
    ),
    (
      [
        "{\"message\":{\"content\":\"Hel\"}}",
        "{\"message\":{\"content\":\"Hello\"},\"finish_reason\":\"stop\"}",
      ], "Hello"
    ),
    (
      [
        "{\"delta\":{\"content\":\"Hel\"}}",
        "{\"message\":{\"content\":\"Hello\"},\"finish_reason\":\"stop\"}",
      ], "Hello"
    ),
    (
      [
        "{\"delta\":{\"content\":\"Hi \"}}",
        "{\"delta\":{},\"message\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}",
      ], "Hi "
    ),
  ]) func `a message behind the deltas, or in place of them, counts once`(choices: [String], text: String)
    throws
  {
    let answer = try ScriptedAnswer.run([
      [.head(200)] + choices.map { Self.event("{\"choices\":[\($0)]}") } + [.done]
    ])
    #expect((answer.text, answer.error) == (text, nil))
  }

  private static func chat(_ deltas: [String]) -> [Step] {
    [.head(200)] + deltas.map { Self.event("{\"choices\":[{\"delta\":\($0)}]}") }
      + [.delta("", finish: "stop"), .done]
  }

  // L16.1
  @Test(arguments: [
    (["The", "The sea", "The sea is"], "The sea is"), (["ha", "ha", "ha"], "hahaha"),
    (["1", "1", "2"], "112"),
    (["a", "ab", "c"], "aabc"), (["\\n", "\\n\\nHi"], "\n\n\nHi"), (["The sea", "The sea is"], "The sea is"),
  ]) func `deltas that repeat all before them are distinguished from those that do not`(
    deltas: [String], text: String
  )
    throws
  {
    let answer = try ScriptedAnswer.run([Self.chat(deltas.map { "{\"content\":\"\($0)\"}" })])
    #expect(answer.text == text)
    let thought = try ScriptedAnswer.run([
      Self.chat(deltas.map { "{\"reasoning_content\":\"\($0)\"}" } + ["{\"content\":\"x\"}"])
    ])
    #expect(thought.reasoning == text)
  }

  // L16.1
  @Test func `a message beside each delta, with all before it, counts once`() throws {
    let choices = [
      #"{"delta":{"content":"Hello"},"message":{"content":"Hello"}}"#,
      #"{"delta":{"content":" you"},"message":{"content":"Hello you"}}"#,
      #"{"delta":{"content":""},"message":{"content":"Hello you"},"finish_reason":"stop"}"#,
    ]
    let answer = try ScriptedAnswer.run([
      [.head(200)] + choices.map { Self.event("{\"choices\":[\($0)]}") } + [.done]
    ])
    #expect(answer.text == "Hello you")
  }

  // L16.1
  @Test func `wholes that are spelled otherwise than the deltas repeat nothing`() throws {
    let part = #"{"type":"output_text","text":"Hello  you [1]"}"#
    let events = [
      #"{"type":"response.output_text.delta","delta":" Hello you"}"#,
      #"{"type":"response.output_text.done","text":"Hello you"}"#,
      #"{"type":"response.content_part.done","part":\#(part)}"#,
      #"{"type":"response.output_item.done","item":{"type":"message","content":[\#(part)]}}"#,
      #"{"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[\#(part)]}]}}"#,
    ]
    let answer = try ScriptedAnswer.run([[.head(200)] + events.map(Self.event)], api: .responses)
    #expect((answer.text, answer.end?.reason) == (" Hello you", .stop))
  }

  // L16.1
  @Test(arguments: [
    [
      #"{"type":"response.done","response":{"output":[{"type":"message","content":[{"type":"text","text":"Hi"}]}]}}"#
    ],
    [#"{"type":"response.completed","response":{"output":[{"type":"message","content":"Hi"}]}}"#],
    [#"{"type":"response.completed","response":{"status":"completed","output_text":"Hi"}}"#],
    [
      #"{"type":"response.output_item.added","item":{"type":"message"}}"#,
      #"{"type":"response.output_text.delta","delta":"Hi"}"#,
      #"{"type":"response.output_item.done","item":{"type":"message","content":[]}}"#,
    ],
  ]) func `a response ends as its server ends it`(events: [String]) throws {
    let answer = try ScriptedAnswer.run([[.head(200)] + events.map(Self.event)], api: .responses)
    #expect((answer.text, answer.end?.reason) == ("Hi", .stop))
  }

  // L16.1
  @Test func `an event's name is the type when its data has none`() throws {
    let answer = try ScriptedAnswer.run(
      [
        [
          .head(200), .piece("event: response.output_text.delta\ndata: {\"delta\":\"Hi\"}\n\n"),
          .piece("event: response.completed\ndata: {\"response\":{}}\n\n"),
        ]
      ], api: .responses)
    #expect((answer.text, answer.end?.reason) == ("Hi", .stop))
    let error = try ScriptedAnswer.run([
      [.head(200), .piece("event: error\ndata: {\"message\":\"no such voice\"}\n\n")]
    ])
    #expect(error.error?.errorDescription?.contains("no such voice") == true)
  }

  // L16.2
  @Test func `a thought keeps the long limit, and a finish in front of all words is ignored`() throws {
    let thought = Self.event(#"{"choices":[{"delta":{"reasoning_content":"Hm."}}]}"#)
    for beginning in [
      [thought], [.delta("<think>Hm."), Self.pause(90), .delta("</think>")], [.delta("\\n")],
    ] {
      let answer = try ScriptedAnswer.run([
        [.head(200)] + beginning + [Self.pause(90), .delta("Hi", finish: "stop"), .done]
      ])
      #expect(answer.text.hasSuffix("Hi"))
    }
    let early = Self.event(#"{"choices":[{"delta":{"content":""},"finish_reason":"stop"}]}"#)
    let later = try ScriptedAnswer.run([
      [
        .head(200), early, Self.pause(3), .delta("Hi", finish: "stop"), Self.pause(3),
        .delta(" you", finish: "stop"), .done,
      ]
    ])
    #expect((later.text, later.end?.reason) == ("Hi you", .stop))
    let null = try ScriptedAnswer.run([[.head(200), .delta("Hi", finish: "null")]])
    #expect((null.text, null.error?.code) == ("Hi", .cutOff))
  }

  // L16.1
  @Test func `any answer of the two hundreds is one, and an empty one is not asked for again`() throws {
    let script = [Step.head(203, [:]), .delta("Hel"), .delta("lo", finish: "stop"), .done]
    #expect(try ScriptedAnswer.run([script]).text == "Hello")
    let empty = try ScriptedAnswer.run([[.head(200)]])
    #expect((empty.requests.count, empty.error?.code) == (1, .malformed))
  }

  // L16.7
  @Test(arguments: ["network_error", "abort", "TIMEOUT", "cancelled"])
  func `an answer that its server broke off is no whole one`(word: String) throws {
    let answer = try ScriptedAnswer.run([[.head(200), .delta("Hel"), .delta("lo", finish: word), .done]])
    #expect((answer.text, answer.end, answer.error?.code) == ("Hello", nil, .cutOff))
  }

  // L16.5
  @Test func `a beginning that the server repeats is there once`() throws {
    let prompt = ModelPrompt([.init(.user, "Go on.")], beginning: "The sea is ")
    for (words, text) in [
      (["The sea", " is big."], "big."), (["big."], "big."), (["The", "n it is."], "Then it is."),
      (["The sea"], "The sea"),
    ] {
      let script = [Step.head(200)] + words.map { .delta($0) } + [.delta("", finish: "stop"), .done]
      #expect(try ScriptedAnswer.run([script], prompt: prompt).text == text)
    }
  }

  private static let completed =
    #"{"type":"response.completed","response":{"status":"completed","output":[{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"Hm."}]},{"type":"message","id":"i","content":[{"type":"output_text","text":"Hello"},{"type":"output_text","text":" you"}]}]}}"#
  private static let bareEnd = #"{"type":"response.completed","response":{"status":"completed","output":[]}}"#

  // L16.1
  @Test(arguments: [
    [completed],
    [
      #"{"type":"response.output_text.done","item_id":"i","content_index":0,"text":"Hello"}"#,
      #"{"type":"response.output_text.done","item_id":"i","content_index":1,"text":" you"}"#, completed,
    ],
    [
      #"{"type":"response.content_part.done","part":{"type":"output_text","text":"Hello"}}"#,
      #"{"type":"response.content_part.done","part":{"type":"output_text","text":" you"}}"#, bareEnd,
    ],
    [
      #"{"type":"response.output_item.done","item":{"type":"message","content":[{"type":"output_text","text":"Hello"},{"type":"output_text","text":" you"}]}}"#,
      bareEnd,
    ],
    [
      #"{"type":"response.output_text.delta","item_id":"i","delta":"Hel"}"#,
      #"{"type":"response.output_text.delta","item_id":"i","delta":"lo"}"#,
      #"{"type":"response.output_text.done","item_id":"x","text":"Hello"}"#,
      #"{"type":"response.content_part.done","part":{"type":"output_text","text":"Hello"}}"#,
      #"{"type":"response.output_text.delta","item_id":"i","delta":" you"}"#,
      #"{"type":"response.output_item.done","item":{"type":"message","content":[{"type":"output_text","text":"Hello"},{"type":"output_text","text":" you"}]}}"#,
      completed,
    ],
    [
      #"{"type":"response.output_text.delta","delta":"Hello"}"#,
      #"{"type":"response.output_text.delta","delta":" you"}"#,
      completed,
    ],
    [#"{"type":"response.output_text.delta","delta":"Hello y"}"#, completed],
    [#"{"type":"response.output_text.delta","delta":"Hel"}"#, completed],
  ]) func `the text of a response is read from wherever it is sent, once`(events: [String]) throws {
    let answer = try ScriptedAnswer.run([[.head(200)] + events.map(Self.event)], api: .responses)
    #expect((answer.text, answer.error) == ("Hello you", nil))
    #expect(answer.end?.reason == .stop)
    #expect(["", "Hm."].contains(answer.reasoning))
  }

  // L16.1
  @Test func `two equal parts of a response are two`() throws {
    let part = #"{"type":"output_text","text":"ok"}"#
    let answer = try ScriptedAnswer.run(
      [
        Self.events(
          #"{"type":"response.output_text.done","text":"ok"}"#,
          #"{"type":"response.output_text.done","text":"ok"}"#,
          #"{"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[\#(part),\#(part)]}]}}"#
        )
      ], api: .responses)
    #expect(answer.text == "okok")
  }

  // L16.1
  @Test func `a call that is sent as a whole alone is read, and once`() throws {
    let item = #"{"type":"function_call","id":"fc","call_id":"c","name":"tide","arguments":"{\"port\":1}"}"#
    for events in [
      [#"{"type":"response.output_item.done","item":\#(item)}"#],
      [
        #"{"type":"response.output_item.added","item":{"type":"function_call","id":"fc","call_id":"c","name":"tide","arguments":""}}"#,
        #"{"type":"response.function_call_arguments.done","item_id":"fc","arguments":"{\"port\":1}"}"#,
      ],
      [
        #"{"type":"response.output_item.added","item":{"type":"function_call","id":"fc","call_id":"c","name":"tide"}}"#,
        #"{"type":"response.function_call_arguments.delta","item_id":"fc","delta":"{\"port\""}"#,
        #"{"type":"response.function_call_arguments.delta","item_id":"fc","delta":":1}"}"#,
        #"{"type":"response.output_item.done","item":\#(item)}"#,
      ],
    ] {
      let end = #"{"type":"response.completed","response":{"status":"completed","output":[\#(item)]}}"#
      let answer = try ScriptedAnswer.run([[.head(200)] + (events + [end]).map(Self.event)], api: .responses)
      #expect(answer.end?.toolCalls == [ModelToolCall(id: "c", name: "tide", arguments: "{\"port\":1}")])
    }
  }

  // MARK: The form of a body

  // L16.1
  @Test(arguments: [
    ["Content-Type": "application/json"], [:], ["Content-Type": "text/plain; charset=utf-8"],
    ["Content-Type": "application/octet-stream"], ["Content-Type": "text/html"],
  ]) func `an event stream is known by its first bytes`(headers: [String: String]) throws {
    for beginning in ["", "\n", ": hello\n\n", "event: message\n", "id: 1\n", "retry: 5\n", "\u{FEFF}"] {
      let answer = try ScriptedAnswer.run([
        [.head(200, headers), .piece(beginning), .delta("Hel"), .delta("lo", finish: "stop"), .done]
      ])
      #expect((answer.text, answer.error) == ("Hello", nil), "\(beginning)")
    }
    let bytes = Array(
      "data: {\"choices\":[{\"delta\":{\"content\":\"Hello\"},\"finish_reason\":\"stop\"}]}\n\n".utf8)
    var reading = BodyReading(.chatCompletions, status: 200, contentType: headers["Content-Type"] ?? "")
    #expect(bytes.flatMap { reading.read([$0]) } == [.text("Hello")], "byte by byte")
  }

  // L16.1
  @Test(arguments: ["text/event-stream", "application/json", ""])
  func `a document under any type is read as one`(type: String) throws {
    let whole = "{\"choices\":[{\"message\":{\"content\":\"Hello\"},\"finish_reason\":\"stop\"}]}"
    let answer = try ScriptedAnswer.run([[.head(200, ["Content-Type": type]), .piece(whole)]])
    #expect((answer.text, answer.error) == ("Hello", nil))
    let error = try ScriptedAnswer.run([
      [.head(200, ["Content-Type": type]), .piece("{\"error\":{\"message\":\"no such voice\"}}")]
    ])
    #expect(error.error?.errorDescription?.contains("no such voice") == true)
    for other in ["<html>Log in</html>", "Please log in.", "dat", "datum: x\n"] where type.isEmpty {
      let answer = try ScriptedAnswer.run([[.head(200, ["Content-Type": type]), .piece(other)]])
      #expect(answer.error?.code == .malformed, "\(other)")
    }
  }

  // L16.3
  @Test(arguments: [
    #"data: {"choices":null,"base_resp":{"status_code":1004,"status_msg":"no such voice"}}"#,
    #"data: {"error":{"code":400,"metadata":{"raw":"no such voice"}}}"#,
    #"data: {"error":{"type":"invalid_request_error","detail":"no such voice"}}"#,
    "event: error\ndata: no such voice",
    "event: error\ndata: {\"detail\":\"no such voice\"}",
  ]) func `the sentence of an error in an event is kept, whatever its shape`(event: String) throws {
    let answer = try ScriptedAnswer.run([[.head(200), .delta("Hel"), .piece(event + "\n\n"), .delta("lo")]])
    #expect(answer.text == "Hel")
    #expect(answer.error?.errorDescription?.contains("no such voice") == true)
  }

  // L16.3
  @Test func `a report that all is well is no error`() throws {
    let well =
      #"{"choices":[{"delta":{"content":"Hello"},"finish_reason":"stop"}],"base_resp":{"status_code":0}}"#
    let answer = try ScriptedAnswer.run([Self.events(well)])
    #expect((answer.text, answer.error) == ("Hello", nil))
  }

  // L16.1
  @Test(arguments: [
    ("MAX_TOKENS", ModelEnd.Reason.length), ("SAFETY", .filter), ("RECITATION", .filter), ("Stop", .stop),
    ("FinishReason.MAX_TOKENS", .length), ("model_length", .length), ("content-filter", .filter),
    ("guardrail_intervened", .filter), ("PROHIBITED_CONTENT", .filter), ("LENGTH", .length), ("STOP", .stop),
    ("TOOL_CALLS", .tools),
  ]) func `a finish counts without its case`(word: String, reason: ModelEnd.Reason) throws {
    let answer = try ScriptedAnswer.run([[.head(200), .delta("Hi", finish: word), .done]])
    #expect((answer.end?.reason, answer.end?.word) == (reason, word))
  }

  // MARK: Thoughts between tags

  // L16.6
  @Test(arguments: [
    ("<think>\nHm.</think>\n\nHello", "Hm.", "Hello"), ("<think></think>Hello", "", "Hello"),
    ("\n <thinking>a < b</thinking>Hello", "a < b", "Hello"),
    ("Hello <think>x</think>", "", "Hello <think>x</think>"),
    ("<thin air>", "", "<thin air>"), ("<think>never ended", "never ended", ""),
    ("<think>a</thin</think>b", "a</thin", "b"), ("<THINK>a</Think >b", "a", "b"),
    ("<think foo=\"1\">a</think><think>c</think>b", "ac", "b"), ("[THINK]a[/THINK]b", "a", "b"),
    ("<seed:think>a</seed:think>b", "a", "b"), ("[think about it] b", "", "[think about it] b"),
    ("<", "", "<"), ("", "", ""),
  ]) func `a thought between tags is one, in whatever pieces it comes`(
    said: String, reasoning: String, text: String
  ) {
    for size in [1, 2, 3, 7, 100] {
      var (tags, rest, parts) = (ThoughtTags(), said[...], [ModelPart]())
      while !rest.isEmpty {
        parts += tags.read(String(rest.prefix(size)))
        rest = rest.dropFirst(size)
      }
      parts += tags.end()
      let found = parts.reduce(into: (reasoning: "", text: "")) { found, part in
        switch part {
        case .text(let text): found.text += text
        case .reasoning(let text): found.reasoning += text
        case .end: break
        }
      }
      #expect((found.reasoning, found.text) == (reasoning, text), "by \(size)")
    }
  }

  // L16.6
  @Test func `tags are a setting, and stay where the server takes thoughts apart`() throws {
    let script = [Step.head(200), .delta("<think>Hm."), .delta("</think>Hello", finish: "stop"), .done]
    let read = try ScriptedAnswer.run([script])
    #expect((read.text, read.reasoning) == ("Hello", "Hm."))
    var settings = CompletionModel.Settings()
    settings.readsThoughtTags = false
    #expect(try ScriptedAnswer.run([script], settings: settings).text == "<think>Hm.</think>Hello")
    let apart = try ScriptedAnswer.run([
      Self.events(#"{"choices":[{"delta":{"reasoning_content":"Hm."}}]}"#)
        + [.delta("<think>is a tag</think>", finish: "stop"), .done]
    ])
    #expect((apart.text, apart.reasoning) == ("<think>is a tag</think>", "Hm."))
  }
}
