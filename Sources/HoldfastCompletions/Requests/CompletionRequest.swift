import Foundation
import HoldfastCore
import HoldfastHTTP

/// The request for an answer, in the words of each API.
struct CompletionRequest {
  /// The length that Anthropic's servers are asked for, because they demand one.
  private static let usualTokens = 4_096

  let model: CompletionModel
  let prompt: ModelPrompt

  /// - Throws: ``ModelError`` with code `rejected` when the address or the settings are unusable, or `unauthorized` when there
  ///   is no key.
  func http() async throws -> HTTPRequest {
    let url = try endpoint()
    var headers = try await headers(for: url)
    headers["Content-Type"] = "application/json"
    headers["Accept"] = "text/event-stream"
    headers.merge(model.settings.headers) { $1 }
    return HTTPRequest("POST", url, headers: headers, body: try body())
  }

  /// The request for the names of the server's models.
  ///
  /// - Throws: as ``http()``.
  func listing() async throws -> HTTPRequest {
    let url = try base().appending(path: "models")
    return HTTPRequest(
      "GET", url, headers: try await headers(for: url).merging(model.settings.headers) { $1 })
  }

  private func headers(for url: URL) async throws -> [String: String] {
    var headers: [String: String] = [:]
    if let key = try await key(for: url) {
      switch model.api {
      case .chatCompletions, .responses: headers["Authorization"] = "Bearer \(key)"
      case .messages: headers["x-api-key"] = key
      }
    }
    if model.api == .messages { headers["anthropic-version"] = "2023-06-01" }
    return headers
  }

  private var path: String {
    switch model.api {
    case .chatCompletions: "chat/completions"
    case .responses: "responses"
    case .messages: "messages"
    }
  }

  private func endpoint() throws(ModelError) -> URL { try base().appending(path: path) }

  /// The address in front of the API's own path.
  private func base() throws(ModelError) -> URL {
    guard let scheme = model.url.scheme?.lowercased(), ["http", "https"].contains(scheme),
      model.url.host(percentEncoded: false)?.isEmpty == false, model.url.user() == nil,
      model.url.fragment() == nil
    else {
      throw ModelError(
        .rejected, "The model's address is not one of a server, such as https://api.openai.com/v1.")
    }
    let given = model.url.path(percentEncoded: false)
    guard !given.hasSuffix("/\(path)") else {
      return path.split(separator: "/").reduce(model.url) { url, _ in url.deletingLastPathComponent() }
    }
    return given.isEmpty || given == "/" ? model.url.appending(path: "v1") : model.url
  }

  private func key(for url: URL) async throws -> String? {
    guard let key = model.key else { return nil }
    let isOpen = url.scheme?.lowercased() == "http"
    guard !isOpen || HostName(url.host(percentEncoded: false) ?? "").isThisMachine else {
      throw ModelError(
        .unauthorized, "The key is not sent without encryption. Use an address that begins with https.")
    }
    do {
      return try await BearerToken.value(of: key)
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw ModelError(.unauthorized, "There is no key for the model's server, or it is none.")
    }
  }

  private func body() throws(ModelError) -> Data {
    var fields: [String: Any] = ["model": model.name, "stream": true]
    switch model.api {
    case .chatCompletions:
      fields["stream_options"] = ["include_usage": true]
      fields["messages"] = (prompt.system.map { [["role": "system", "content": $0]] } ?? []) + turns
      if let most = model.settings.mostTokens { fields["max_tokens"] = most }
    case .responses:
      fields["input"] = turns
      // The server keeps nothing: the conversation is here.
      fields["store"] = false
      if let system = prompt.system { fields["instructions"] = system }
      if let most = model.settings.mostTokens { fields["max_output_tokens"] = most }
    case .messages:
      fields["messages"] = turns
      fields["max_tokens"] = model.settings.mostTokens ?? Self.usualTokens
      if let system = prompt.system { fields["system"] = system }
    }
    if let further = model.settings.fields {
      guard let further = try? JSONSerialization.jsonObject(with: further) as? [String: Any] else {
        throw ModelError(.rejected, "The further fields of the model's settings are no JSON object.")
      }
      fields.merge(further) { $1 }
    }
    guard
      let body = try? JSONSerialization.data(
        withJSONObject: fields, options: [.sortedKeys, .withoutEscapingSlashes])
    else { throw ModelError(.rejected, "The prompt cannot be written as JSON.") }
    return body
  }

  /// The turns, of which those of one side in a row are one: some models take only turns that alternate.
  private var turns: [[String: String]] {
    var joined: [ModelPrompt.Turn] = []
    for turn in prompt.turns {
      if let last = joined.last, last.role == turn.role {
        joined[joined.count - 1].text = "\(last.text)\n\n\(turn.text)"
      } else {
        joined.append(turn)
      }
    }
    let turns = joined.map { ["role": $0.role.rawValue, "content": $0.text] }
    return turns + (prompt.beginning.map { [["role": "assistant", "content": $0]] } ?? [])
  }
}
