import Foundation
import Holdfast
import Testing

/// The messenger as a process: two of them, with a relay between them.
@Suite(.serialized, .timeLimit(.minutes(10))) struct MessengerTests {
  private func messenger(_ scene: Scene, _ user: String, with other: String) throws -> Program {
    try Program(
      "Messenger", [scene.store(of: user), scene.relay.absoluteString, user, other, "chat-9f3b27c1"],
      token: user)
  }

  // A1.3, A1.4
  @Test func `two messengers talk, and what was typed while the other one was dead arrives`() async throws {
    try await Scene.play { scene in
      let me = try messenger(scene, "me", with: "bob")
      defer { me.kill() }
      let first = try messenger(scene, "bob", with: "me")
      defer { first.kill() }
      me.say("hello")
      try await first.line { $0.hasPrefix("me: hello") }
      first.kill()
      _ = await first.ending()
      me.say("are you there?")
      let second = try messenger(scene, "bob", with: "me")
      defer { second.kill() }
      try await second.line { $0.hasPrefix("me: hello") }
      try await second.line { $0.hasPrefix("me: are you there?") }
      second.say("yes")
      try await me.line { $0.hasPrefix("bob: yes") }
    }
  }

  // A1
  @Test func `the messenger has forty lines`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = root.appending(path: "examples/Messenger/Sources/Messenger.swift")
    #expect(try String(contentsOf: file, encoding: .utf8).split(separator: "\n").count <= 40)
  }
}
