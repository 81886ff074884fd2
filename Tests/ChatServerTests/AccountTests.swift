import Foundation
import Holdfast
import Testing

@testable import ChatServer

/// Tokens are secrets (rule P5).
@Suite struct AccountTests {
  @Test func `an unknown token is unauthorized`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    for token in ["", "token", "token-alice ", "TOKEN-ALICE", "token-nobody"] {
      let error = await #expect(throws: ServerError.self) {
        try await bench.server.connect(token: token) { _ in }
      }
      #expect(error?.code == .unauthorized)
      #expect(try await !bench.server.isKnown(token: token))
    }
    #expect(try await bench.server.isKnown(token: "token-alice"))
  }

  @Test func `to register twice changes nothing`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    try await bench.server.register("alice", token: "token-alice")
    #expect(!alice.isClosed)
    #expect(await alice.say(.ping) == [.pong(.init(cursor: 0))])
  }

  @Test func `a new token replaces the old one and closes its connections`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let bob = try await bench.client("bob")
    _ = alice.heard()
    try await bench.server.register("alice", token: "new")
    #expect(alice.heard().failures.map(\.code) == [.unauthorized])
    #expect(alice.isClosed)
    #expect(!bob.isClosed)
    #expect(try await !bench.server.isKnown(token: "token-alice"))
    #expect(try await bench.server.isKnown(token: "new"))
  }

  @Test func `an account that is not among all accounts loses its connections, and keeps its messages`()
    async throws
  {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let bob = try await bench.client("bob")
    await bob.send(eg("m"))
    _ = (alice.heard(), bob.heard())

    try await bench.server.setAccounts(["alice": "token-alice", "dora": "token-dora"])

    #expect(bob.heard().failures.map(\.code) == [.unauthorized])
    #expect(bob.isClosed)
    #expect(!alice.isClosed)
    for token in ["token-bob", "token-carol"] { #expect(try await !bench.server.isKnown(token: token)) }
    #expect(try await bench.server.isKnown(token: "token-dora"))
    #expect(try await bench.server.accountCount() == 2)
    #expect(try await bench.server.messages(in: "c").map(\.sender) == ["bob"])
    // Others continue in the conversation, and the account has all of it when it returns.
    await alice.send(eg("n"))
    try await bench.server.setAccounts(["alice": "token-alice", "bob": "new"])
    let again = Client(server: bench.server)
    again.id = try await bench.server.connect(token: "new") { again.hear($0) }
    #expect(await again.say(.hello(.init(after: nil))).messages.map(\.id) == ["m", "n"])
  }

  @Test func `accounts exchange their tokens, and the connections of both end`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let clients = [try await bench.client("alice"), try await bench.client("bob")]
    let carol = try await bench.client("carol")
    try await bench.server.setAccounts(["alice": "token-bob", "bob": "token-alice", "carol": "token-carol"])
    for client in clients { #expect(client.isClosed) }
    #expect(!carol.isClosed)
    let alice = Client(server: bench.server)
    alice.id = try await bench.server.connect(token: "token-bob") { alice.hear($0) }
    guard case .welcome(let welcome)? = await alice.say(.hello(.init(after: nil))).first else {
      Issue.record("It was not welcomed.")
      return
    }
    #expect(welcome.account == "alice")
  }

  @Test func `accounts that are not well formed change nothing`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let wrong: [([UserID: String], ServerError.Code)] = [
      (["bob": "same", "carol": "same"], .tokenTaken), (["bob": ""], .invalidAccount),
      (["": "token"], .invalidAccount),
    ]
    for (accounts, code) in wrong {
      let error = await #expect(throws: ServerError.self) { try await bench.server.setAccounts(accounts) }
      #expect(error?.code == code)
      #expect(try await bench.server.isKnown(token: "token-bob"))
    }
    #expect(!alice.isClosed)
  }

  @Test func `two accounts cannot have the same token`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let error = await #expect(throws: ServerError.self) {
      try await bench.server.register("bob", token: "token-alice")
    }
    #expect(error?.code == .tokenTaken)
  }

  @Test(arguments: [("", "t"), ("a\u{0}", "t"), (String(repeating: "x", count: 256), "t"), ("dora", "")])
  func `an account that is not well formed is refused`(_ account: String, token: String) async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let error = await #expect(throws: ServerError.self) {
      try await bench.server.register(UserID(rawValue: account), token: token)
    }
    #expect(error?.code == .invalidAccount)
  }

  // P5.4
  @Test func `the token is nowhere in the files`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    for name in try FileManager.default.contentsOfDirectory(atPath: bench.folder.path) {
      let bytes = try Data(contentsOf: bench.folder.appending(path: name))
      #expect(bytes.range(of: Data("token-alice".utf8)) == nil)
    }
  }

  @Test func `one connection too many closes the account's oldest`() async throws {
    var limits = Limits()
    limits.maximumConnectionsPerAccount = 2
    let bench = try await Bench(limits: limits)
    defer { bench.removeFolder() }
    let first = try await bench.client("alice")
    let second = try await bench.client("alice")
    _ = try await bench.client("bob")
    _ = try await bench.client("alice")
    #expect(first.isClosed)
    #expect(!second.isClosed)
  }

  @Test func `a closed connection gets no frames`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let bob = try await bench.client("bob")
    _ = bob.heard()
    let id = try #require(bob.id)
    await bench.server.disconnect(id)
    await bench.server.disconnect(id)
    await alice.send(eg("m"))
    #expect(bob.heard().isEmpty)
    #expect(await bob.say(.ping).isEmpty)
  }

  @Test func `a server that stops says so and takes nothing more`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    _ = alice.heard()
    await bench.server.stop()
    await bench.server.stop()
    #expect(alice.heard().failures.map(\.code) == [.unavailable])
    #expect(alice.isClosed)
    await #expect(throws: ServerError.stopped) {
      try await bench.server.connect(token: "token-alice") { _ in }
    }
  }
}
