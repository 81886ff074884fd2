import EngineFixtures
import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// Answers that are regenerated in place of complete ones (rule L10).
@Suite(.timeLimit(.minutes(10))) struct RegeneratingTests {
  private static let assistant = UserID.assistant("claude", of: eg.user)
  private static let notes: ConversationID = "notes"

  /// Writes a complete answer in a conversation on this device.
  private func answer(_ text: String, _ client: ChatClient) async throws -> MessageID {
    let chat = try client.createConversation(Self.notes, isOnDevice: true)
    try chat.send("Hello?")
    let reply = try await chat.beginReply(as: Self.assistant)
    try await reply.append(text, reasoning: "hm")
    try await reply.finish(metadata: Data("1".utf8), images: ["one.png"])
    try chat.send("Thanks")
    return reply.id
  }

  private func row(_ id: MessageID, _ client: ChatClient) throws -> MessageRow {
    try #require(try client.conversation(Self.notes).messages(last: 9).first { $0.id == id })
  }

  // L10.5, L10.6
  @Test func `whole -> another one in its place, and the earlier one is a version`() async throws {
    let bench = try Bench()
    let client = try bench.client()
    let id = try await answer("One", client)
    #expect(try row(id, client).actions == [.react, .regenerateReply, .delete])

    let reply = try await client.message(id).regenerateReply()
    #expect(try (row(id, client).text, row(id, client).status.state) == ("", .streaming))
    try await reply.append("Two")
    let writing = try row(id, client)
    #expect((writing.text, writing.reasoning, writing.metadata, writing.images) == ("Two", nil, nil, []))
    #expect(try client.store.read { try $0.messages.editable(id) } == nil)
    try await reply.finish(metadata: Data("2".utf8))

    let rows = try client.conversation(Self.notes).messages(last: 9)
    #expect(rows.map(\.text) == ["Hello?", "Two", "Thanks"])
    #expect((rows[1].reasoning, rows[1].metadata, rows[1].images) == (nil, Data("2".utf8), []))
    #expect((rows[1].versions, rows[1].status.state) == (1, .delivered))
    let versions = try client.message(id).versions()
    #expect(
      versions.map(\.content) == [
        MessageContent("One", reasoning: "hm", metadata: Data("1".utf8), images: ["one.png"])
      ])
    #expect(try client.search("Two", in: Self.notes).hits.map(\.id) == [id])
    #expect(try client.search("One", in: Self.notes).hits.isEmpty)
  }

  // L10.6
  @Test func `a version is brought back, and changes places with what the answer says`() async throws {
    let bench = try Bench()
    let client = try bench.client()
    let id = try await answer("One", client)
    for text in ["Two", "Three"] {
      let reply = try await client.message(id).regenerateReply()
      try await reply.append(text)
      try await reply.finish()
    }
    let message = client.message(id)
    #expect(try message.versions().map(\.content.text) == ["Two", "One"])
    try message.restoreVersion(try #require(try message.versions().last).id)
    #expect(
      try row(id, client).content
        == MessageContent("One", reasoning: "hm", metadata: Data("1".utf8), images: ["one.png"]))
    #expect(try message.versions().map(\.content.text) == ["Three", "Two"])
    #expect(throws: ChatError.self) { try message.restoreVersion(99) }
    #expect(try row(id, client).versions == 2)
  }

  // L10.5
  @Test func `under way -> killed: the earlier one holds, and the words that were stored are there`()
    async throws
  {
    let bench = try Bench()
    let client = try bench.client()
    let id = try await answer("One", client)
    try await client.message(id).regenerateReply().append("Tw")
    try await client.storeTokens()

    let next = try bench.client()
    let cut = try row(id, next)
    #expect((cut.text, cut.reasoning, cut.status.state) == ("Tw", nil, .interrupted))
    #expect(cut.actions == [.continueReply, .retryReply, .keepEarlierReply, .delete])
    #expect(try next.conversation(Self.notes).messages(last: 9).map(\.text) == ["Hello?", "Tw", "Thanks"])
    #expect(try next.search("One", in: Self.notes).hits.map(\.id) == [id], "The earlier one is not lost.")
    let reply = try await next.message(id).continueReply()
    #expect(reply.textSoFar == "Tw")
    #expect(throws: ChatError.self) { try next.message(id).keepEarlierReply() }
    try await reply.append("o")
    try await reply.finish()
    #expect(try (row(id, next).text, row(id, next).versions) == ("Two", 1))
    #expect(
      try next.conversation(Self.notes).messages(last: 9).map(\.id.rawValue).firstIndex(of: id.rawValue) == 1)
  }

  // L10.5
  @Test func `under way -> killed before a word: the earlier one, and that another was lost`() async throws {
    let bench = try Bench()
    let client = try bench.client()
    let id = try await answer("One", client)
    try await client.message(id).regenerateReply()
    let next = try bench.client()
    let cut = try row(id, next)
    #expect((cut.text, cut.reasoning, cut.status.state) == ("One", "hm", .failed))
    #expect(cut.status.failure?.cause == .replyLost)
    #expect(cut.actions == [.retryReply, .keepEarlierReply, .delete])
    let reply = try await next.message(id).retryReply()
    try await reply.append("Two")
    try await reply.finish()
    #expect(try next.message(id).versions().map(\.content.text) == ["One"])
  }

  // L10.5
  @Test func `under way -> stopped: before a word as if nothing was asked, later with the words`()
    async throws
  {
    let bench = try Bench()
    let client = try bench.client()
    let id = try await answer("One", client)
    let before = try row(id, client)
    try await client.message(id).regenerateReply()
    try await client.message(id).stopReply()
    #expect(try row(id, client) == before)

    let reply = try await client.message(id).regenerateReply()
    try await reply.append("Tw")
    try await client.message(id).stopReply()
    #expect(try (row(id, client).text, row(id, client).status.state) == ("Tw", .interrupted))
    try client.message(id).keepEarlierReply()
    #expect(try row(id, client) == before)
    #expect(throws: ChatError.self) { try client.message(id).keepEarlierReply() }
    #expect(try client.message(id).versions().isEmpty)
  }

  // L10.5
  @Test func `a cut off one is deleted with the answer, and all versions with it`() async throws {
    let bench = try Bench()
    let client = try bench.client()
    let id = try await answer("One", client)
    let reply = try await client.message(id).regenerateReply()
    try await reply.append("Two")
    try await reply.finish()
    try await client.message(id).regenerateReply().append("Thr")
    #expect(throws: ChatError.self) { try client.message(id).delete() }
    try await client.message(id).stopReply()
    try client.message(id).delete()
    #expect(try client.conversation(Self.notes).messages(last: 9).map(\.text) == ["Hello?", "Thanks"])
    #expect(try client.message(id).versions().isEmpty)
    #expect(try client.store.read { try $0.streams.versions(of: id) }.isEmpty)
  }

  // L10.5
  @Test func `an answer that is not whole, not ours or no answer is not given again`() async throws {
    let bench = try Bench()
    let client = try bench.client()
    let chat = client.conversation(eg.conversation)
    try client.takeIn(eg.incoming("theirs", "Hello", order: 1))
    let mine = try client.delivered("Hello", order: 2)
    let reply = try await chat.beginReply(as: Self.assistant)
    #expect(await failureCode { try await client.message("theirs").regenerateReply() } == .notYourMessage)
    #expect(await failureCode { try await client.message(mine).regenerateReply() } == .notYourMessage)
    #expect(await failureCode { try await client.message("nobody's").regenerateReply() } == .unknownMessage)
    #expect(await failureCode { try await client.message(reply.id).regenerateReply() } == .messageUnfinished)
    try await reply.append("One")
    try await reply.finish()
    #expect(await failureCode { try await client.message(reply.id).regenerateReply() } == .messageUnfinished)
    #expect(await failureCode { try client.message(reply.id).keepEarlierReply() } == .notInterrupted)
    #expect(try client.row(reply.id).text == "One")
  }

  // L10.5, L10.6
  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `whatever users, models and the system do, an answer is what a few lines say it is`(
    seed: UInt64
  ) async throws {
    let bench = try Bench()
    var client = try bench.client()
    let id = try await answer("0", client)
    var expected = AnswerModel(text: "0")
    var random = SeededRandom(seed: seed)
    for number in 1...40 {
      let message = client.message(id)
      let deed = expected.deeds.randomElement(using: &random)!
      expected.carryOut(deed, "\(number)")
      switch deed {
      case .begin: try await message.regenerateReply()
      case .append: try await client.reply(id).append("\(number)")
      case .store: try await client.storeTokens()
      case .stop: try await message.stopReply()
      case .fail: try await client.reply(id).fail("No.")
      case .finish: try await client.reply(id).finish()
      case .kill: client = try bench.client()
      case .continueReply: try await message.continueReply()
      case .retry: try await message.retryReply()
      case .keepEarlier: try message.keepEarlierReply()
      case .restore: try message.restoreVersion(try #require(try message.versions().last).id)
      }
      let row = try row(id, client)
      try #require(
        (row.text, row.status.state) == (expected.shown, expected.state),
        "seed \(seed), step \(number): \(deed)")
      try #require(try client.message(id).versions().map(\.content.text) == expected.versions)
      try #require(row.versions == expected.versions.count)
    }
  }

  /// Writes an answer that the server then has.
  private func delivered(_ bench: Bench, _ client: ChatClient) async throws -> MessageID {
    bench.transport.say(.ready)
    let reply = try await client.conversation(eg.conversation).beginReply(as: Self.assistant)
    try await reply.append("One", reasoning: "hm")
    try await reply.finish(metadata: Data("1".utf8))
    let sent = await bench.transport.transmission(1)
    bench.transport.say(.receipts([eg.receipt(sent.id, order: 1)]))
    try await bench.rest()
    return reply.id
  }

  // L10.7, O14
  @Test func `a server gets the new answer as one edit of all of it`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try await delivered(bench, client)
        let reply = try await client.message(id).regenerateReply()
        try await reply.append("Two", reasoning: "ha")
        try await bench.rest()
        try await reply.finish(metadata: Data("2".utf8))
        let edit = await bench.transport.transmission(2)
        #expect(edit.operation == MessageOperation(.edit, of: id, isWhole: true))
        let two = MessageContent("Two", reasoning: "ha", metadata: Data("2".utf8))
        #expect(edit.content == two)
        let waiting = try client.row(id)
        #expect((waiting.content, waiting.operation?.kind) == (two, .edit))
        bench.transport.say(.receipts([eg.receipt(edit.id)]))
        try await bench.rest()
        let row = try client.row(id)
        #expect((row.content, row.operation == nil, row.versions) == (two, true, 1))
        #expect(
          try client.message(id).versions().map(\.content)
            == [MessageContent("One", reasoning: "hm", metadata: Data("1".utf8))])
        #expect(!bench.transport.pieces.contains { $0.text == "Two" })
      }
    }
  }

  // L10.7, O14
  @Test func `an edit in the place of a new answer that waits brings what else is new`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try await delivered(bench, client)
        bench.transport.hangUp()
        try await bench.rest()
        let reply = try await client.message(id).regenerateReply()
        try await reply.append("Two", reasoning: "ha")
        try await reply.finish()
        try client.message(id).edit(to: "Two!")
        #expect(try client.row(id).content == MessageContent("Two!", reasoning: "ha"))
        let operations = try client.store.read { try $0.operations.all(of: id) }
        #expect(operations.map(\.isWhole) == [true])
        #expect(operations.map(\.content) == [MessageContent("Two!", reasoning: "ha")])
      }
    }
  }

  // L10.5
  @Test func `an answer that is deleted elsewhere takes the new one with it`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try await delivered(bench, client)
        let reply = try await client.message(id).regenerateReply()
        let ending = Mutexed<ReplyEnding?>(nil)
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            let end = try await reply.write { reply in
              try await reply.append("Tw")
              try await bench.pass(.seconds(60))
            }
            ending.withLock { $0 = end }
          }
          try await bench.pass(.seconds(1))
          var deleted = eg.incoming(id, from: Self.assistant, "", order: 1)
          (deleted.revision, deleted.deletedAt) = (1, eg.date)
          bench.transport.say(.items([.message(deleted)], cursor: nil))
          try await group.waitForAll()
        }
        #expect(ending.withLock { $0 } == .interrupted)
        let row = try client.row(id)
        #expect((row.isDeleted, row.text, row.status.state) == (true, "", .delivered))
        #expect(try client.store.read { try $0.streams.writer(of: id) } == nil)
      }
    }
  }

  // L10.5, B7
  @Test func `a server without edits is not asked for another answer`() async throws {
    let bench = try Bench(operations: [])
    let client = try bench.client()
    var message = eg.incoming("answer", from: Self.assistant, "One", order: 1)
    message.role = .assistant
    try client.takeIn(message)
    #expect(try client.row("answer").actions.isEmpty)
    #expect(await failureCode { try await client.message("answer").regenerateReply() } == .unsupported)
    #expect(try client.row("answer").status.state == .delivered)
  }
}

