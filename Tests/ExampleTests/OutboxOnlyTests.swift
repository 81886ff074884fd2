import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWebSocket
import Testing

@testable import HoldfastCommand

/// An app with its own table, as a real process, against a real relay.
@Suite(.serialized, .timeLimit(.minutes(10))) struct OutboxOnlyTests {
  /// One transaction of the example's table, as stored in its file.
  private struct Change: Decodable {
    var inserted: [String: String]
    var settled: [Outcome]

    struct Outcome: Decodable {
      var id: String
      var failure: String?
    }
  }

  private func changes(_ scene: Scene) throws -> [Change] {
    let file = URL(fileURLWithPath: scene.store(of: "me")).appending(path: "messages.jsonl")
    return try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).map {
      try JSONDecoder().decode(Change.self, from: $0)
    }
  }

  private func app(_ scene: Scene) throws -> Program {
    try Program(
      "OutboxOnly",
      [
        "--relay", scene.relay.absoluteString, "--store", scene.store(of: "me"), "--to", "me-bob", "--with",
        "bob",
      ],
      token: "me")
  }

  // L8.1, L8.2, L8.3
  @Test func `an app with its own table is killed twenty times, and is notified of each delivery once`()
    async throws
  {
    try await Scene.play { scene in
      try await scene.withClient(of: "bob") { bob in
        try makePrivateFolder(URL(fileURLWithPath: scene.store(of: "me")))
        let environment = ChatEnvironment()
        var random = SeededRandom(seed: 20)
        for round in 1...20 {
          let app = try app(scene)
          // In half of the rounds, the app is killed while it starts.
          if round.isMultiple(of: 2) { try await app.line { _ in true } }
          for number in 1...10 { app.say("\(round).\(number)") }
          try await environment.sleep(environment.uptime() + random.milliseconds(0...400))
          app.kill()
          _ = await app.ending()
        }
        let last = try app(scene)
        defer { last.kill() }
        try await last.line { $0.hasPrefix("0 waiting") }
        last.closeInput()
        #expect(await last.ending() == .exit(0))

        let changes = try changes(scene)
        let rows = changes.flatMap(\.inserted)
        let outcomes = changes.flatMap(\.settled)
        #expect(rows.count >= 30, "The app was killed before it did anything.")
        #expect(Set(rows.map(\.key)).count == rows.count, "Each message has one row.")
        #expect(outcomes.map(\.id).sorted() == rows.map(\.key).sorted(), "Each is reported once.")
        #expect(outcomes.allSatisfy { $0.failure == nil })
        let bodies = await bob.bodies(in: "me-bob") { $0.count >= rows.count }
        #expect(bodies.sorted() == rows.map(\.value).sorted())
        try await expectForgotten(scene)
      }
    }
  }

  /// The engine has deleted every message and every outcome.
  private func expectForgotten(_ scene: Scene) async throws {
    let client = try ChatClient(
      storage: .folder(URL(fileURLWithPath: scene.store(of: "me")).appending(path: "engine")),
      transport: WebSocketTransport(url: scene.relay) { "me" }, user: "me")
    #expect(try client.outbox.storedDeliveries(after: 0).isEmpty)
    #expect(await client.bodies(in: "me-bob") { _ in true }.isEmpty)
  }

  // L8.1
  @Test func `a line that is only typed is the draft of the next start`() async throws {
    try await Scene.play { scene in
      try makePrivateFolder(URL(fileURLWithPath: scene.store(of: "me")))
      let first = try app(scene)
      defer { first.kill() }
      try await first.line { $0 == "0 waiting, 0 delivered, 0 failed, draft ''" }
      first.say("?half a thought")
      first.closeInput()
      #expect(await first.ending() == .exit(0))
      let second = try app(scene)
      defer { second.kill() }
      try await second.line { $0 == "0 waiting, 0 delivered, 0 failed, draft 'half a thought'" }
    }
  }
}
