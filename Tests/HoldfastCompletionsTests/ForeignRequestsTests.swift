import Foundation
import HoldfastHTTP
import Testing

@testable import HoldfastCompletions

/// How servers of many makes are asked, and what they refuse, each from a public report (rule L16).
@Suite(.timeLimit(.minutes(2))) struct ForeignRequestsTests {
  typealias Step = ScriptedHTTPClient.Step

  // MARK: What a server refuses

  // L16.3
  @Test(arguments: [
    #"{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}"#,
    #"{"error":{"message":"Unknown parameter: 'stream_options'.","type":"invalid_request_error","param":"stream_options"}}"#,
    #"{"message":"stream_options is not supported"}"#, "unknown field `stream_options`, expected one of …",
  ]) func `a field that a server does not take is left out once, and from then on`(refusal: String) throws {
    let answers = try ScriptedAnswer.run(2, [Step.refusal(422, refusal), Step.whole, Step.whole])
    #expect(answers.map(\.text) == ["Hello", "Hello"])
    #expect(answers.map { $0.end?.requests } == [2, 1])
    #expect(answers[1].bodies.map { $0["stream_options"] != nil } == [true, false, false])
    #expect(answers[1].time == .zero, "Nobody waits for it.")
  }

  // L16.3
  @Test func `a server that refuses one field after the other gets one request more for each`() throws {
    var settings = CompletionModel.Settings()
    settings.mostTokens = 9
    settings.fields = Data(#"{"temperature":0,"top_p":1,"seed":4}"#.utf8)
    let refused = ["stream_options", "temperature", "top_p"]
    let scripts = refused.map { Step.refusal(400, "{\"error\":{\"message\":\"'\($0)' is not supported\"}}") }
    let answers = try ScriptedAnswer.run(2, scripts + [Step.whole], settings: settings)
    #expect(answers.map { $0.end?.requests } == [4, 1])
    let last = try #require(answers[1].bodies.last)
    #expect(refused.allSatisfy { last[$0] == nil })
    #expect((last["max_tokens"] as? Int, last["seed"] as? Int) == (9, 4))
  }

  // L16.3
  @Test func `the limit of the length has the name that the server asks for`() throws {
    var settings = CompletionModel.Settings()
    settings.mostTokens = 9
    let refusal =
      "{\"error\":{\"message\":\"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.\",\"param\":\"max_tokens\"}}"
    let answers = try ScriptedAnswer.run(2, [Step.refusal(400, refusal), Step.whole], settings: settings)
    #expect(answers[1].bodies.map { $0["max_completion_tokens"] as? Int } == [nil, 9, 9])
    #expect(answers[1].bodies.map { $0["max_tokens"] as? Int } == [9, nil, nil])
  }

  // L16.3
  @Test(arguments: [
    (400, #"{"error":{"message":"messages: text content blocks must be non-empty"}}"#),
    (400, #"{"error":{"message":"temperature must be between 0 and 2"}}"#),
    (400, #"{"error":{"message":"stream_options_v2 is unknown"}}"#),
    (403, #"{"error":{"message":"stream_options is not for you"}}"#),
  ]) func `another refusal is no reason to ask again`(status: Int, refusal: String) throws {
    var settings = CompletionModel.Settings()
    settings.fields = Data(#"{"temperature":5}"#.utf8)
    let answer = try ScriptedAnswer.run([Step.refusal(status, refusal), Step.whole], settings: settings)
    #expect((answer.requests.count, answer.text) == (1, ""))
  }

  // L16.3
  @Test func `the number that Anthropic's servers demand stays, whatever they say of it`() throws {
    let refusal = #"{"error":{"message":"max_tokens: 100000 > 8192, which is the maximum"}}"#
    let answer = try ScriptedAnswer.run([Step.refusal(400, refusal)], api: .messages)
    #expect((answer.requests.count, answer.error?.code) == (1, .rejected))
  }

  // L16.3
  @Test(arguments: [
    #"{"error":{"message":"Invalid system message store: instructions are unknown"}}"#,
    #"{"detail":[{"loc":["body","messages"],"msg":"unknown","input":"what is a good temperature, top_p and seed?"}]}"#,
    #"{"error":{"message":"Invalid 'temperature': decimal above maximum value. Expected a value <= 2.","code":"decimal_above_max_value"}}"#,
    #"{"error":{"message":"Unknown parameter. Supported parameters: temperature, top_p, stream_options"}}"#,
    #"{"error":{"message":"temperature and top_p cannot both be specified"}}"#,
  ]) func `a word that is no name of a refused field takes nothing away`(refusal: String) throws {
    var settings = CompletionModel.Settings()
    settings.fields = Data(#"{"temperature":0,"top_p":1,"seed":4}"#.utf8)
    let answers = try ScriptedAnswer.run(2, [Step.refusal(400, refusal), Step.whole], settings: settings)
    #expect(answers[0].error?.code == .rejected)
    let kept = ["temperature", "top_p", "seed", "stream_options"]
    #expect(answers[1].bodies.allSatisfy { body in kept.allSatisfy { body[$0] != nil } })
  }

  // L16.3
  @Test(arguments: [
    (400, #"{"error":{"message":"Unrecognized request argument supplied: include_usage"}}"#),
    (500, #"{"error":{"message":"stream options are not supported"}}"#),
    (400, #"{"error":{"message":"unknown field \"streamOptions\""}}"#),
    (422, "{\"detail\":\"Extra fields not permitted:\\nstream_options\"}"),
  ]) func `a refused field is known however it is spelled`(status: Int, refusal: String) throws {
    let answer = try ScriptedAnswer.run([Step.refusal(status, refusal), Step.whole])
    #expect((answer.text, answer.requests.count, answer.time) == ("Hello", 2, .zero))
    #expect(answer.bodies.map { $0["stream_options"] != nil } == [true, false])
  }

  // L16.3
  @Test func `a refusal within a stream is learned from too`() throws {
    let refusal = Step.piece("data: {\"error\":{\"message\":\"unknown parameter: stream_options\"}}\n\n")
    let answer = try ScriptedAnswer.run([[.head(200), refusal], Step.whole])
    #expect((answer.text, answer.requests.count) == ("Hello", 2))
  }

  // L16.3
  @Test func `a limit is renamed in both directions, and never dropped`() throws {
    var settings = CompletionModel.Settings()
    settings.fields = Data(#"{"max_completion_tokens":9}"#.utf8)
    let refusal = #"{"error":{"message":"unknown parameter: max_completion_tokens"}}"#
    let answer = try ScriptedAnswer.run([Step.refusal(400, refusal), Step.whole], settings: settings)
    #expect(answer.bodies.map { $0["max_tokens"] as? Int } == [nil, 9])
    let neither = #"{"error":{"message":"unknown parameter: max_tokens, max_completion_tokens"}}"#
    let refused = try ScriptedAnswer.run([Step.refusal(400, neither)], settings: settings)
    #expect((refused.requests.count, refused.error?.code) == (2, .rejected))
  }

  // L16.5
  @Test(arguments: [
    "System role not supported",
    "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
    "Developer instruction is not enabled: system prompt not supported",
  ]) func `instructions that a model does not take are in front of the first question`(sentence: String)
    throws
  {
    let prompt = ModelPrompt(
      [.init(.user, "a"), .init(.assistant, "b"), .init(.user, "c")], system: "Be brief.")
    let refusal = Step.refusal(400, "{\"error\":{\"message\":\"\(sentence)\"}}")
    let answers = try ScriptedAnswer.run(2, [refusal, Step.whole], prompt: prompt)
    #expect(answers.map { $0.end?.requests } == [2, 1])
    #expect(
      Self.roles(try #require(answers[1].bodies.last), "messages") == [
        "user: Be brief.\n\na", "assistant: b", "user: c",
      ])
  }

  // L16.3
  @Test func `null takes a field away`() throws {
    var settings = CompletionModel.Settings()
    settings.fields = Data(#"{"stream_options":null,"store":null,"top_k":3}"#.utf8)
    for api in CompletionAPI.allCases {
      let body = try #require(
        try ScriptedAnswer.run([[.head(401)]], api: api, settings: settings).bodies.first)
      #expect((body["stream_options"] == nil, body["store"] == nil, body["top_k"] as? Int) == (true, true, 3))
    }
  }

  // MARK: Roles

  private static func roles(_ body: [String: Any], _ name: String) -> [String] {
    (body[name] as? [[String: String]] ?? []).map { "\($0["role"] ?? ""): \($0["content"] ?? "")" }
  }

  // L16.5
  @Test func `an instruction within the conversation goes where the API takes it`() throws {
    let prompt = ModelPrompt(
      [.init(.user, "a"), .init(.assistant, "b"), .init(.system, "In rhymes."), .init(.user, "c")],
      system: "Be brief.")
    for (api, field, system) in [
      (CompletionAPI.messages, "messages", "system"), (.responses, "input", "instructions"),
    ] {
      let body = try #require(try ScriptedAnswer.run([[.head(401)]], api: api, prompt: prompt).bodies.first)
      #expect(body[system] as? String == "Be brief.\n\nIn rhymes.")
      #expect(Self.roles(body, field) == ["user: a", "assistant: b", "user: c"])
    }
    let chat = try #require(try ScriptedAnswer.run([[.head(401)]], prompt: prompt).bodies.first)
    #expect(
      Self.roles(chat, "messages") == [
        "system: Be brief.\n\nIn rhymes.", "user: a", "assistant: b", "user: c",
      ])
  }

  // L16.5
  @Test func `an instruction behind the last question is asked as one`() throws {
    let prompt = ModelPrompt([.init(.user, "a"), .init(.assistant, "b"), .init(.system, "Sum it up.")])
    let alone = ModelPrompt([.init(.system, "Say hello.")])
    let joined = ModelPrompt([.init(.user, "a"), .init(.system, " "), .init(.system, "Briefly.")])
    for (prompt, wanted) in [
      (prompt, ["user: a", "assistant: b", "user: Sum it up."]), (alone, ["user: Say hello."]),
      (joined, ["user: a\n\nBriefly."]),
    ] {
      let body = try #require(
        try ScriptedAnswer.run([[.head(401)]], api: .messages, prompt: prompt).bodies.first)
      #expect(body["system"] == nil)
      #expect(Self.roles(body, "messages") == wanted)
    }
  }

  // L16.5
  @Test(arguments: [
    ("The capital is ", [" Par", "is."], "Paris."), ("The capital is ", ["Paris."], "Paris."),
    ("The list:\n\n", ["\n", "\nOne"], "One"), ("The list:\n", ["\n\nOne"], "\nOne"),
    ("is", [" Paris"], " Paris"),
    (" \n", ["Hello"], "Hello"),
  ]) func `white space at the end of a beginning is not sent, and is there once`(
    beginning: String, words: [String], text: String
  ) throws {
    let steps = words.map { Step.delta($0.replacingOccurrences(of: "\n", with: "\\n")) }
    let answer = try ScriptedAnswer.run(
      [[.head(200)] + steps + [.delta("", finish: "stop"), .done]],
      prompt: ModelPrompt([.init(.user, "Go on.")], beginning: beginning))
    #expect(answer.text == text)
    let sent = Self.roles(try #require(answer.bodies.first), "messages").dropFirst()
    let trimmed = beginning.trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(Array(sent) == (trimmed.isEmpty ? [] : ["assistant: \(trimmed)"]))
  }

  // MARK: Addresses

  // L16.5
  @Test(arguments: [
    "https://example.org", "https://example.org/", "https://example.org/v1", "https://example.org/v1/",
    "https://example.org//v1", "https://example.org/v1//", "https://example.org/v1/models",
    "https://example.org/v1/chat/completions", "https://example.org/v1/chat/completions/",
    "https://example.org/v1/messages", "https://example.org/v1/responses/",
    "https://example.org/v1/completions",
  ]) func `an address is understood however it is spelled`(address: String) throws {
    for (api, path) in [
      (CompletionAPI.chatCompletions, "chat/completions"), (.responses, "responses"), (.messages, "messages"),
    ] {
      let answer = try ScriptedAnswer.run([[.head(401)]], api: api, url: address)
      #expect(answer.requests.map(\.url.absoluteString) == ["https://example.org/v1/\(path)"])
    }
    let deep = try ScriptedAnswer.run([[.head(401)]], url: "https://example.org/api/mymodels/?version=2")
    #expect(
      deep.requests.map(\.url.absoluteString) == [
        "https://example.org/api/mymodels/chat/completions?version=2"
      ])
  }

  // L16.5, P5
  @Test func `a server that moved to https is followed, and remembered`() throws {
    for status in [301, 302, 307, 308] {
      let moved = [Step.head(status, ["Location": "https://example.org/v1/chat/completions"])]
      let isForGood = [301, 308].contains(status)
      let scripts = [moved, Step.whole] + (isForGood ? [] : [moved]) + [Step.whole]
      let answers = try ScriptedAnswer.run(2, scripts, url: "http://example.org/v1")
      #expect(answers.map(\.text) == ["Hello", "Hello"])
      let again = isForGood ? ["https"] : ["http", "https"]
      #expect(answers[1].requests.map(\.url.scheme) == ["http", "https"] + again)
      #expect(answers[1].bodies.allSatisfy { $0["messages"] != nil })
    }
  }

  // L16.5, P5
  @Test(arguments: [
    "https://other.example.org/v1/chat/completions", "http://example.org/v1/chat/completions",
    "https://example.org.evil.example/v1", "//other.example/v1",
    "https://example.org:8443/v1/chat/completions",
  ]) func `a key goes to no other host, and to no server without encryption`(place: String) throws {
    let answer = try ScriptedAnswer.run([[.head(308, ["Location": place])]], key: { "sk-1" })
    #expect((answer.requests.count, answer.error?.code) == (1, .rejected))
    let host = try #require(URL(string: place, relativeTo: URL(string: "https://example.org"))?.host())
    #expect(answer.error?.message.contains(host) == true)
  }

  // L16.5, P5
  @Test func `the names of a server's models are read behind a redirection of its own alone`() throws {
    let moved = [Step.head(308, ["Location": "https://example.org/v1/models"])]
    let listed = [Step.head(200), .piece(#"{"data":[{"id":"gpt"}]}"#)]
    let followed = try ScriptedAnswer.names([moved, listed], url: "http://example.org/v1")
    #expect((followed.names, followed.requests.map(\.url.scheme)) == (["gpt"], ["http", "https"]))
    let away = [Step.head(307, ["Location": "https://other.example.org/v1/models"])]
    let refused = try ScriptedAnswer.names([away, listed], url: "https://example.org/v1", key: { "sk-1" })
    #expect((refused.names, refused.requests.count, refused.error?.code) == ([], 1, .rejected))
    let circle = try ScriptedAnswer.names([moved], url: "https://example.org/v1")
    #expect((circle.requests.count, circle.error?.code) == (4, .rejected))
  }

  // L16.5
  @Test func `redirections that lead in a circle end`() throws {
    let answer = try ScriptedAnswer.run([[.head(308, ["Location": "/v1/chat/completions"])]])
    #expect((answer.requests.count, answer.error?.code) == (4, .rejected))
  }

  // MARK: Reasons

  // L16.7
  @Test(arguments: [
    (
      400, #"{"error":{"message":"this model was retired"}}"#, ModelError.Code.rejected,
      "this model was retired"
    ),
    (403, #"{"error":{"message":"Country, region, or territory not supported"}}"#, .forbidden, "region"),
    (
      403, #"{"error":{"message":"Incorrect API key provided: sk-abcdefghijklmnopqrstuvwx"}}"#, .unauthorized,
      "Incorrect"
    ),
    (403, "", .unauthorized, "key"), (400, #"{"detail":"no such voice"}"#, .rejected, "no such voice"),
    (400, #"{"detail":[{"loc":["body","messages",0],"msg":"field required"}]}"#, .rejected, "field required"),
    (404, #"{"error":"model 'x' not found, try pulling it first"}"#, .unknownModel, "pulling"),
    (500, #"{"error":{"message":"image input is not supported"}}"#, .serverFailed, "image input"),
    (422, "plain words", .rejected, "plain words"), (400, "<html><p>x</p></html>", .rejected, "http 400"),
  ]) func `what a server says reaches its user`(
    status: Int, body: String, code: ModelError.Code, said: String
  ) throws {
    let answer = try ScriptedAnswer.run([Step.refusal(status, body)])
    let error = try #require(answer.error)
    #expect((error.code, answer.requests.count) == (code, 1))
    let shown = try #require(error.errorDescription)
    #expect(shown.contains(said) && !shown.contains("sk-abc"))
    #expect(!"\(error)".contains("retired") && !"\(error)".contains("region"), "A log has none of it.")
  }

  // L16.4
  @Test(
    arguments: [
      (400, "This model's maximum context length is 4096 tokens. However, you requested 5120 tokens.", 0.8),
      (400, "prompt is too long: 250,000 tokens > 200,000 maximum", 0.8),
      (400, "the request exceeds the available context size (4096 tokens), try increasing it", nil),
      (400, "The input token count (1310720) exceeds the maximum number of tokens allowed (1048576).", 0.8),
      (400, "Please reduce the length of the messages or completion.", nil),
      (400, "Prompt contains 40960 tokens, too large for model with 32768 maximum context length", 0.8),
      (
        400,
        "Trying to keep the first 5120 tokens when context the overflows. The number of tokens to keep is greater than the context length",
        nil
      ),
      (400, "Range of input length should be [1, 30720]", nil), (413, "request_too_large", nil),
      (500, "prompt too long; exceeded max context length by 20 tokens", nil),
      (200, "The number of tokens is greater than the context length of only 4096 tokens", nil),
    ] as [(Int, String, Double?)]) func `a prompt that is too long is known by every server's words`(
      status: Int, words: String, part: Double?
    ) throws
  {
    let answer = try ScriptedAnswer.run([Step.refusal(status, "{\"error\":{\"message\":\"\(words)\"}}")])
    #expect((answer.error?.code, answer.requests.count) == (.promptTooLong, 1))
    #expect(answer.error?.takenPart == part)
  }

  // L16.4
  @Test(arguments: [
    (
      429, "Request too large for gpt-4 on tokens per min (TPM): Limit 50000, Requested 40000",
      ModelError.Code.overloaded
    ),
    (400, "You exceeded your rate limit of 4096 tokens per minute; reduce the context length", .rejected),
    (413, "The image is too large", .rejected), (400, "image_too_large", .rejected),
  ]) func `a limit of another kind is no prompt that is too long`(
    status: Int, words: String, code: ModelError.Code
  ) throws {
    let answer = try ScriptedAnswer.run([Step.refusal(status, "{\"error\":{\"message\":\"\(words)\"}}")])
    #expect(answer.error?.code == code)
  }
}
