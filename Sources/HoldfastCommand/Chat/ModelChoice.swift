import ArgumentParser
import Foundation
import Holdfast
import HoldfastAssistant
import HoldfastCore
import Synchronization

/// The model's server that a command was given, with what is needed to ask it.
package struct ModelChoice: Sendable {
  /// The server's base address. Without a scheme, it is one of this machine with http, or another one with https.
  package var address: String
  /// The model's name. Nil: the first one of the server that can chat.
  package var name: String?
  /// The option with which a user names the model.
  package var nameOption: String
  package var api: CompletionAPI
  package var keyFile: String?
  /// Whether the model goes on with answers that were cut off.
  package var continues: Bool
  /// Further fields of each request, as a JSON object.
  package var fields: String?
  package var firstWordLimit: Duration
  package var silenceLimit: Duration

  package init(
    address: String, name: String? = nil, nameOption: String = "--name",
    api: CompletionAPI = .chatCompletions, keyFile: String? = nil, continues: Bool = false,
    fields: String? = nil, firstWordLimit: Duration = CompletionModel.Settings().firstWordLimit,
    silenceLimit: Duration = CompletionModel.Settings().silenceLimit
  ) {
    (self.address, self.name, self.nameOption, self.api) = (address, name, nameOption, api)
    (self.keyFile, self.continues, self.fields) = (keyFile, continues, fields)
    (self.firstWordLimit, self.silenceLimit) = (firstWordLimit, silenceLimit)
  }

  /// Makes models of the server by their names, each once: a model may remember the server's refusals. Sends no
  /// requests.
  ///
  /// - Throws: `ValidationError` when the address or the fields are malformed, ``Complaint`` when the key file is
  ///   unusable.
  package func maker() throws -> @Sendable (String) -> CompletionModel {
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
  package static func eachOnce<Value: Sendable>(
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
  package static func url(of text: String) -> URL? {
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
  package func served() async throws -> (usual: String, all: ServedModels) {
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
  /// The equivalent options of `holdfast-lab phone`. They do not contain the key itself.
  package var phoneArguments: [String] {
    ["--model", address] + (name.map { ["--model-name", $0] } ?? [])
      + (keyFile.map { ["--model-key-file", $0] } ?? []) + (fields.map { ["--model-fields", $0] } ?? [])
      + (continues ? ["--model-continues"] : [])
  }
}

/// The file of an account's key. It is read for each request, and its contents are not kept.
package struct KeyFile: Sendable {
  private let path: String

  /// - Throws: ``Complaint`` when the file is missing, is empty, or can be read by others.
  package init(_ path: String) throws {
    self.path = path
    let mode = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    guard let mode else { throw Complaint(.unusable, "There is no key file at \(path).") }
    guard mode & 0o077 == 0 else {
      throw Complaint(.unusable, "Others can read the key file. Run: chmod 600 \(path)")
    }
    guard try !read().isEmpty else { throw Complaint(.unusable, "The key file at \(path) is empty.") }
  }

  /// Reads the key, for a model.
  package var reading: @Sendable () async throws -> String { { try read() } }

  private func read() throws -> String {
    guard let file = try? OpenFile(reading: URL(fileURLWithPath: path)),
      let bytes = try? file.read(OpenFile.pieceBytes, at: 0)
    else { throw Complaint(.unusable, "The key file at \(path) cannot be read. Check that it is a file.") }
    return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