/// A model of an answer: its text after each act.
private struct AnswerModel {
  enum Deed {
    case begin, append, store, stop, fail, finish, kill, continueReply, retry, keepEarlier, restore
  }

  var text: String
  var versions: [String] = []
  /// The new answer: its words, its words on disk, whether it is being written, and whether it has failed.
  var new: (words: String, stored: String, isWritten: Bool, hasFailed: Bool)?

  var deeds: [Deed] {
    guard let new else { return [.begin, .begin, .kill] + (versions.isEmpty ? [] : [.restore]) }
    guard !new.isWritten else {
      return [.append, .append, .append, .store, .stop, .fail, .kill] + (new.words.isEmpty ? [] : [.finish])
    }
    return [.retry, .keepEarlier, .kill] + (new.words.isEmpty ? [] : [.continueReply])
  }

  var shown: String {
    guard let new else { return text }
    return new.isWritten || !new.words.isEmpty ? new.words : text
  }

  var state: MessageStatus.State {
    guard let new else { return .delivered }
    return new.isWritten ? .streaming : new.hasFailed ? .failed : .interrupted
  }

  mutating func carryOut(_ deed: Deed, _ word: String) {
    switch deed {
    case .begin: new = ("", "", true, false)
    case .append: new?.words += word
    case .store:
      guard let words = new?.words, !words.isEmpty else { return }
      new?.stored = words
    case .stop, .fail:
      end(hasFailed: deed == .fail)
    case .finish:
      versions.insert(text, at: 0)
      text = new?.words ?? ""
      new = nil
    case .kill:
      guard let written = new else { return }
      guard written.isWritten else { return }
      new = (written.stored, written.stored, false, written.stored.isEmpty)
    case .continueReply: new?.isWritten = true
    case .retry: new = ("", new?.stored ?? "", true, false)
    case .keepEarlier: new = nil
    case .restore:
      let earlier = versions.removeLast()
      versions.insert(text, at: 0)
      text = earlier
    }
  }

  /// Ends the writing. Words that were not replaced are restored.
  private mutating func end(hasFailed: Bool) {
    guard let written = new else { return }
    let words = written.words.isEmpty ? written.stored : written.words
    new = words.isEmpty && !hasFailed ? nil : (words, words, false, hasFailed)
  }
}
