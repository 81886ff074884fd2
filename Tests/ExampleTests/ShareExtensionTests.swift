import Foundation
import Holdfast
import Testing

@testable import HoldfastCommand

/// Real processes on one store, against a real relay.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ShareExtensionTests {
  // O15.1
  @Test
  func `a shared text leaves at once while the app runs, and otherwise when it starts`()
    async throws
  {
    try await Scene.play { scene in
      try await scene.withClient(of: "bob") { bob in
        let app = try scene.app()
        defer { app.kill() }
        try await app.line { $0.hasPrefix("online: 0 unsent") }
        #expect(await (try scene.program("while it runs")).ending() == .exit(0))
        try await app.line { $0 == "online: 0 unsent, newest 'while it runs', draft ''" }
        app.kill()
        _ = await app.ending()
        #expect(await (try scene.program("while it does not")).ending() == .exit(0))
        let next = try scene.app()
        defer { next.kill() }
        #expect(
          await bob.bodies(in: "me-bob") { $0.count == 2 } == ["while it runs", "while it does not"])
      }
    }
  }

  // O15
  @Test func `a conversation that is not there is an error, and nothing is stored`() async throws {
    try await Scene.play { scene in
      let program = try scene.program("nowhere")
      #expect(await program.ending() == .exit(1))
    }
  }

  // O4.1, O15.2, O15.3
  @Test func `the drainer is killed, the other goes on, and each message arrives once`()
    async throws
  {
    try await Scene.play { scene in
      try await scene.withClient(of: "bob") { bob in
        let first = try scene.app()
        defer { first.kill() }
        try await first.line { $0.hasPrefix("online") }
        let second = try scene.app()
        defer { second.kill() }
        try await second.line { $0.hasPrefix("otherProcess") }
        let texts = (1...500).map(String.init)
        for text in texts { second.say(text) }
        let some = await bob.bodies(in: "me-bob") { $0.count >= 20 }
        first.kill()
        try await second.line { $0.hasPrefix("online") }
        let bodies = await bob.bodies(in: "me-bob") { $0.count >= 500 }
        #expect(bodies.count == 500)
        #expect(Set(bodies) == Set(texts))
        #expect(zip(bodies, texts).first { $0 != $1 } == nil, "In their order.")
        #expect(some.count < 500, "It was not killed in the middle.")
        try await second.line { $0.hasPrefix("online: 0 unsent") }
      }
    }
  }

  // O4.1, O6, O15.1
  @Test func `two processes send 500 messages each: each arrives once, in the order of its process`()
    async throws
  {
    try await Scene.play { scene in
      try await scene.withClient(of: "bob") { bob in
        let first = try scene.app()
        defer { first.kill() }
        try await first.line { $0.hasPrefix("online") }
        let second = try scene.program("share")
        defer { second.kill() }
        for number in 1...500 {
          first.say("first \(number)")
          second.say("second \(number)")
        }
        second.closeInput()
        let bodies = await bob.bodies(in: "me-bob") { $0.count >= 1000 }
        #expect(await second.ending() == .exit(0))
        #expect(bodies.count == 1000)
        for name in ["first", "second"] {
          #expect(bodies.filter { $0.hasPrefix(name) } == (1...500).map { "\(name) \($0)" })
        }
        try await first.line { $0.hasPrefix("online: 0 unsent") }
      }
    }
  }

  // D13.2, O15
  @Test func `a draft that the extension leaves is in the app's composer at once`() async throws {
    try await Scene.play { scene in
      let app = try scene.app()
      defer { app.kill() }
      try await app.line { $0.hasPrefix("online") }
      for text in ["look", "look at this"] {
        #expect(await (try scene.program(text, "--draft")).ending() == .exit(0))
        try await app.line { $0.hasSuffix("draft '\(text)'") }
      }
      app.closeInput()
      #expect(await app.ending() == .exit(0))
    }
  }
}
