import Foundation
import HoldfastCore
import HoldfastHTTP
import HoldfastTesting
import Testing

@testable import HoldfastCompletions

/// One loop over an answer of a scripted server, in virtual time.
struct ScriptedAnswer: Sendable {
  typealias Step = ScriptedHTTPClient.Step

  var text = ""
  var reasoning = ""
  var end: ModelEnd?
  var error: ModelError?
  /// All requests of the loop, and of those before it.
  var requests: [HTTPRequest] = []
  var cancelled = 0
  var time: Duration = .zero

  /// The bodies of the requests.
  var bodies: [[String: Any]] {
    requests.map { (try? JSONSerialization.jsonObject(with: $0.body ?? Data())) as? [String: Any] ?? [:] }
  }

  static func run(
    _ scripts: [[Step]], api: CompletionAPI = .chatCompletions,
    url: String = "https://example.org/v1", prompt: ModelPrompt = ModelPrompt("Hello?"),
    settings: CompletionModel.Settings = CompletionModel.Settings(),
    key: (@Sendable () async throws -> String)? = nil, leavingAfter most: Int = .max
  ) throws -> ScriptedAnswer {
    let answers = try run(
      1, scripts, api: api, url: url, prompt: prompt, settings: settings, key: key, leavingAfter: most)
    return try #require(answers.first)
  }

  private static func model(
    _ scheduler: SeededScheduler, _ httpClient: ScriptedHTTPClient, api: CompletionAPI, url: String,
    settings: CompletionModel.Settings, key: (@Sendable () async throws -> String)?
  ) throws -> CompletionModel {
    var environment = ChatEnvironment()
    environment.uptime = { scheduler.now }
    environment.sleep = { try await scheduler.sleep(until: $0) }
    environment.now = { Date(timeIntervalSince1970: 1_700_000_000) }
    environment.random = { 0 }
    return CompletionModel(
      try #require(URL(string: url)), model: "m", api: api, key: key, settings: settings,
      environment: environment, httpClient: httpClient)
  }

  /// Asks a server for the names of its models.
  static func names(
    _ scripts: [[Step]], url: String, key: (@Sendable () async throws -> String)? = nil
  ) throws -> (names: [String], error: ModelError?, requests: [HTTPRequest]) {
    let scheduler = SeededScheduler(seed: 1)
    let httpClient = ScriptedHTTPClient(scheduler, scripts)
    let model = try model(
      scheduler, httpClient, api: .chatCompletions, url: url, settings: CompletionModel.Settings(), key: key)
    return try scheduler.run {
      do {
        return (try await model.servedModels(), nil, httpClient.requests)
      } catch {
        return ([], error as? ModelError, httpClient.requests)
      }
    }
  }

  /// Asks one model so many times, one question behind the other.
  static func run(
    _ times: Int, _ scripts: [[Step]], api: CompletionAPI = .chatCompletions,
    url: String = "https://example.org/v1", prompt: ModelPrompt = ModelPrompt("Hello?"),
    settings: CompletionModel.Settings = CompletionModel.Settings(),
    key: (@Sendable () async throws -> String)? = nil, leavingAfter most: Int = .max
  ) throws -> [ScriptedAnswer] {
    let scheduler = SeededScheduler(seed: 1)
    let httpClient = ScriptedHTTPClient(scheduler, scripts)
    let model = try model(scheduler, httpClient, api: api, url: url, settings: settings, key: key)
    return try scheduler.run {
      var answers: [ScriptedAnswer] = []
      for _ in 0..<times {
        var (answer, count) = (ScriptedAnswer(), 0)
        do {
          for try await part in model.answer(prompt) {
            answer.add(part)
            count += 1
            if count == most { break }
          }
        } catch {
          answer.error = error as? ModelError
        }
        (answer.requests, answer.cancelled, answer.time) = (
          httpClient.requests, httpClient.cancelled, scheduler.now
        )
        answers.append(answer)
      }
      return answers
    }
  }

  private mutating func add(_ part: ModelPart) {
    switch part {
    case .text(let text): self.text += text
    case .reasoning(let text): reasoning += text
    case .end(let end): self.end = end
    }
  }
}

extension ScriptedHTTPClient.Step {
  static func delta(_ text: String, finish: String? = nil) -> Self {
    .piece(
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\(text)\"},\"finish_reason\":\(finish.map { "\"\($0)\"" } ?? "null")}]}\n\n"
    )
  }
  static let done = Self.piece("data: [DONE]\n\n")
  static let whole: [Self] = [.head(200), .delta("Hel"), .delta("lo", finish: "stop"), .done]
  /// An answer that is an error, with a body.
  static func refusal(_ status: Int, _ body: String) -> [Self] {
    [.head(status, ["Content-Type": "application/json"]), .piece(body)]
  }
}
