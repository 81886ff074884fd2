import Foundation
import HoldfastCore
import HoldfastHTTP
import Testing

@testable import HoldfastCompletions

/// Requests for answers, in virtual time (rule B10).
@Suite(.timeLimit(.minutes(2))) struct CompletionModelTests {
  typealias Step = ScriptedHTTPClient.Step

  // B10.1
  @Test func `an answer comes word by word, and ends with its reason`() throws {
    let outcome = try ScriptedAnswer.run([Step.whole])
    #expect((outcome.text, outcome.error) == ("Hello", nil))
    #expect(outcome.end == ModelEnd(.stop, word: "stop", requests: 1))
    #expect(outcome.requests.map(\.url.absoluteString) == ["https://example.org/v1/chat/completions"])
  }

  // B10.3
  @Test(arguments: [
    [Step.fail(.unreachable)], [.head(500), .piece("oh")], [.head(503)], [.head(429)], [.head(529)],
    [.head(200), .fail(.unreachable)],
    [.head(200), .piece("data: {\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n\n")],
  ]) func `a request is repeated while nothing has come, at most three times`(failing: [Step]) throws {
    let mended = try ScriptedAnswer.run([failing, failing, failing, Step.whole])
    #expect((mended.text, mended.error) == ("Hello", nil))
    #expect(mended.end?.requests == 4)
    #expect(mended.time == .seconds(7))
    let failed = try ScriptedAnswer.run([failing])
    #expect((failed.text, failed.end) == ("", nil))
    #expect(failed.error?.requests == 4)
    #expect([.unreachable, .overloaded, .serverFailed].contains(failed.error?.code))
  }

  // B10.3
  @Test(arguments: [
    ([Step.fail(.unreachable)], ModelError.Code.cutOff), ([], .cutOff), ([.done], .cutOff),
    ([.pause(.seconds(31)), .delta("lo", finish: "stop")], .silent),
    ([.piece("data: {\"error\":{\"code\":\"server_error\",\"message\":\"x\"}}\n\n")], .serverFailed),
    ([.piece("data: {\"error\":{\"type\":\"overloaded_error\"}}\n\n")], .overloaded),
    ([.piece("data: {oh\n\n")], .malformed),
  ]) func `no second answer is asked for once a word has come`(rest: [Step], code: ModelError.Code) throws {
    let outcome = try ScriptedAnswer.run([[.head(200), Step.delta("Hel")] + rest])
    #expect((outcome.text, outcome.end) == ("Hel", nil))
    #expect(outcome.error?.code == code)
    #expect(outcome.error?.isCutOff == [.cutOff, .silent].contains(code))
    #expect(outcome.requests.count == 1)
    #expect(outcome.error?.requests == 1)
  }

  // B10.3
  @Test(arguments: [
    ([Step.head(401)], ModelError.Code.unauthorized), ([.head(403)], .unauthorized),
    ([.head(404)], .unknownModel),
    ([.head(400)], .rejected), ([.head(402)], .quotaExceeded), ([.head(307)], .rejected),
    (
      [
        .head(429, ["Content-Type": "application/json"]),
        .piece("{\"error\":{\"code\":\"insufficient_quota\"}}"),
      ],
      .quotaExceeded
    ),
    (
      [
        .head(400, ["Content-Type": "application/json"]),
        .piece("{\"error\":{\"type\":\"exceed_context_size_error\"}}"),
      ],
      .promptTooLong
    ),
    ([.fail(.unknownHost)], .unreachable), ([.fail(.untrusted)], .untrusted),
    ([.head(200, ["Content-Type": "text/html"]), .piece("<html>")], .malformed),
  ]) func `what a repetition cannot help is said at once`(script: [Step], code: ModelError.Code) throws {
    let outcome = try ScriptedAnswer.run([script])
    #expect(outcome.error?.code == code)
    #expect((outcome.requests.count, outcome.time) == (1, .zero))
    #expect(outcome.error?.message.hasSuffix(".") == true || outcome.error?.message.hasSuffix(")") == true)
  }

  // B10.3
  @Test(arguments: [
    ("5", Duration.seconds(5)), ("0", .seconds(1)), ("Tue, 14 Nov 2023 22:13:50 GMT", .seconds(30)),
    ("soon", .seconds(1)),
    ("-4", .seconds(1)),
  ]) func `a server that asks for patience gets it`(asked: String, time: Duration) throws {
    let outcome = try ScriptedAnswer.run([[.head(429, ["Retry-After": asked])], Step.whole])
    #expect((outcome.text, outcome.time) == ("Hello", time))
  }

  // B10.3
  @Test func `a server that asks for more patience than there is ends the answer`() throws {
    let outcome = try ScriptedAnswer.run([[.head(429, ["retry-after": "61"])], Step.whole])
    #expect((outcome.error?.code, outcome.requests.count) == (.overloaded, 1))
  }

  // B10.1
  @Test func `silence has two limits`() throws {
    let slow = try ScriptedAnswer.run([
      [.pause(.seconds(119)), .head(200), .pause(.seconds(119)), Step.delta("a", finish: "stop")]
    ])
    #expect(slow.text == "a")
    for script in [
      [Step.pause(.seconds(121)), .head(200)], [.head(200), .pause(.seconds(121)), Step.delta("a")],
    ] {
      let outcome = try ScriptedAnswer.run([script])
      #expect((outcome.error?.code, outcome.requests.count) == (.silent, 1))
    }
    let late = try ScriptedAnswer.run([
      [.head(200), Step.delta("a"), .pause(.seconds(29)), Step.delta("b", finish: "stop")]
    ])
    #expect(late.text == "ab")
    let quiet = try ScriptedAnswer.run([
      [.head(200), Step.delta("ab", finish: "stop"), .pause(.seconds(31)), Step.done]
    ])
    #expect(quiet.end?.reason == .stop, "The finish had come.")
  }

  // B10.1
  @Test func `who leaves an answer leaves the server`() throws {
    let outcome = try ScriptedAnswer.run([Step.whole], leavingAfter: 1)
    #expect((outcome.text, outcome.cancelled) == ("Hel", 1))
    #expect(try ScriptedAnswer.run([Step.whole]).cancelled == 1)
  }

  // B10.1, P5
  @Test func `a key goes to this machine or over TLS, and nowhere else`() throws {
    let key: @Sendable () async throws -> String = { "sk-1" }
    for (url, isSent) in [
      ("https://example.org", true), ("http://127.0.0.1:80", true), ("http://localhost:80/v1", true),
      ("http://example.org", false), ("http://127.example.org", false), ("ftp://example.org", false),
    ] {
      let outcome = try ScriptedAnswer.run([Step.whole], url: url, key: key)
      #expect(outcome.requests.count == (isSent ? 1 : 0), "\(url)")
      #expect(outcome.requests.first?.headers["Authorization"] == (isSent ? "Bearer sk-1" : nil))
    }
    let plain = try ScriptedAnswer.run([Step.whole], url: "http://example.org")
    #expect(plain.requests.map { $0.headers["Authorization"] } == [nil])
    let anthropic = try ScriptedAnswer.run([[.head(401)]], api: .messages, key: key)
    #expect(anthropic.requests.first?.headers["x-api-key"] == "sk-1")
    for bad in ["", "a b", "a\r\nX: y"] {
      let outcome = try ScriptedAnswer.run([Step.whole], key: { bad })
      #expect((outcome.error?.code, outcome.requests.count) == (.unauthorized, 0))
      #expect(bad.isEmpty || outcome.error?.message.contains(bad) == false)
    }
  }

  // B10.1
  @Test func `each API is asked in its own words`() throws {
    var settings = CompletionModel.Settings()
    (settings.mostTokens, settings.fields) = (9, Data("{\"temperature\":0}".utf8))
    var prompt = ModelPrompt(
      [.init(.user, "a"), .init(.assistant, "b"), .init(.user, "c"), .init(.user, "e")], system: "Be brief.",
      beginning: "d")
    let wanted: [CompletionAPI: String] = [
      .chatCompletions:
        #"{"max_tokens":9,"messages":[{"content":"Be brief.","role":"system"},{"content":"a","role":"user"},{"content":"b","role":"assistant"},{"content":"c\n\ne","role":"user"},{"content":"d","role":"assistant"}],"model":"m","stream":true,"stream_options":{"include_usage":true},"temperature":0}"#,
      .responses:
        #"{"input":[{"content":"a","role":"user","type":"message"},{"content":"b","role":"assistant","type":"message"},{"content":"c\n\ne","role":"user","type":"message"},{"content":"d","role":"assistant","type":"message"}],"instructions":"Be brief.","max_output_tokens":9,"model":"m","store":false,"stream":true,"temperature":0}"#,
      .messages:
        #"{"max_tokens":9,"messages":[{"content":"a","role":"user"},{"content":"b","role":"assistant"},{"content":"c\n\ne","role":"user"},{"content":"d","role":"assistant"}],"model":"m","stream":true,"system":"Be brief.","temperature":0}"#,
    ]
    for api in CompletionAPI.allCases {
      let request = try #require(
        try ScriptedAnswer.run([[.head(401)]], api: api, prompt: prompt, settings: settings).requests.first)
      let body = String(decoding: request.body ?? Data(), as: UTF8.self)
      #expect(body.replacingOccurrences(of: ", ", with: ",") == wanted[api])
    }
    prompt.system = nil
    settings.fields = Data("[]".utf8)
    #expect(try ScriptedAnswer.run([Step.whole], prompt: prompt, settings: settings).error?.code == .rejected)
  }

  // A6.1
  @Test func `any sequence of words is a model`() async throws {
    let words = AsyncStream<String> { continuation in
      for word in ["Hel", "lo"] { continuation.yield(word) }
      continuation.finish()
    }
    var parts: [ModelPart] = []
    for try await part in ModelAnswer(words) { parts.append(part) }
    #expect(parts == [.text("Hel"), .text("lo"), .end(ModelEnd())])
  }
}
