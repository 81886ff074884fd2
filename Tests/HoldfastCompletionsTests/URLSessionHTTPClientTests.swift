import Foundation
import HoldfastCore
import HoldfastHTTP
import Testing

@testable import HoldfastCompletions

/// The system's client against real sockets: the bytes of recorded servers, and what no server should do (rule B10).
@Suite(.serialized, .timeLimit(.minutes(5))) struct URLSessionHTTPClientTests {
  #if canImport(Darwin)
    private static let files = StreamVectors.all.filter(\.hasHead)
  #else
    /// Without the one whose body has a trailer: at its end FoundationNetworking 6.3 ends the process ("Transfer
    /// completed, but there's no response").
    private static let files = StreamVectors.all.filter {
      $0.hasHead && $0.file != "made/chunked_extension_trailer.http"
    }
  #endif

  private static func collect(_ answer: ModelAnswer) async -> (
    text: String, end: ModelEnd?, error: ModelError?
  ) {
    var (text, end): (String, ModelEnd?) = ("", nil)
    do {
      for try await part in answer {
        switch part {
        case .text(let more): text += more
        case .reasoning: break
        case .end(let found): end = found
        }
      }
      return (text, end, nil)
    } catch { return (text, end, error as? ModelError) }
  }

  private static func model(_ url: URL, _ api: CompletionAPI = .chatCompletions) -> CompletionModel {
    var settings = CompletionModel.Settings()
    settings.mostRepeats = 0
    // The expected texts are the server's.
    settings.readsThoughtTags = false
    return CompletionModel(url, model: "m", api: api, settings: settings)
  }

  // B10.1
  @Test(arguments: files) func `a recorded answer is read right over a socket`(vector: StreamVectors.Vector)
    async throws
  {
    let bytes = try vector.bytes
    let pieces = stride(from: 0, to: bytes.count, by: 1_000).map {
      PlayedServer.Step.send(Array(bytes[$0..<min($0 + 1_000, bytes.count)]))
    }
    try await PlayedServer.run([pieces + [.close]]) { url, server in
      let found = await Self.collect(Self.model(url, vector.api).answer(ModelPrompt("Hello?")))
      let wanted = vector.read
      if wanted.status == 200 { #expect(found.text == wanted.text + wanted.refusal) }
      #expect(found.end?.reason.rawValue == (wanted.ending == "whole" ? wanted.kind : nil))
      #expect((found.error != nil) == (wanted.ending != "whole"))
      if wanted.ending == "interrupted", !wanted.text.isEmpty { #expect(found.error?.code == .cutOff) }
      #expect(server.requests.count == 1)
    }
  }

  private static let head = Array(
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
  private static func chunk(_ text: String) -> [UInt8] {
    Array("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n".utf8)
  }
  private static func delta(_ text: String) -> [UInt8] {
    chunk("data: {\"choices\":[{\"delta\":{\"content\":\"\(text)\"}}]}\n\n")
  }

  // B10.1
  @Test func `a reset within an answer cuts it off, and before it fails`() async throws {
    try await PlayedServer.run([[.send(Self.head + Self.delta("Hel")), .reset], [.reset]]) { url, _ in
      let cut = await Self.collect(Self.model(url).answer(ModelPrompt("Hello?")))
      #expect((cut.text, cut.error?.code) == ("Hel", .cutOff))
      let refused = await Self.collect(Self.model(url).answer(ModelPrompt("Hello?")))
      #expect((refused.text, refused.error?.code) == ("", .unreachable))
    }
  }

  // B10.1
  @Test func `words come as they are sent, and who leaves closes the connection`() async throws {
    try await PlayedServer.run([[.send(Self.head + Self.delta("Hel")), .hold]]) { url, server in
      let model = Self.model(url)
      for try await part in model.answer(ModelPrompt("Hello?")) {
        #expect(part == .text("Hel"))
        break
      }
      await server.end()
    }
  }

  // B10.1
  @Test func `a task that is cancelled ends its answer`() async throws {
    try await PlayedServer.run([[.send(Self.head + Self.delta("Hel")), .hold]]) { url, server in
      let model = Self.model(url)
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          await #expect(throws: CancellationError.self) {
            for try await _ in model.answer(ModelPrompt("Hello?")) {}
          }
        }
        while server.requests.isEmpty { await Task.yield() }
        group.cancelAll()
      }
      await server.end()
    }
  }

  // B10.1, P5
  @Test(arguments: [("/v1/elsewhere", 2), ("http://elsewhere.invalid/v1", 1)])
  func `a redirection is followed on the same host alone`(place: String, requests: Int) async throws {
    let redirection = Array(
      "HTTP/1.1 307 Temporary Redirect\r\nLocation: \(place)\r\nContent-Length: 0\r\n\r\n".utf8)
    let refusal = Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".utf8)
    try await PlayedServer.run([[.send(redirection), .close], [.send(refusal), .close]]) { url, server in
      let found = await Self.collect(Self.model(url).answer(ModelPrompt("Hello?")))
      #expect(found.error?.code == .rejected)
      #expect(server.requests.count == requests)
    }
  }

  #if !canImport(Darwin)
    // B10.1
    @Test func `what nobody reads is refused before it fills the memory`() async throws {
      let text = String(repeating: "x", count: 60_000)
      let steps = (0..<1_500).map { _ in PlayedServer.Step.send(Self.delta(text)) }
      try await PlayedServer.run([[.send(Self.head)] + steps + [.hold]]) { url, server in
        let task = URLSessionHTTPClient().send(HTTPRequest("POST", url, body: Data("{}".utf8)))
        await server.end()
        var bytes = 0
        await #expect(throws: HTTPFailure(.overrun)) {
          while let piece = try await task.next() { bytes += piece.count }
        }
        #expect(bytes < 80 << 20)
      }
    }
  #endif
}
