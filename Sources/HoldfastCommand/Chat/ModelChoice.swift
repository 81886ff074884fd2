import ArgumentParser
import Foundation
import Holdfast
import HoldfastAssistant
import HoldfastCore
import Synchronization

/// The model's server from a command line, with everything needed to ask it.
struct ModelChoice: Sendable {
  /// The server's base address. Without a scheme, it is http for this machine, and https for any other.
  var address: String
  /// The model's name. Nil: the server's first one that can chat.
  var name: String?
  /// The option with which a user names the model.
  var nameOption = "--name"
  var api = CompletionAPI.chatCompletions
  var keyFile: String?
  /// Whether the model continues answers that were cut off.
  var continues = false
  /// Further fields of each request, as a JSON object.
  var fields: String?
  var firstWordLimit = CompletionModel.Settings().firstWordLimit
  var silenceLimit = CompletionModel.Settings().silenceLimit

  /// Makes models of the server by their names, each once: a model may remember the server's refusals. Sends no
  /// requests.
  ///
  /// - Throws: `ValidationError` when the address or the fields are malformed, ``Complaint`` when the key file is
  ///   unusable.
  func maker() throws -> @Sendable (String) -> CompletionModel {
    guard let url = Self.url(of: address) else {
      throw ValidationError(
        "“\(address)” is no address of a server. Give one such as http://127.0.0.1:8080/v1.")
    }
    guard fields.map(Self.isObject) != false else {
      throw ValidationError("The fields are no JSON object. Give one such as {\"top_p\": 0.9}.")
    }
    var settings = CompletionModel.Settings()
    settings.continuesAnswers = continues
    (settings.firstWordLimit, settings.silenceLimit) = (firstWordLimit, silenceLimit)
    settings.fields = fields.map { Data($0.utf8) }
    let key = try keyFile.map { try KeyFile($0).reading }
    return Self.eachOnce { [api, settings] in
      CompletionModel(url, model: $0, api: api, key: key, settings: settings)
    }
  }

  /// Makes a value for a name on first use, and keeps it.
  static func eachOnce<Value: Sendable>(
    _ make: @escaping @Sendable (String) -> Value
  ) -> @Sendable (String) -> Value {
    let made = Mutex<[String: Value]>([:])
    return { name in
      made.withLock { made in
        let value = made[name] ?? make(name)
        made[name] = value
        return value
      }
    }
  }

  /// The URL of a server, from the user's text. Nil when the text is not such a URL.
  static func url(of text: String) -> URL? {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    let hasScheme = text.contains("://")
    guard let url = URL(string: hasScheme ? text : "https://\(text)"),
      ["http", "https"].contains(url.scheme?.lowercased() ?? ""),
      let host = url.host(percentEncoded: false), !host.isEmpty, !host.contains(where: \.isWhitespace)
    else { return nil }
    if hasScheme { return url }
    if HostName(host.trimmingCharacters(in: ["[", "]"])).isThisMachine {
      return URL(string: "http://\(text)")
    }
    // A single word is more likely an error than the name of a machine.
    return host.contains(".") || url.port != nil ? url : nil
  }

  private static func isObject(_ text: String) -> Bool {
    (try? JSONSerialization.jsonObject(with: Data(text.utf8))) is [String: Any]
  }

  /// Asks the server for its models. A given name is not checked against them: services accept more names than they
  /// list.
  ///
  /// - Returns: the name of the model that answers, and the server's models.
  /// - Throws: as ``maker()``, and ``Complaint`` when the server is unreachable, refuses the key, or has no model
  ///   that can be chosen.
  func served() async throws -> (usual: String, all: ServedModels) {
    var all = ServedModels()
    do {
      all.names = try await maker()(name ?? "").servedModels()
    } catch let error as ModelError {
      // With a name, the list is only a help.
      let isThere = ![.unreachable, .untrusted, .unauthorized].contains(error.code)
      let isList = error.code == .unknownModel || error.code == .rejected
      guard isThere, name != nil || isList else {
        throw Complaint(.failed, error.errorDescription ?? error.message)
      }
    }
    guard let usual = name ?? all.usual else {
      let reason =
        all.listed.map { "By their names, the server's models do not chat: \($0)." }
        ?? "The server does not say which models it has."
      throw Complaint(.failed, "\(reason) Name one of them with \(nameOption).")
    }
    return (usual, all)
  }
}

extension ModelChoice {
  /// The equivalent options of `holdfast phone`. They do not contain the key itself.
  var phoneArguments: [String] {
    ["--model", address] + (name.map { ["--model-name", $0] } ?? [])
      + (keyFile.map { ["--model-key-file", $0] } ?? []) + (fields.map { ["--model-fields", $0] } ?? [])
      + (continues ? ["--model-continues"] : [])
  }
}

/// The file of an account's key. It is read for each request, and its contents are not kept.
struct KeyFile: Sendable {
  private let path: String

  /// - Throws: ``Complaint`` when the file is missing, is empty, or can be read by others.
  init(_ path: String) throws {
    self.path = path
    let mode = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    guard let mode else { throw Complaint(.unusable, "There is no key file at \(path).") }
    guard mode & 0o077 == 0 else {
      throw Complaint(.unusable, "Others can read the key file. Run: chmod 600 \(path)")
    }
    guard try !read().isEmpty else { throw Complaint(.unusable, "The key file at \(path) is empty.") }
  }

  /// Reads the key, for a model.
  var reading: @Sendable () async throws -> String { { try read() } }

  private func read() throws -> String {
    guard let file = try? OpenFile(reading: URL(fileURLWithPath: path)),
      let bytes = try? file.read(OpenFile.pieceBytes, at: 0)
    else { throw Complaint(.unusable, "The key file at \(path) cannot be read. Check that it is a file.") }
    return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
