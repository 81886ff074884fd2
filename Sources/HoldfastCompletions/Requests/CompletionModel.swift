import Foundation
import HoldfastCore
import HoldfastHTTP

/// A language model behind a server that streams its answers: OpenAI's, Anthropic's, or one that speaks alike, such as
/// llama.cpp, vLLM and Ollama.
///
/// ```swift
/// let model = CompletionModel(URL(string: "http://127.0.0.1:8080/v1")!, model: "qwen3")
/// for try await part in model.answer(ModelPrompt("What is the tide?")) {
///   if case .text(let text) = part { print(text, terminator: "") }
/// }
/// ```
///
/// An answer is asked for once. The request is repeated at most three times, and only while nothing has come: when the
/// server cannot be reached, has too much to do or fails. No request follows on the first word of an answer, because a
/// second answer costs as much as the first: the reader decides. A field that the server refuses by its name is left
/// out of one more request, and of all that follow; ``ModelEnd/requests`` counts it.
///
/// The client reads bytes, so that no event is lost whatever the network does to it; it holds one event of at most 8
/// MB, and a megabyte of what has not been read. A redirection is followed to the same host alone, because the key goes
/// along, and never from https to http.
public struct CompletionModel: AnsweringModel {
  /// What differs from server to server, and from app to app.
  public struct Settings: Sendable {
    /// The time for which the first word of an answer or of a thought is waited for, from the last sign of life of the
    /// server. A server may queue a request for long, and a model may think for long before it says anything.
    public var firstWordLimit: Duration = .seconds(120)
    /// The time for which the next byte is waited for, behind the first word.
    public var silenceLimit: Duration = .seconds(30)
    /// The number of requests beyond the first while nothing has come.
    public var mostRepeats = 3
    /// The longest time for which a server may ask to be left alone. Beyond it, the answer fails.
    public var longestWait: Duration = .seconds(60)
    /// Whether the model goes on with the beginning of an answer. llama.cpp's chat completions do, and some services
    /// refuse it.
    public var continuesAnswers = false
    /// The most tokens of an answer. Nil: what the server takes for it. Anthropic's servers demand a number, and get
    /// 4,096.
    public var mostTokens: Int?
    /// Further fields of the request's JSON object, such as a temperature, as a JSON object. They replace fields of the
    /// client, and `null` takes one away: `{"stream_options": null}`.
    public var fields: Data?
    /// Whether an answer that begins with `<think>…</think>` has a thought there. Servers that do not take a model's
    /// thoughts apart send them so. An answer whose server sends thoughts by themselves is left as it is.
    public var readsThoughtTags = true
    /// Further headers of the request.
    public var headers: [String: String] = [:]

    /// The recommended settings.
    public init() {}
  }

  /// The model's name, as the server knows it.
  public let name: String
  let habits = ServerHabits()
  /// ``Settings/continuesAnswers``.
  public var continuesAnswers: Bool { settings.continuesAnswers }
  let url: URL
  let api: CompletionAPI
  let key: (@Sendable () async throws -> String)?
  let settings: Settings
  let environment: ChatEnvironment
  let httpClient: any HTTPClient

  /// A model behind this server. Nothing is sent before an answer is read.
  ///
  /// - Parameters:
  ///   - settings: what goes with each question, such as the temperature.
  ///   - url: the server's base, such as `https://api.openai.com/v1`. An address without a path gets `/v1`, and that of an
  ///     endpoint, such as `…/v1/chat/completions` or `…/v1/models`, is one of its base.
  ///   - model: the model's name, as the server knows it.
  ///   - api: the way in which the server is asked.
  ///   - key: returns the account's key, which an app keeps in a credential store (`HoldfastCredentials`). It is asked for
  ///     each request, is never stored or logged, and is sent to another machine only over TLS. Nil: the server wants none.
  ///   - environment: the clock and the randomness.
  public init(
    _ url: URL, model: String, api: CompletionAPI = .chatCompletions,
    key: (@Sendable () async throws -> String)? = nil, settings: Settings = Settings(),
    environment: ChatEnvironment = ChatEnvironment()
  ) {
    self.init(
      url, model: model, api: api, key: key, settings: settings, environment: environment,
      httpClient: URLSessionHTTPClient())
  }

  package init(
    _ url: URL, model: String, api: CompletionAPI = .chatCompletions,
    key: (@Sendable () async throws -> String)? = nil, settings: Settings = Settings(),
    environment: ChatEnvironment, httpClient: any HTTPClient
  ) {
    (self.url, name, self.api, self.key) = (url, model, api, key)
    (self.settings, self.environment, self.httpClient) = (settings, environment, httpClient)
  }

  /// Asks the server, once somebody reads the answer.
  public func answer(_ prompt: ModelPrompt) -> ModelAnswer {
    ModelAnswer(parts: CompletionAnswer(model: self, prompt: prompt))
  }
}
