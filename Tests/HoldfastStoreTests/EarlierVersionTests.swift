import EngineFixtures
import Foundation
import GRDB
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// The contents of the stores of earlier versions, as the engine reads them (rule S5).
@Suite struct EarlierVersionTests {
  private static let hill: ChatAttachment.Checksum =
    "d5fa9415c5a257a5938646f57012414b9fb06a1cab047b12242951d644919e12"
  private static let map: ChatAttachment.Checksum =
    "141d1e673f14407db04bfc2ddc1503e53e72c9873b201329e07ca01240cb25d5"
  private static let sketch: ChatAttachment.Checksum =
    "badaddb08fdfe70bc6424f3994d8828fae6d749e4122e02201677dd2975d5ea0"

  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func open(_ earlier: EarlierStore) throws -> Store {
    try earlier.copy(to: scratch.url)
    return try Store(folder: scratch.url, owner: eg.user)
  }

  // D15, H1, S5.1
  @Test(arguments: EarlierStore.all)
  func `an earlier version keeps its conversations, in their order, with all that is known of them`(
    _ earlier: EarlierStore
  ) throws {
    let store = try open(earlier)

    let conversations = try store.read { try $0.conversations.stored(limit: 3) }
    #expect(conversations.map(\.id) == ["alice-bob", "notes", "choir"])
    #expect(conversations.map(\.title) == ["The trip", "Buy gas for the stove", nil])
    #expect(conversations.map(\.members) == [["alice", "bob"], ["alice"], ["alice", "bob", "carol"]])
    #expect(
      conversations.map(\.refusal)
        == [nil, nil, FailureReason(.init(rawValue: "forbidden"), "You are not in it any more.")])
    #expect(try store.read { try $0.conversations.active() } == "notes")
    #expect(try store.read { try $0.conversations.onDevice() } == (earlier.number < 6 ? [] : ["alone"]))
    let thoughts = try store.read { try $0.messages.timeline(of: "alone", limit: 9) }
    #expect(thoughts.map(\.content.metadata) == (earlier.number < 7 ? [] : [Data("{}".utf8), nil]))
    let metadata = try store.read { try $0.conversations.metadata(of: "alone") }
    #expect(metadata == (earlier.number < 10 ? nil : Data("{}".utf8)))
    let unread = try store.read { try $0.readMarks.unreadCounts(of: eg.user, limit: 9) }
    #expect(unread.values.allSatisfy { $0 == 0 }, "All that was shown before counts as read.")
    #expect(store.names.key(of: "alice-robert") == (earlier.version == "1" ? "alice-robert" : "alice-bob"))
  }

  // O3, H1.4, S5.1
  @Test(arguments: EarlierStore.all)
  func `an earlier version keeps what was delivered, waits, failed or is held`(
    _ earlier: EarlierStore
  ) throws {
    let store = try open(earlier)

    let messages = try store.read { try $0.messages.timeline(of: "alice-bob", limit: 100) }
    #expect(
      messages.map(\.id.rawValue) == [
        "question", "answer", "regretted", "route", "failed", "own", "other", "flown", "queued",
      ])
    #expect(
      messages.map(\.content.text) == [
        "Shall we go to the lake?", "Yes, on Sunday", "Never mind", "By the mill", "What about the tents?",
        "First east", "Perhaps", "I bring bread", "Here is the map",
      ])
    #expect(messages.compactMap(\.serverOrder) == [1, 2, 3, 4])
    #expect(messages.filter(\.isInOutbox).map(\.id) == ["failed", "flown", "queued"])
    #expect(messages.compactMap(\.failure) == [FailureReason(.rejected, "Too many tents.")])
    #expect(messages[3].content.reasoning == "It is the shortest.")
    #expect(messages[1].content.replyTo == "question")
    #expect(messages[1].content.formatting == Data([7, 0]))
    #expect(messages[0].editedAt == Date(timeIntervalSince1970: 1_767_222_015))
    #expect(
      try store.read { try $0.messages.details(of: "question") }?.details
        == MessageDetails(readBy: ["alice"], importedStatus: "seen"))
    #expect(messages[0].content.images == ["lake.png"])
    #expect(messages[0].content.videos == ["boat.mp4"])
    #expect(
      try store.read { try $0.operations.reactions(to: "answer") } == [
        IncomingMessage.Reaction("❤️", from: "bob")
      ])
    #expect(try store.read { try $0.messages.timeline(of: "notes", limit: 100) }.map(\.isHeld) == [true])
    let choir = try store.read { try $0.messages.timeline(of: "choir", limit: 100) }
    #expect(choir.map(\.isDeleted) == (earlier.version == "1" ? [false] : [true, false]))
  }

  // O14, S5.1
  @Test(arguments: EarlierStore.all)
  func `an earlier version keeps its queue in its order, with what is to be done to messages behind them`(
    _ earlier: EarlierStore
  ) throws {
    let store = try open(earlier)

    let outbox = try store.read { db in
      try db.rows(
        """
        SELECT position || ' ' || coalesce(messageID, operationID) || ' ' || conversationID || ' ' || attempts || ' '
          || unanswered || ' ' || mayHaveArrived || ' ' || coalesce(departedAt / 1000000, '-') || ' '
          || coalesce(parkedCode, '-') || ' ' || isHeld
        FROM outbox ORDER BY position
        """
      ) { $0[0] as String }
    }
    #expect(
      outbox == [
        "1 failed alice-bob 3 0 0 - rejected 0", "2 flown alice-bob 1 2 1 1767222080 - 0",
        "3 queued alice-bob 0 0 0 - - 0", "4 held notes 0 0 0 - - 1", "7 refused choir 0 0 0 - - 0",
        "8 edit alice-bob 1 0 0 - - 0", "9 delete alice-bob 0 0 0 - - 0", "10 react alice-bob 0 0 0 - - 0",
        "11 unreact alice-bob 2 0 0 - rejected 0",
      ])
    let operations = try store.read { try $0.operations.all(in: "alice-bob", limit: 100) }
    #expect(operations["answer"]?.map(\.text.string) == ["Yes, on Saturday"])
    #expect(operations["answer"]?.map(\.text.formatting) == [earlier.number >= 3 ? Data([3, 4]) : nil])
    #expect(operations["regretted"]?.map(\.kind) == [.delete])
    #expect(operations["question"]?.map(\.text.string) == ["👍"])
    let onRoute = try #require(operations["route"])
    #expect(onRoute.map(\.kind) == (earlier.version == "1" ? [.unreact] : [.react, .unreact]))
    #expect(onRoute.map(\.isAccepted) == (earlier.version == "1" ? [false] : [true, false]))
    #expect(onRoute.last?.failure == FailureReason(.rejected, "Not yours."))
  }

  // D1, S5.1
  @Test(arguments: EarlierStore.all)
  func `an earlier version keeps the drafts of both slots as they were typed, and their earlier texts`(
    _ earlier: EarlierStore
  ) throws {
    let store = try open(earlier)

    let new = try #require(try store.read { try $0.drafts.restorable(DraftKey(conversation: "alice-bob")) })
    #expect(
      new.content
        == DraftContent(
          "  And who drives? 🚗 ", selection: TextRange(start: 6, end: 9), replyTo: "question",
          formatting: Data([1, 2]),
          attachments: [
            ChatAttachment(
              checksum: Self.hill, name: "again.png", mediaType: "image/png", byteCount: 30),
            ChatAttachment(checksum: Self.map, name: "map.txt", mediaType: "text/plain", byteCount: 29),
          ]))
    #expect(new.edition == DraftEdition(id: "d-new", revision: 8))
    let edit = try #require(
      try store.read { try $0.drafts.restorable(DraftKey(conversation: "alice-bob", slot: .edit)) })
    #expect(edit.content == DraftContent("Yes, on Saturday at nine"))
    #expect(edit.editing == "answer")
    #expect(
      try store.read { try $0.drafts.restorable(DraftKey(conversation: "notes")) }?.content.text == "Matches")
    let versions = try store.read { try $0.drafts.versions(of: DraftKey(conversation: "alice-bob")) }
    #expect(versions.map(\.text) == ["And where do we sleep?", "And who"])
    #expect(versions.map(\.selection) == [nil, TextRange(start: 7, end: 7)])
    let withoutDraft = try store.read { try $0.drafts.versions(of: DraftKey(conversation: "choir")) }
    #expect(withoutDraft.map(\.text) == (earlier.version == "1" ? [] : ["Emptied since"]))
    let saves = try store.read { try $0.drafts.metrics().saves }
    #expect(saves == (earlier.version == "1" ? 0 : 18))
  }

  // D16, S5.1
  @Test(arguments: EarlierStore.all)
  func `an earlier version keeps its attachments, and one that is not here can be wanted`(
    _ earlier: EarlierStore
  ) throws {
    let store = try open(earlier)

    let sent = try store.read { try $0.attachments.all(of: "answer") }
    #expect(sent.map(\.attachment.name) == ["hill.png"])
    #expect(sent.map(\.isHere) == [true])
    #expect(sent.map(\.isUploaded) == [true])
    let waiting = try #require(try store.read { try $0.attachments.nextUpload(of: "queued") })
    #expect(waiting.attachment.checksum == Self.map)
    #expect(waiting.uploadedBytes == 10)
    try store.sweepAttachmentFolder()
    let files = try FileManager.default.contentsOfDirectory(atPath: store.attachments.url.path)
    #expect(Set(files) == [Self.hill.rawValue, Self.map.rawValue])

    let absent = earlier.version == "1" ? Self.hill : Self.sketch
    try store.write {
      try $0.run("UPDATE attachment SET isHere = 0 WHERE checksum = ?", [absent.rawValue])
      try $0.attachments.want(absent)
    }
    #expect(
      try store.read { try $0.attachments.nextFetch(atMost: 0, besides: []) }?.attachment.checksum == absent)
  }

  // R6, S5.1
  @Test(arguments: EarlierStore.all)
  func `an earlier version keeps the places of its windows`(_ earlier: EarlierStore) throws {
    let store = try open(earlier)

    #expect(
      try store.read { try $0.scenes.stored("main") } == StoredScene(version: 7, state: Data("place".utf8)))
    #expect(
      try store.read { try $0.scenes.stored("second") } == StoredScene(version: 7, state: Data("there".utf8)))
    try store.write { try $0.scenes.save("other", version: 7, state: Data(), now: eg.date) }
    #expect(try store.read { try $0.row("SELECT count(*) FROM scene")![0] as Int } == 3)
  }

  // H3.3, P1.1, S5.1
  @Test(arguments: EarlierStore.all)
  func `an earlier version keeps its replies and requests, and its own replies can be continued`(
    _ earlier: EarlierStore
  ) throws {
    let store = try open(earlier)

    let cutOff = try store.read { try $0.messages.timeline(of: "alice-bob", limit: 100) }.filter(
      \.isInterrupted)
    #expect(cutOff.map(\.id) == ["own", "other"])
    #expect(cutOff.map(\.isWrittenHere) == [true, false])
    let work = try store.read { try $0.streams.requests() }
    #expect(work.map(\.id) == ["request"])
    #expect(work.map(\.request.startedAt) == [Date(timeIntervalSince1970: 1_767_222_055)])
    let stored = try store.write { try $0.streams.takeOver("own", by: "s").stored }
    #expect(stored == StreamPrefix(text: "First east", reasoning: "Think", nextSequence: 3))
    #expect(throws: ChatError.self) { try store.write { try $0.streams.takeOver("other", by: "s") } }
  }

  // L4, L5, S5.1
  @Test(arguments: EarlierStore.all)
  func `an earlier version keeps what the app noted on a message, and why a reply failed`(
    _ earlier: EarlierStore
  ) throws {
    let store = try open(earlier)

    let alone = try store.read { try $0.messages.timeline(of: "alone", limit: 10) }
    guard earlier.number >= 7 else { return #expect(alone.isEmpty) }
    #expect(alone.map(\.content.metadata) == [Data("{}".utf8), nil])
    #expect(alone.map(\.failure) == [nil, FailureReason(.replyFailed, "The model is overloaded.")])
    let deliveries = try store.read { try $0.deliveries.next(after: 0, limit: 10) }
    #expect(deliveries.map(\.message) == (earlier.number < 8 ? [] : ["answer", "failed"]))
    #expect(
      deliveries.last?.failure == (earlier.number < 8 ? nil : FailureReason(.rejected, "Too many tents.")))
    let read = try store.read { try $0.readMarks.pending(of: eg.user) }
    #expect(read.map(\.mark.message) == (earlier.number < 8 ? [] : ["route"]))
    let answer = try #require(
      try store.read { try $0.messages.timeline(of: "alice-bob", limit: 100) }.first { $0.id == "answer" })
    #expect(answer.content.request == (earlier.number < 9 ? nil : "request"))
    let names = try store.read { try $0.attachments.serverIDs(of: Self.hill) }
    #expect(names == (earlier.number < 14 ? [] : ["mxc://example.org/hill"]))
    #expect(try store.read { try $0.conversations.metadata(of: "alice-bob") } == nil)
  }

  // D14, O16, O17, S5.1
  @Test(arguments: EarlierStore.all)
  func `an earlier version keeps its counts, its clock and how far it has followed the server`(
    _ earlier: EarlierStore
  ) throws {
    let store = try open(earlier)

    #expect(try store.read { try $0.metrics.counts(of: DeliveryTimes.metric) } == [12: 3, 20: 1])
    #expect(try store.read { try $0.drafts.metrics() }.restores == (earlier.version == "1" ? 0 : 2))
    #expect(try store.read { try $0.settings.cursor() }?.rawValue == "42")
    #expect(try store.read { try $0.settings.device() } == (earlier.version == "1" ? nil : "phone"))
    let moment: Int64 = 1_767_222_500_000_000
    #expect(
      try store.read { try $0.outbox.waitingMark() } == WaitingClock.Mark(reading: moment, date: moment))
    #expect(try store.write { try $0.settings.nextRevision() } == 10)
    #expect(throws: ChatError.self) { try Store(folder: scratch.url, owner: eg.other) }
  }

  // S5.1
  @Test(arguments: EarlierStore.all)
  func `an earlier version goes on where it was: what waited leaves, and what is new after it`(
    _ earlier: EarlierStore
  ) throws {
    try Bench.simulate(window: 8) { bench in
      try earlier.copy(to: bench.scratch.url)
      try await bench.running { client in
        bench.transport.say(.ready)
        #expect(await bench.transport.transmission(1).id == "flown")
        #expect(bench.transport.cursors.map { $0?.rawValue } == ["42"])
        let id = try client.send("Found some", in: "notes")
        client.drafts.edit("Which bus?", in: "choir")
        try client.hardSave()
        try await bench.rest()
        #expect(bench.transport.sent.contains { $0.id == id && $0.conversation == "notes" })
        #expect(!bench.transport.sent.contains { ["failed", "held", "refused"].contains($0.id) })
        bench.transport.say(
          .receipts([eg.receipt("flown", order: 5), eg.receipt(id, in: "notes", order: 1)]))
        try await bench.rest()
        let delivered = try client.rows().filter { $0.isMine && $0.status.state == .delivered }
        #expect(delivered.map(\.id).contains("flown"))
        let notes = try client.reader.conversation("notes", limit: 10).rows
        #expect(notes.map(\.status.state) == [.delivered, .held])
        #expect(notes.map(\.text) == ["Found some", "Buy gas for the stove"])
        #expect(try client.drafts.stored(in: "choir") == ["Which bus?"])
      }
    }
  }
}
