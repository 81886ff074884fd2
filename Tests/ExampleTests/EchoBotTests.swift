import Foundation
import Holdfast
import HoldfastTesting
import MetricsTestKit
import Testing

@testable import EchoBot
@testable import HoldfastCommand

/// The bot as a process, killed repeatedly.
@Suite(.serialized, .timeLimit(.minutes(10))) struct EchoBotTests {
  private func bot(_ scene: Scene) throws -> Program {
    try Program(
      "EchoBot",
      ["--relay", scene.relay.absoluteString, "--store", scene.store(of: "echo"), "--exit-with-input"],
      token: "echo")
  }

  // O6.1, O6.3, O11.3
  @Test func `a bot that is killed while it answers answers each message once`() async throws {
    try await Scene.play { scene in
      try await scene.withClient(of: "bob") { bob in
        try bob.createConversation("bob-echo", members: ["bob", "echo"])
        let questions = (1...120).map { "question \($0)" }
        for round in 0..<4 {
          let bot = try bot(scene)
          defer { bot.kill() }
          for question in questions[(round * 30)..<(round * 30 + 30)] {
            try bob.send(question, in: "bob-echo")
          }
          // In the middle of its answers, which may belong to an earlier round.
          _ = await bob.bodies(in: "bob-echo") { $0.count >= (round + 1) * 30 + round * 25 + 7 }
          bot.kill()
          _ = await bot.ending()
        }
        let bot = try bot(scene)
        defer { bot.kill() }
        let bodies = await bob.bodies(in: "bob-echo") { $0.count >= 240 }
        #expect(bodies.count == 240)
        #expect(Set(bodies) == Set(questions))
        for question in questions { #expect(bodies.count { $0 == question } == 2, "\(question)") }
      }
    }
  }

  // P1.3
  @Test func `an answer clears the mark of its question, whose asker was restarted meanwhile`() async throws {
    try await Scene.play { scene in
      try await scene.withClient(of: "bob") { bob in
        try bob.createConversation("bob-echo", members: ["bob", "echo"])
        let question = try bob.send("one", in: "bob-echo")
        try bob.conversation("bob-echo").beginProcessing(RequestID(rawValue: question.rawValue))
        for await health in bob.outbox.healthChanges() where health.waiting == 0 { break }
      }
      let bot = try bot(scene)
      defer { bot.kill() }
      try await scene.withClient(of: "bob") { bob in
        #expect(await bob.bodies(in: "bob-echo") { $0.count == 2 } == ["one", "one"])
        let requests = try bob.processingRequests()
        #expect(requests.isEmpty)
      }
    }
  }

  // O6
  @Test func `a bot that has lost its store sends no answer again`() async throws {
    try await Scene.play { scene in
      try await scene.withClient(of: "bob") { bob in
        try bob.createConversation("bob-echo", members: ["bob", "echo"])
        try bob.send("one", in: "bob-echo")
        let first = try bot(scene)
        defer { first.kill() }
        _ = await bob.bodies(in: "bob-echo") { $0.count == 2 }
        first.kill()
        _ = await first.ending()
        try FileManager.default.removeItem(atPath: scene.store(of: "echo"))
        let second = try bot(scene)
        defer { second.kill() }
        try bob.send("two", in: "bob-echo")
        #expect(await bob.bodies(in: "bob-echo") { $0.count >= 4 } == ["one", "one", "two", "two"])
      }
    }
  }

  // O6
  @Test func `a bot that is asked to stop says what it has begun to say, and ends without an error`()
    async throws
  {
    try await Scene.play { scene in
      let bot = try bot(scene)
      defer { bot.kill() }
      try await scene.withClient(of: "bob") { bob in
        try bob.createConversation("bob-echo", members: ["bob", "echo"])
        for number in 1...20 { try bob.send("question \(number)", in: "bob-echo") }
        _ = await bob.bodies(in: "bob-echo") { $0.count > 25 }
        bot.terminate()
        #expect(await bot.ending() == .exit(0))
        // All of its stored answers are sent: nothing waits in its store.
        let store = try ChatClient(
          storage: .folder(URL(filePath: scene.store(of: "echo"))), transport: DeviceTransport(), user: "echo"
        )
        let health = try store.outbox.health()
        #expect(health.waiting == 0)
      }
    }
  }

  @Test(arguments: ["foo", "http://127.0.0.1:8080/v1/connect", "ws://chat.example.org/v1/connect"])
  func `a bot with an invalid address ends at once, and makes no store`(address: String) async throws {
    let store = FileManager.default.temporaryDirectory.appending(path: "holdfast-bot-\(UUID().uuidString)")
      .path
    let bot = try Program("EchoBot", ["--relay", address, "--store", store])
    defer { bot.kill() }
    #expect(await bot.ending() == .exit(1))
    #expect(!FileManager.default.fileExists(atPath: store))
  }

  @Test func `the outbox's numbers go to whatever collects metrics`() throws {
    let metrics = TestMetrics()
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "holdfast-metrics-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let client = try ChatClient(storage: .folder(folder), transport: ScriptedTransport(), user: "echo")
    try client.send("one", in: try client.createConversation("bob-echo", members: ["bob"]).id)
    let numbers = OutboxMetrics(client.outbox, factory: metrics)
    numbers.record(try client.outbox.health())
    func value(_ label: String, _ dimensions: [(String, String)] = []) throws -> Double? {
      try metrics.expectRecorder("holdfast_\(label)", dimensions).lastValue
    }
    #expect(try value("outbox_messages", [("state", "waiting")]) == 1)
    #expect(try value("outbox_messages", [("state", "held")]) == 0)
    #expect(try value("outbox_messages", [("state", "failed")]) == 0)
    #expect(try value("outbox_oldest_seconds").map { $0 >= 0 } == true)
    #expect(try value("connected") == 0, "The client does not run.")
    #expect(try value("signed_out") == 0)
    #expect(
      try value("delivery_seconds", [("quantile", "0.5")]) == nil, "No message was delivered yet.")
  }
}
