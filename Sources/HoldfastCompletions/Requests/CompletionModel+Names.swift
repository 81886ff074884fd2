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
  /// One request, which costs nothing at any service that is known, and one more for each redirection on the server's
  /// own host. It is not repeated.
  ///
  /// - Throws: ``ModelError``; with code `unknownModel` when the server does not list its models.
  public func servedModels() async throws -> [String] {
    let request = CompletionRequest(model: self, prompt: ModelPrompt([]))
    var address = try request.listingAddress()
    for _ in 0...Redirection.most {
      switch try await list(request.listing(at: address)) {
      case .names(let names): return names
      case .redirection(let redirection): address = redirection.address
      }
    }
    throw Redirection.circle(at: address)
  }

  private enum Listing { case names([String]), redirection(Redirection) }

  private func list(_ request: HTTPRequest) async throws -> Listing {
    let task = httpClient.send(request)
    defer { task.cancel() }
    do {
      guard let head = try await task.head(within: settings.silenceLimit, environment) else {
        throw ModelError.silence(of: settings.silenceLimit)
      }
      if let redirection = try Redirection(head, from: request.url) { return .redirection(redirection) }
      var body = Data()
      while body.count < Self.mostBytes, let piece = try await task.next() { body += piece }
      guard head.status == 200 else {
        var reading = BodyReading(api, status: head.status, contentType: "")
        _ = reading.read(body)
        guard case .failed(let reason, let message) = reading.end(isComplete: true).1 else {
          return .names([])
        }
        throw ModelError(status: head.status, reason: reason, detail: message, model: name)
      }
      guard let fields = try? JSONFields(String(decoding: body, as: UTF8.self)) else {
        throw ModelError(status: 200, reason: "malformed", detail: nil, model: name)
      }
      let names = fields.objects("data").compactMap { $0.word("id") }
      return .names(names.isEmpty ? fields.objects("models").compactMap { $0.word("name") } : names)
    } catch let failure as HTTPFailure {
      throw ModelError(failure, on: url)
    }
  }
}
