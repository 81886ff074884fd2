import Holdfast
import HoldfastRelay
import Testing

@testable import ChatServer

/// Read marks on the server (rule B13).
@Suite struct ReadMarkTests {
  private func conversation() async throws -> (bench: Bench, alice: Client, bob: Client) {
    let bench = try await Bench()
    let alice = try await bench.client("alice")
    let bob = try await bench.client("bob")
    await alice.send(eg("m1"), eg("m2"), eg("m3"))
    _ = bob.heard()
    return (bench, alice, bob)
  }

  private func read(_ message: String, in conversation: String = "c") -> Wire.ClientFrame {
    .read(.init(conversation: conversation, message: message))
  }

  private func marks(_ frames: [Wire.ServerFrame]) -> [Wire.ReadMarkItem] {
    frames.pages.flatMap(\.items).compactMap(\.readMark)
  }

  // B13.1, B13.2
  @Test func `a mark goes to all members, its reader included, and moves forward only`() async throws {
    let (bench, alice, bob) = try await conversation()
    defer { bench.removeFolder() }
    let mark = Wire.ReadMarkItem(conversation: "c", reader: "bob", message: "m2", order: 2)
    #expect(marks(await bob.say(read("m2"))) == [mark])
    #expect(marks(alice.heard()) == [mark])
    for message in ["m2", "m1", "nothing", "", "\u{1}"] {
      #expect(marks(await bob.say(read(message))).isEmpty)
    }
    #expect(marks(await bob.say(read("m3"))).map(\.order) == [3])
  }

  @Test func `an account that is no member, and a message of another conversation, move no mark`()
    async throws
  {
    let (bench, alice, bob) = try await conversation()
    defer { bench.removeFolder() }
    let carol = try await bench.client("carol")
    await alice.send(eg("n1", in: "d"))
    _ = bob.heard()
    #expect(await carol.say(read("m1")).isEmpty)
    #expect(await bob.say(read("n1")).isEmpty)
    #expect(marks(alice.heard()).isEmpty)
  }

  // B13.1
  @Test func `the log has the newest mark of each member, and a restart keeps it`() async throws {
    let (bench, alice, bob) = try await conversation()
    defer { bench.removeFolder() }
    for message in ["m1", "m2", "m3"] { await bob.say(read(message)) }
    await alice.say(read("m1"))
    let again = try await bench.reopened()
    let carol = try await again.connect("bob")
    let page = await carol.say(.hello(.init(after: nil)))
    #expect(
      marks(page) == [
        .init(conversation: "c", reader: "bob", message: "m3", order: 3),
        .init(conversation: "c", reader: "alice", message: "m1", order: 1),
      ])
  }
}
