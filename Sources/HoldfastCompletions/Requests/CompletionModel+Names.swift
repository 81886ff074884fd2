import Foundation
import HoldfastHTTP

extension CompletionModel {
  /// The most bytes of a list of models.
  private static let mostBytes = 4 << 20

  /// The names of the models that the server has, in its order. It is a cheap way to find out whether a server is there
  /// and takes the key.
  ///
  /// ```swift
  /// let names = try await completions.servedModels()
  /// ```
  ///
  /// One request, which costs nothing at any service that is known. It is not repeated.
  ///
  /// - Throws: ``ModelError``; with code `unknownModel` when the server does not list its models.
  public func servedModels() async throws -> [String] {
    let exchange = carrier.send(try await CompletionRequest(model: self, prompt: ModelPrompt([])).listing())
    defer { exchange.cancel() }
    do {
      guard let head = try await exchange.head(within: settings.silenceLimit, environment) else {
        throw ModelError.silence(of: settings.silenceLimit)
      }
      var body = Data()
      while body.count < Self.mostBytes, let piece = try await exchange.next() { body += piece }
      let fields = try? JSONFields(String(decoding: body, as: UTF8.self))
      guard head.status == 200 else {
        var reading = BodyReading(api, status: head.status, contentType: "")
        _ = reading.read(body)
        guard case .failed(let reason, let message) = reading.end(isComplete: true).1 else { return [] }
        throw ModelError(status: head.status, reason: reason, detail: message, model: name)
      }
      guard let fields else { throw ModelError(status: 200, reason: "malformed", detail: nil, model: name) }
      let names = fields.objects("data").compactMap { $0.word("id") }
      return names.isEmpty ? fields.objects("models").compactMap { $0.word("name") } : names
    } catch let failure as HTTPFailure {
      throw ModelError(failure, on: url)
    }
  }
}
