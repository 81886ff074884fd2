import Foundation
import HoldfastCore
import HoldfastHTTP

/// The request for an answer, in the words of each API.
struct CompletionRequest {
  /// The length that Anthropic's servers are asked for, because they demand one.
  private static let usualTokens = 4_096

  let model: CompletionModel
  let prompt: ModelPrompt
  /// The address to which the server has sent. Nil: its own.
  var address: URL?

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
  func listing(at url: URL) async throws -> HTTPRequest {
    HTTPRequest(
      "GET", url, headers: try await headers(for: url).merging(model.settings.headers) { $1 })
  }

  /// The usual address of the names of the server's models.
  func listingAddress() throws(ModelError) -> URL { try base().appending(path: "models") }

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

  private func endpoint() throws(ModelError) -> URL {
    if let address = address ?? model.habits.known.address { return address }
    return try base().appending(path: path)
  }

  /// The address in front of the API's own path.
  private func base() throws(ModelError) -> URL {
    guard let scheme = model.url.scheme?.lowercased(), ["http", "https"].contains(scheme),
      model.url.host(percentEncoded: false)?.isEmpty == false, model.url.user() == nil,
      model.url.fragment() == nil, var parts = URLComponents(url: model.url, resolvingAgainstBaseURL: false)
    else {
      throw ModelError(
        .rejected, "The model's address is not one of a server, such as https://api.openai.com/v1.")
    }
    var names = parts.percentEncodedPath.split(separator: "/")
    // People paste the address that a page or another app shows.
    let endpoints = [
      ["chat", "completions"], ["messages", "count_tokens"], ["api", "chat"], ["api", "generate"],
      ["api", "tags"],
      ["completions"], ["responses"], ["messages"], ["models"], ["embeddings"], ["chat"],
    ]
    let isEnd = { (end: [String]) in names.suffix(end.count).map { $0.lowercased() } == end }
    if let endpoint = endpoints.first(where: isEnd) { names.removeLast(endpoint.count) }
    parts.scheme = scheme
    parts.percentEncodedPath = names.isEmpty ? "/v1" : "/" + names.joined(separator: "/")
    return parts.url ?? model.url
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

  func body() throws(ModelError) -> Data {
    let (system, turns) = conversation
    var fields: [String: Any] = ["model": model.name, "stream": true]
    switch model.api {
    case .chatCompletions:
      fields["stream_options"] = ["include_usage": true]
      fields["messages"] = (system.map { [["role": "system", "content": $0]] } ?? []) + turns
      if let most = model.settings.mostTokens { fields["max_tokens"] = most }
    case .responses:
      // llama.cpp takes no assistant's turn without the type.
      fields["input"] = turns.map { $0.merging(["type": "message"]) { $1 } }
      // The server keeps nothing: the conversation is here.
      fields["store"] = false
      if let system { fields["instructions"] = system }
      if let most = model.settings.mostTokens { fields["max_output_tokens"] = most }
    case .messages:
      fields["messages"] = turns
      fields["max_tokens"] = model.settings.mostTokens ?? Self.usualTokens
      if let system { fields["system"] = system }
    }
    if let further = model.settings.fields {
      guard let further = try? JSONSerialization.jsonObject(with: further) as? [String: Any] else {
        throw ModelError(.rejected, "The further fields of the model's settings are no JSON object.")
      }
      for (name, value) in further { fields[name] = value is NSNull ? nil : value }
    }
    adapt(&fields)
    guard
      let body = try? JSONSerialization.data(
        withJSONObject: fields, options: [.sortedKeys, .withoutEscapingSlashes])
    else { throw ModelError(.rejected, "The prompt cannot be written as JSON.") }
    return body
  }

  /// The model's instructions, and the turns, of which those of one side in a row are one: some
  /// models take only turns that alternate.
  ///
  /// An instruction within the conversation goes to the front, because many templates and Anthropic's servers take it
  /// there alone. Behind the last question it is the user's: it is what the model is to answer.
  private var conversation: (system: String?, turns: [[String: String]]) {
    let question = prompt.turns.lastIndex { $0.role == .user } ?? -1
    var (system, joined) = ([String](), [ModelPrompt.Turn]())
    if let text = prompt.system, !text.isBlank { system.append(text) }
    for (place, turn) in prompt.turns.enumerated() where !turn.text.isBlank {
      guard turn.role != .system || place > question else {
        system.append(turn.text)
        continue
      }
      let role = turn.role == .system ? .user : turn.role
      if let last = joined.last, last.role == role {
        joined[joined.count - 1].text = "\(last.text)\n\n\(turn.text)"
      } else {
        joined.append(.init(role, turn.text))
      }
    }
    if model.habits.known.takesNoSystem, !system.isEmpty {
      let instructions = system.joined(separator: "\n\n")
      if joined.first?.role == .user {
        joined[0].text = "\(instructions)\n\n\(joined[0].text)"
      } else {
        joined.insert(.init(.user, instructions), at: 0)
      }
      system = []
    }
    if let beginning = prompt.sentBeginning { joined.append(.init(.assistant, beginning)) }
    return (
      system.isEmpty ? nil : system.joined(separator: "\n\n"),
      joined.map { ["role": $0.role.rawValue, "content": $0.text] }
    )
  }
}

extension ModelPrompt {
  /// The beginning of the answer without the white space at its end, which Anthropic's servers refuse. Nil when nothing
  /// is left.
  var sentBeginning: String? {
    guard let beginning, let end = beginning.lastIndex(where: { !$0.isWhitespace }) else { return nil }
    return String(beginning[...end])
  }

  /// The white space at the end of the beginning. The model may say it again.
  var heldBack: Substring {
    guard let beginning else { return "" }
    return beginning[
      (beginning.lastIndex { !$0.isWhitespace }.map(beginning.index(after:)) ?? beginning.startIndex)...]
  }
}
