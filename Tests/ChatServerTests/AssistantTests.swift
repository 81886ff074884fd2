import Foundation
import HoldfastCore
import HoldfastRelay
import Testing

@testable import ChatServer

/// Messages in the name of an assistant, and the metadata and references of messages.
@Suite struct AssistantTests {
  // L3.1, L3.3
  @Test func `an account writes in the name of its assistant, and remains the sender`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let bob = try await bench.client("bob")
    var message = eg("m", role: "assistant")
    message.assistant = "claude"
    #expect(await alice.send(message).receipts.map(\.id) == ["m"])
    #expect(bob.heard().messages.map(\.assistant) == ["claude"])
    #expect(try await bench.server.messages(in: "c").map(\.sender) == ["alice"])
    var deletion = eg("d", members: nil)
    deletion.operation = .init(kind: "delete", target: "m")
    #expect(await bob.send(deletion).refusals.map(\.kind) == [.rejected])
  }

  // L3.1
  @Test(arguments: ["", "a/b", "a\u{0}", String(repeating: "x", count: 65)])
  func `a name that no assistant has is rejected`(name: String) async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let bob = try await bench.client("bob")
    var message = eg("m")
    message.assistant = name
    #expect(await alice.send(message).refusals.map(\.kind) == [.rejected])
    var piece = egPiece("s", 0)
    piece.assistant = name
    _ = await alice.say(.piece(piece))
    #expect(bob.heard().pieces.isEmpty)
  }

  // L5.1, L5.2
  @Test func `metadata of 64 KB comes back as it was sent, and more is too long`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let largest = Data(repeating: 7, count: MessageContent.maximumMetadataBytes)
    var message = eg("m")
    message.content.metadata = largest
    #expect(await alice.send(message).messages.map(\.content.metadata) == [largest])
    var tooLarge = eg("n")
    tooLarge.content.metadata = largest + [7]
    #expect(await alice.send(tooLarge).refusals.map(\.code) == ["tooLong"])

    var edit = eg("e", members: nil, body: "better")
    edit.operation = .init(kind: "edit", target: "m")
    _ = await alice.send(edit)
    #expect(try await bench.server.messages(in: "c").map(\.content.metadata) == [largest])
    var deletion = eg("d", members: nil)
    deletion.operation = .init(kind: "delete", target: "m")
    _ = await alice.send(deletion)
    #expect(try await bench.server.messages(in: "c").map(\.content.metadata) == [nil])
  }

  // L6.1, L6.2
  @Test func `references come back as they were sent, and more or longer ones are too long`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let longest = String(repeating: "ä", count: MessageContent.maximumReferenceBytes / 2)
    let most = Array(repeating: longest, count: MessageContent.maximumReferences)
    var message = eg("m")
    (message.content.images, message.content.videos) = (most, ["a.mov", "\"b\".mov"])
    let echo = try #require(await alice.send(message).messages.first)
    #expect(echo.content.images == most)
    #expect(echo.content.videos == ["a.mov", "\"b\".mov"])
    for images in [most + ["a"], [longest + "a"], [""]] {
      var tooMuch = eg("n")
      tooMuch.content.images = images
      #expect(await alice.send(tooMuch).refusals.map(\.code) == ["tooLong"])
    }

    var edit = eg("e", members: nil, body: "better")
    edit.operation = .init(kind: "edit", target: "m")
    _ = await alice.send(edit)
    #expect(try await bench.server.messages(in: "c").map(\.content.images) == [most])
    var deletion = eg("d", members: nil)
    deletion.operation = .init(kind: "delete", target: "m")
    _ = await alice.send(deletion)
    #expect(try await bench.server.messages(in: "c").map(\.content.images) == [[]])
  }
}
