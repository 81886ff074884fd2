import FlyingFox
import Foundation
import Holdfast
import Synchronization
import Testing

@testable import HoldfastCommand

/// The example as a separate process, against a small HTTP server that stores the messages that are put into it.
@Suite(.serialized, .timeLimit(.minutes(10))) struct OwnServerTests {
  /// A server that refuses on request, and omits responses.
  private final class Notes: Sendable {
    struct State {
      /// In the order of first arrival.
      var texts: [String] = []
      var ids: Set<String> = []
      var requests = 0
      var isBusy = false
      /// The number of messages to accept and still answer with 502.
      var lostAnswers = 0
    }
    let state = Mutex(State())

    func put(_ id: String, _ text: String) -> HTTPStatusCode {
      state.withLock { state in
        state.requests += 1
        if state.isBusy { return .serviceUnavailable }
        if text == "bad" { return .badRequest }
        if state.ids.insert(id).inserted { state.texts.append(text) }
        guard state.lostAnswers > 0 else { return .created }
        state.lostAnswers -= 1
        return .badGateway
      }
    }

    func serve(_ body: @Sendable (URL) async throws -> Void) async throws {
      let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: 0), logger: .disabled)
      await server.appendRoute("PUT /notes/*") { request in
        let text = String(decoding: try await request.bodyData, as: UTF8.self)
        return HTTPResponse(statusCode: self.put(request.path, text))
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await server.run() }
        defer { group.cancelAll() }
        try await server.waitUntilListening()
        guard case .ip4(_, let port) = await server.listeningAddress else { throw CancellationError() }
        try await body(try #require(URL(string: "http://127.0.0.1:\(port)/notes")))
      }
    }
  }

  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "holdfast-example-\(ChatEnvironment().makeID())")

  private func launch(_ server: URL) throws -> Program {
    try Program("OwnServer", [folder.path, server.absoluteString])
  }

  // A7.1, O2, O6.1
  @Test func `messages are put once and in order, through lost answers, a busy server and kills`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: folder) }
    let notes = Notes()
    let environment = ChatEnvironment()
    try await notes.serve { server in
      notes.state.withLock { $0.lostAnswers = 2 }
      for round in 1...5 {
        let app = try launch(server)
        for number in 1...10 { app.say("\(round).\(number)") }
        let wanted = round * 4
        while notes.state.withLock({ $0.requests }) < wanted {
          try await environment.sleep(environment.uptime() + .milliseconds(20))
        }
        app.kill()
        _ = await app.ending()
      }
      notes.state.withLock { $0.isBusy = true }
      let last = try launch(server)
      last.say("bad")
      last.say("end")
      let before = notes.state.withLock { $0.requests }
      while notes.state.withLock({ $0.requests }) < before + 2 {
        try await environment.sleep(environment.uptime() + .milliseconds(20))
      }
      notes.state.withLock { $0.isBusy = false }
      last.closeInput()
      try await last.line { $0 == "bad failed" }
      try await last.line { $0 == "end delivered" }
      #expect(await last.ending() == .exit(0))
    }
    let texts = notes.state.withLock(\.texts)
    #expect(Set(texts).count == texts.count, "Each is there once.")
    let places = texts.dropLast().map { text in
      text.split(separator: ".").compactMap { Int($0) }
    }
    #expect(places.allSatisfy { $0.count == 2 })
    #expect(places.map { $0[0] * 100 + $0[1] } == places.map { $0[0] * 100 + $0[1] }.sorted(), "In order.")
    #expect(texts.last == "end")
    #expect(texts.count > 20)
  }
}
