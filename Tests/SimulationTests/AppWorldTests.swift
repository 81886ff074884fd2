import ChatServerTesting
import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransport
import Simulator
import Testing

/// Worlds for the tests of an app.
@Suite struct AppWorldTests {
  /// A part of an app: a composer and a timeline, on the main actor.
  @MainActor private final class Chat {
    let client: ChatClient
    let composer: ComposerModel
    let model: ConversationModel

    init(_ client: ChatClient) throws {
      try client.createConversation("alice-bob", members: ["alice", "bob"])
      self.client = client
      (composer, model) = (ComposerModel(client, "alice-bob"), ConversationModel(client, "alice-bob"))
    }

    func say(_ text: String) {
      MainActor.assertIsolated()
      composer.text = text
      composer.send()
    }

    var texts: [String] { model.snapshot.rows.map(\.text) }

    func run() async {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.client.run() }
        group.addTask { await self.model.run() }
        group.addTask { await self.composer.run() }
      }
    }
  }

  private static func phone(
    _ user: UserID, on world: AppWorld.Stage, _ server: SimulatedBackend
  ) -> AppWorld.Phone<Chat> {
    world.phone(user.rawValue) { launch in
      let transport = launch.transport(try server.transport(for: user))
      return try await Chat(
        try ChatClient(
          storage: launch.storage, transport: transport, user: user, configuration: launch.configuration))
    } run: { chat in
      await chat.run()
    }
  }

  @Test func `a message that was written offline outlives a kill, and arrives once`() throws {
    try AppWorld(seed: 7) { world in
      let server = try await world.server("alice", "bob")
      let (alice, bob) = (Self.phone("alice", on: world, server), Self.phone("bob", on: world, server))
      let other = try await bob.launch()
      try await alice.launch()
      alice.isOnline = false
      try await world.pass(.seconds(5))
      _ = try await alice.use { await $0.say("On my way") }
      try await world.pass(.seconds(60))
      try world.check(
        try await server.record(of: "alice-bob").isEmpty, "nothing arrives while alice is offline")
      try await alice.kill()
      try world.check(!alice.isRunning, "the app is down")
      let again = try await alice.launch()
      try world.check(await again.texts == ["On my way"], "the message is there after the launch")
      alice.isOnline = true
      try await world.wait(for: "the message to arrive") { await other.texts == ["On my way"] }
      try world.check(try await server.record(of: "alice-bob").count == 1, "it is there once")
    }.run()
  }

  /// The events of a world under all faults, and its server's final messages.
  private func shakyStory(seed: UInt64, wrong: Bool = false) -> AppWorld {
    AppWorld(seed: seed, faults: .all) { world in
      let server = try await world.server("alice", "bob")
      let (alice, bob) = (Self.phone("alice", on: world, server), Self.phone("bob", on: world, server))
      try await bob.launch()
      try await alice.launch()
      for number in 1...8 {
        _ = try await (number % 2 == 0 ? alice : bob).use { await $0.say("\(number)") }
        try await world.pass(.seconds(world.number(in: 0...30)))
      }
      world.calm()
      // A message sent in the moment of a kill may not have been stored. Every message on a phone is on the server
      // in the end.
      try await world.wait(for: "both phones to show what the server has", within: .seconds(1200)) {
        let texts = try await server.record(of: "alice-bob").map(\.text)
        let (hers, his) = (try await alice.app().texts, try await bob.app().texts)
        return texts == hers && texts == his && !texts.isEmpty
      }
      let texts = try await server.record(of: "alice-bob").map(\.text)
      try world.check(Set(texts).count == texts.count, "nothing arrived twice: \(texts)")
      try world.check(!wrong, "this world fails on purpose")
    }
  }

  @Test(arguments: UInt64(100)...110) func `under all faults, both phones end with what the server has`(
    seed: UInt64
  ) throws {
    try shakyStory(seed: seed).run()
  }

  @Test func `one seed is one world, with the same events at the same times, and another seed another one`()
    throws
  {
    let stories = [3, 3, 4].map { seed in
      #expect(throws: AppWorld.Failure.self) { try shakyStory(seed: seed, wrong: true).run() }
    }
    let first = try #require(stories[0])
    #expect(first.description == stories[1]?.description)
    #expect(first.events == stories[1]?.events)
    #expect(first.events != stories[2]?.events)
    #expect(first.description.hasPrefix("seed 3, at "))
    #expect(first.reason == "It is not so that this world fails on purpose.")
  }

  @Test func `the faults of a world strike, each in some of ten seeds`() throws {
    let events = (UInt64(1)...10).flatMap { seed in
      #expect(throws: AppWorld.Failure.self) { try shakyStory(seed: seed, wrong: true).run() }?.events ?? []
    }
    for fault in [
      "is killed before a commit", "is killed behind a commit", "loses its network", "has its network again",
    ] {
      #expect(events.contains { $0.contains(fault) }, "no phone \(fault)")
    }
  }

  @Test func `a world that waits for nothing ends, and says for what`() throws {
    let failure = #expect(throws: AppWorld.Failure.self) {
      try AppWorld(seed: 1) { try await $0.wait(for: "what never comes", within: .seconds(9)) { false } }
        .run()
    }
    #expect(failure?.reason == "9.0 seconds were not enough for what never comes.")
    #expect(failure.map { $0.at >= .seconds(9) } == true)
    let endless = #expect(throws: AppWorld.Failure.self) {
      try AppWorld(seed: 1, timeLimit: .seconds(5)) { try await $0.pass(.seconds(100_000)) }.run()
    }
    #expect(endless?.reason == "It did not end within 5.0 seconds of the world's time.")
  }

  @Test func `an app that does not start fails its world, with its error`() throws {
    let failure = #expect(throws: AppWorld.Failure.self) {
      try AppWorld(seed: 1) { world in
        let phone = world.phone("alice") { launch in
          try ChatClient(
            storage: launch.storage, transport: DeviceTransport(), user: "",
            configuration: launch.configuration)
        } run: { client in
          await client.run()
        }
        try await phone.launch()
      }.run()
    }
    #expect(failure?.reason.hasPrefix("alice's app did not start: ") == true)
  }

  @Test func `files of an app's own stay from launch to launch, and outside the world nothing is simulated`()
    async throws
  {
    try AppWorld(seed: 1) { world in
      let phone = world.phone("alice") { launch in
        let file = launch.folder.appendingPathComponent("launches")
        let before = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        try Data((before + "\(launch.number) ").utf8).write(to: file)
        return try String(contentsOf: file, encoding: .utf8)
      } run: { _ in
        try? await world.pass(.seconds(1000))
      }
      try world.check(try await phone.launch() == "1 ", "the first launch has its file")
      try world.check(try await phone.relaunch() == "1 2 ", "the second launch finds it")
    }.run()
    await MainActor.run { MainActor.assertIsolated() }
  }
}
