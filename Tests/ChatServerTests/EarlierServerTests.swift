import Foundation
import Holdfast
import HoldfastRelay
import Testing

@testable import ChatServer

/// The contents of servers of earlier versions are preserved, from the clients' view.
@Suite struct EarlierServerTests {
  private func open(_ earlier: EarlierServer) async throws -> Bench {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "chat-server-\(ChatEnvironment().makeID())")
    try earlier.copy(to: folder)
    return try await Bench(folder: folder, accounts: [])
  }

  private func operation(
    _ id: String, _ kind: String, of target: String, _ body: String = ""
  ) -> Wire.Outgoing {
    var operation = eg(id, in: "trip", members: nil, body: body)
    operation.operation = .init(kind: kind, target: target)
    return operation
  }

  private func lastCursor(_ earlier: EarlierServer) -> Int64 {
    switch earlier.version {
    case 1: 11
    case 2...4: 15
    default: 16
    }
  }

  /// The messages of the conversation of Alice and Bob.
  private func trip(_ earlier: EarlierServer) -> [Wire.MessageItem] {
    func message(
      _ order: Int64, _ id: String, _ body: String, from sender: String = "alice", role: String = "user",
      reasoning: String? = nil
    ) -> Wire.MessageItem {
      .init(
        id: id, conversation: "trip", sender: sender, role: role,
        content: MessageContent(body, reasoning: reasoning), order: order,
        at: 1_767_222_000_000 + order * 10_000)
    }
    var messages = [
      message(1, "question", "Shall we go to the lake?", from: "bob"),
      message(2, "answer", "Yes, on Sunday"),
      message(3, "regretted", "Never mind"),
      message(4, "route", "By\0the/🚗", role: "assistant", reasoning: "It is the shortest."),
    ]
    guard earlier.version > 1 else { return messages }
    (messages[0].revision, messages[1].revision, messages[2].revision) = (2, 1, 1)
    messages[0].reactions = [.init(value: "❤️", senders: ["alice"]), .init(value: "👍", senders: ["bob"])]
    (messages[1].text, messages[1].editedAt) = ("Yes, on Saturday", 1_767_222_090_000)
    (messages[2].text, messages[2].deletedAt) = ("", 1_767_222_100_000)
    guard earlier.version > 2 else { return messages }
    (messages[1].content.replyTo, messages[1].content.formatting) = ("question", Data([7, 0]))
    guard earlier.version > 3 else { return messages }
    (messages[3].assistant, messages[3].content.metadata) = ("claude", Data("{}".utf8))
    guard earlier.version > 4 else { return messages }
    (messages[3].content.images, messages[3].content.videos) = (["map.png"], ["tour.mov"])
    guard earlier.version > 5 else { return messages }
    messages[3].content.request = "request"
    return messages
  }

  @Test(arguments: EarlierServer.all)
  func `an earlier version of the server keeps its accounts, each with its token`(
    _ earlier: EarlierServer
  ) async throws {
    let bench = try await open(earlier)
    defer { bench.removeFolder() }
    for account in ["alice", "bob", "carol"] {
      let frames = try await bench.connect(UserID(rawValue: account)).say(.hello(.init(after: nil)))
      let welcomed = frames.compactMap { frame -> String? in
        if case .welcome(let welcome) = frame { welcome.account } else { nil }
      }
      #expect(welcomed == [account])
    }
    #expect(try await bench.server.isKnown(token: "token-dave") == false)
  }

  @Test(arguments: EarlierServer.all)
  func `an earlier version of the server keeps its conversations, with their members in their order`(
    _ earlier: EarlierServer
  ) async throws {
    let bench = try await open(earlier)
    defer { bench.removeFolder() }
    let trip = Wire.ConversationItem(
      id: "trip", title: "The trip", members: ["bob", "alice"],
      earlier: earlier.version > 6 ? ["journey"] : nil)
    let notes = Wire.ConversationItem(id: "notes", title: nil, members: ["alice"])
    let choir = Wire.ConversationItem(id: "choir", title: "Nothing yet", members: ["carol", "alice", "bob"])
    for (account, known) in [("alice", [trip, notes, choir]), ("bob", [trip, choir]), ("carol", [choir])] {
      let frames = try await bench.connect(UserID(rawValue: account)).say(.hello(.init(after: nil)))
      #expect(frames.conversations == known)
    }
  }

  // S5.1
  @Test(arguments: EarlierServer.all)
  func `an earlier version of the server keeps its messages, changed or not, with their reactions`(
    _ earlier: EarlierServer
  ) async throws {
    let bench = try await open(earlier)
    defer { bench.removeFolder() }
    #expect(try await bench.server.messages(in: "trip") == trip(earlier))
    let notes = try await bench.server.messages(in: "notes")
    #expect(notes.map(\.role) == ["user", "system", "tool"])
    #expect(notes.map(\.text) == ["Buy gas 🔥", "Be brief.", "{}"])
    #expect(notes.map(\.order) == [1, 2, 3])
  }

  // S5.1
  @Test(arguments: EarlierServer.all)
  func `an earlier version of the server keeps its log, and its devices go on behind their cursors`(
    _ earlier: EarlierServer
  ) async throws {
    let bench = try await open(earlier)
    defer { bench.removeFolder() }
    let byID = Dictionary(uniqueKeysWithValues: trip(earlier).map { ($0.id, $0) })
    let last = lastCursor(earlier)
    let behind = try #require(
      try await bench.connect("bob").say(.hello(.init(after: 4))).pages.first)
    let changed = earlier.version == 1 ? [] : ["question", "question", "answer", "regretted"]
    #expect(behind.items.compactMap(\.message) == (["regretted", "route"] + changed).compactMap { byID[$0] })
    #expect(behind.items.compactMap(\.conversation?.id) == ["choir"])
    let mark = Wire.ReadMarkItem(conversation: "trip", reader: "bob", message: "answer", order: 2)
    #expect(behind.items.compactMap(\.readMark) == (earlier.version > 4 ? [mark] : []))
    #expect(behind.cursor == last)
    let atTheEnd = try #require(
      try await bench.connect("alice").say(.hello(.init(after: last))).pages.first)
    #expect(atTheEnd.after == last && atTheEnd.items.isEmpty)
  }

  // O6.2, S5.1
  @Test(arguments: EarlierServer.all)
  func `an earlier version of the server knows again what it has accepted`(
    _ earlier: EarlierServer
  ) async throws {
    let bench = try await open(earlier)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let bob = try await bench.client("bob")
    let again = await alice.send(eg("answer", in: "trip", members: nil, body: "Yes, on Sunday"))
    #expect(again.receipts == [.init(id: "answer", conversation: "trip", order: 2, at: 1_767_222_020_000)])
    #expect(again.pages.isEmpty)
    let stolen = await bob.send(eg("answer", in: "trip", members: nil))
    #expect(stolen.refusals.map(\.kind) == [.rejected])
    let loved = await alice.send(operation("love", "react", of: "question", "❤️"))
    guard earlier.version > 1 else {
      #expect(loved.receipts.map(\.revision) == [1])
      return
    }
    #expect(
      loved.receipts
        == [.init(id: "love", conversation: "trip", order: 1, at: 1_767_222_070_000, revision: 1)])
    let unchanged = await alice.send(operation("again", "react", of: "question", "❤️"))
    #expect(unchanged.receipts.map(\.revision) == [2])
    #expect(await bob.send(operation("edit", "edit", of: "answer", "x")).refusals.map(\.kind) == [.rejected])
    #expect(try await bench.server.messages(in: "trip") == trip(earlier))
  }

  // S5.1
  @Test(arguments: EarlierServer.all)
  func `an earlier version of the server goes on where it was, with all that the present one can do`(
    _ earlier: EarlierServer
  ) async throws {
    let bench = try await open(earlier)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let bob = try await bench.client("bob")
    let last = lastCursor(earlier)
    let file = AttachmentExample.file
    _ = await alice.upload(file)
    var message = eg(
      "new", in: "trip", members: nil, predecessor: "route", replyTo: "answer", formatting: Data([7]))
    message.content.request = "request"
    message.attachments = [AttachmentExample.item(file)]
    let answer = await alice.send(message)
    #expect(answer.receipts.map(\.order) == [5])
    #expect(answer.pages.map(\.cursor) == [last + 1])
    let heard = try #require(bob.heard().messages.first)
    #expect(heard.content.request == "request")
    #expect(
      await bob.say(.ask(.init(number: 1, request: "request", conversation: "trip")))
        == [.answer(.init(number: 1, .finished))])
    #expect(heard.replyTo == "answer" && heard.formatting == Data([7]))
    #expect(heard.attachments == message.attachments)
    #expect(await bob.fetch(file) == file)
    let revisions = Dictionary(
      uniqueKeysWithValues: try await bench.server.messages(in: "trip").map { ($0.id, $0.revision ?? 0) })
    let edited = await alice.send(operation("o1", "edit", of: "answer", "On Monday"))
    #expect(edited.receipts.map(\.revision) == [(revisions["answer"] ?? 0) + 1])
    let reacted = await bob.send(operation("o2", "react", of: "route", "🐌"))
    #expect(reacted.receipts.map(\.revision) == [1])
    let deleted = await bob.send(operation("o3", "delete", of: "question"))
    #expect(deleted.receipts.map(\.revision) == [(revisions["question"] ?? 0) + 1])
    let present = try await bench.server.messages(in: "trip")
    #expect(
      present.map(\.text).suffix(4) == [
        "On Monday", earlier.version == 1 ? "Never mind" : "", "By\0the/🚗", "hello",
      ])
    #expect(present.first?.reactions == nil && present.first?.deletedAt != nil)
  }
}
