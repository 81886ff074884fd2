import EngineFixtures
import Foundation
import HoldfastRescue
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// An app that shows each text as its code. No English text of the catalogue is shown.
@MainActor @Suite(.timeLimit(.minutes(10))) struct WordingTests {
  private typealias Text = ChatConfiguration.ShownText

  private nonisolated static let refusal = FailureReason(.rejected, "Not today, thank you.")

  private let bench: Bench

  init() throws { bench = try Bench() }

  private nonisolated static func code(_ text: Text) -> String { "<\(text)>" }

  private nonisolated static func codes(
    recordsDeliveries: Bool? = nil, history: ChatConfiguration.HistoryLimits = .init()
  ) -> ChatConfiguration {
    ChatConfiguration(history: history, recordsDeliveries: recordsDeliveries) { code($0) }
  }

  private func client() throws -> ChatClient { try bench.client(Self.codes()) }

  /// The strings in a shown value that look like natural language. Codes, IDs and the tests' own texts have no
  /// spaces.
  private nonisolated static func words(in value: some Encodable) throws -> Set<String> {
    var found: Set<String> = []
    func look(into value: Any) {
      switch value {
      case let text as String: found.insert(text)
      case let values as [Any]: values.forEach(look)
      case let values as [String: Any]: values.values.forEach(look)
      default: break
      }
    }
    look(into: try JSONSerialization.jsonObject(with: JSONEncoder().encode(value)))
    let english = Set(ShownTextExample.all.map(\.english))
    return found.filter { !$0.hasPrefix("<") && ($0.contains(" ") || english.contains($0)) }
  }

  // A10.1
  @Test func `problems, imports and buttons have the app's words`() throws {
    let client = try client()
    let composer = ComposerModel(client, eg.conversation)
    composer.text = "  "
    composer.send()
    #expect(composer.problem?.code == .emptyMessage)
    #expect(composer.problem?.message.hasPrefix("<error(") == true)
    let report = try client.importHistory(
      from: Data(#"{"messages":[{"role":"user","content":"hi"},7]}"#.utf8))
    #expect(!report.problems.isEmpty)
    #expect((report.problems + report.notes).allSatisfy { $0.explanation.hasPrefix("<importProblem(") })
    for label in MessageRow.Action.allCases.map(\.label) + HeldMessages.Answer.allCases.map(\.label) {
      #expect(Self.code(label).hasPrefix("<button("))
    }
    #expect(Set(MessageRow.Action.allCases.map(\.label)).count == MessageRow.Action.allCases.count)
    #expect(
      HeldMessages.Answer.allCases.map(\.label.english) == [
        "Send now", "Keep waiting", "Back to the composer",
      ])
  }

  // A10.1
  @Test func `each code of an import has a sentence of its own`() throws {
    let codes = try SourceFile.declaring("ImportProblem").text.matches(of: /static let (\w+) = Code\(/).map {
      String($0.1)
    }
    #expect(codes.count > 20)
    let sentences = Set(codes.map { Text.importProblem(code: $0).english })
    #expect(sentences.count == codes.count)
    #expect(!sentences.contains(Text.importProblem(code: "other").english))
  }

  // V3.1, V3.2
  @Test func `rows have the app's words for what waits, has failed, was changed and was deleted`() throws {
    let client = try client()
    _ = client.sharedStates.link.set(.offline)
    let changed = try client.delivered("changed")
    try client.message(changed).edit(to: "again")
    try client.takeIn(eg.incoming("gone", "", order: 2, revision: 1, deletedAt: eg.date))
    let queued = try client.send("queued", in: eg.conversation, replyTo: "gone")
    let spent = try client.send("spent", in: eg.conversation, replyTo: "elsewhere")
    try client.fail(spent, because: FailureReason(.attemptsSpent(3)))
    let refused = try client.send("refused", in: eg.conversation)
    try client.fail(refused, because: Self.refusal)
    let rows = try client.reader.conversation(eg.conversation, limit: 100).rows
    func row(_ id: MessageID) throws -> MessageRow { try #require(rows.first { $0.id == id }) }
    #expect(try row(queued).status.text == Self.code(.status(.offline)))
    #expect(try row(queued).quote?.note == Self.code(.messageDeleted))
    #expect(try row(spent).quote?.note == Self.code(.messageNotHere))
    #expect(try row(spent).status.text == Self.code(.status(.failed)))
    #expect(try row(spent).status.failure?.explanation == Self.code(.failure(.attemptsSpent(3))))
    #expect(try row(spent).status.failure?.cause == .attemptsSpent(3))
    #expect(try row(changed).operation?.status.text == Self.code(.operation(.edit, .offline)))
    #expect(try row("gone").note == Self.code(.messageDeleted))
    #expect(try row("gone").text == "")
    #expect(try Self.words(in: rows) == [Self.refusal.explanation], "A server's sentence is its own.")
  }

  // V3.1, V3.2
  @Test func `a failed operation has the app's words`() throws {
    let client = try client()
    let changed = try client.delivered("changed")
    let edit = try #require(try client.message(changed).edit(to: "again"))
    try client.fail(edit, because: FailureReason(.interruptedTooOften(4)))
    let operation = try #require(try client.row(changed).operation)
    #expect(operation.status.text == Self.code(.operation(.edit, .failed)))
    #expect(operation.status.failure?.explanation == Self.code(.failure(.interruptedTooOften(4))))
    #expect(try Self.words(in: client.rows()).isEmpty)
  }

  // V3.1, V3.2
  @Test
  func
    `a timeline without rows, without its conversation or without its beginning says so in the app's words`()
    throws
  {
    let client = try client()
    #expect(try client.reader.conversation(eg.conversation, limit: 9).note == Self.code(.noMessages))
    #expect(try client.reader.conversation("nowhere", limit: 9).note == Self.code(.conversationNotFound))
    try client.send("hi", in: eg.conversation)
    #expect(try client.reader.conversation(eg.conversation, limit: 9).note == nil)
    var begun = ConversationSnapshot(id: eg.conversation, title: "", rows: [], hasEvicted: true)
    #expect(begun.noteAbove == Text.earlierRemoved.english)
    begun.localize(with: Self.code)
    #expect(begun.noteAbove == Self.code(.earlierRemoved))
  }

  // V3.1, V3.2
  @Test func `an explanation has the app's words, and a server's sentence is left alone`() async throws {
    let client = try client()
    _ = client.sharedStates.link.set(.offline)
    let id = try client.send("hi", in: eg.conversation)
    func sentence() async throws -> String { try client.message(id).explain().sentence }
    #expect(try await sentence() == Self.code(.explanation(.offline)))
    try client.fail(id, because: FailureReason(.tooLong))
    #expect(try await sentence() == Self.code(.failure(.tooLong)))
    try client.fail(id, because: Self.refusal)
    #expect(try await sentence() == Self.refusal.explanation)
    #expect(try Self.words(in: client.message(id).explain()) == [Self.refusal.explanation])
  }

  // V3.1, V3.2
  @Test func `the list has the app's words for what has no text, and for Undo`() async throws {
    let client = try client()
    for id in ["empty", "deleted", "image", "video", "undone"] as [ConversationID] {
      try client.createConversation(id, title: "T")
    }
    try client.takeIn(eg.incoming("m1", in: "deleted", "", revision: 1, deletedAt: eg.date))
    var (image, video) = (eg.incoming("m2", in: "image", ""), eg.incoming("m3", in: "video", ""))
    (image.images, video.videos) = (["https://example.org/1.png"], ["https://example.org/1.mp4"])
    try client.takeIn(image, video)
    try await client.conversation("undone").delete()
    let list = try client.reader.list(limit: 100)
    let excerpts = Dictionary(uniqueKeysWithValues: list.rows.map { ($0.id, $0.excerpt) })
    #expect(excerpts["empty"] == Self.code(.nothingWritten))
    #expect(excerpts["deleted"] == Self.code(.messageDeleted))
    #expect(excerpts["image"] == Self.code(.image))
    #expect(excerpts["video"] == Self.code(.video))
    #expect(list.note == nil)
    #expect(try client.search("x-y").note == Self.code(.nothingFound(query: "x-y")))
    #expect(try client.search("<<<").note == Self.code(.noSignsFound(query: "<<<")))
    #expect(ConversationListSnapshot(rows: []).localized(with: Self.code).note == Self.code(.noConversations))
    #expect(list.undoable.map(\.text) == [Self.code(.conversationDeleted(title: "T"))])
    #expect(try Self.words(in: list).isEmpty)
  }

  // V3.1, V3.2
  @Test func `the link's banner and the progress of a drain have the app's words`() async throws {
    let client = try client()
    let ids = try (1...30).map { try client.send("\($0)", in: eg.conversation) }
    for id in ids { try client.transmit(id) }
    let model = ConnectionModel(client)
    _ = client.sharedStates.link.set(.offline)
    await Shown.until({ model.banner?.text == Self.code(.offline(queued: 30)) }, while: model.run)
    _ = client.sharedStates.link.set(.reconnecting)
    await Shown.until({ model.banner?.text == Self.code(.reconnecting) }) {
      client.store.changes.publish(Changes(link: true))
      await model.run()
    }
    _ = client.sharedStates.link.set(.online)
    await Shown.until({ model.progress?.text == Self.code(.sendingQueue(position: 1, total: 30)) }) {
      client.store.changes.publish(Changes(link: true))
      await model.run()
    }
    let banner = ConnectionBanner(kind: .connected).localized(with: Self.code)
    #expect(banner.text == Self.code(.connected))
    #expect(try Self.words(in: banner).isEmpty)
  }

  // V3.1, V3.2
  @Test func `the question about held messages has the app's words`() throws {
    try Bench.simulate(window: 4) { bench in
      bench.path.set(isUp: false)
      try await bench.running(Self.codes()) { client in
        for text in ["1", "2"] { try client.send(text, in: eg.conversation) }
        try await bench.pass(.seconds(3 * 86_400))
        bench.path.set(isUp: true)
        bench.transport.say(.ready)
        try await bench.pass(.milliseconds(110))
        let held = try client.held.snapshot()
        #expect(held.title == Self.code(.heldTitle(messages: 2)))
        #expect(
          held.sentence == Self.code(.heldSentence(messages: 2, conversations: 1, oldest: .days(3))))
        #expect(try Self.words(in: held).isEmpty)
        #expect(
          try client.rows().map(\.status.text) == [Self.code(.status(.held)), Self.code(.status(.held))])
        try client.outbox.answerHeld(.backToComposer)
        #expect(try client.held.snapshot().title == nil)
      }
    }
  }

  // V3.1, V3.2
  @Test func `the banner of a draft has the app's words, in a model and in a controller`() throws {
    do {
      let composer = ComposerModel(try client(), eg.conversation)
      composer.edit("hello")
      composer.hardSave()
    }
    bench.dateError.withLock { $0 += 300 }
    do {
      let drafts = DraftController(
        store: try bench.store(), user: eg.user,
        configuration: ChatConfiguration(texts: { Self.code($0) }, environment: bench.environment))
      let composer = drafts.composer(in: eg.conversation)
      _ = try composer.content()
      #expect(composer.banner?.text == Self.code(.draftRecovered(.minutes(5))))
    }
    let composer = ComposerModel(try client(), eg.conversation)
    #expect(composer.snapshot.banner?.text == Self.code(.draftRecovered(.minutes(5))))
    composer.discard()
    #expect(composer.snapshot.banner?.text == Self.code(.draftDiscarded))
    let old = DraftBanner(kind: .old, writtenAt: eg.date, age: .days(8)).localized(with: Self.code)
    #expect(old.text == Self.code(.draftOld(.days(8))))
    #expect(try Self.words(in: composer.snapshot).isEmpty)
  }

  // V3.1, V3.2
  @Test func `the question before a deletion has the app's words`() throws {
    let client = try client()
    try client.send("hi", in: eg.conversation)
    for question in try [client.deletionQuestion(), client.conversation(eg.conversation).deletionQuestion()] {
      #expect(question.title == Self.code(.deletionTitle(conversations: 1)))
      #expect(question.sentence == Self.code(.deletionSentence(messages: 1, unsent: 1, drafts: 0)))
      #expect(try Self.words(in: question).isEmpty)
    }
    let emptying = try client.conversation(eg.conversation).emptyingQuestion()
    #expect(emptying.title == Self.code(.emptyingTitle))
    #expect(emptying.sentence == Self.code(.emptyingSentence(messages: 1, unsent: 1)))
    #expect(try Self.words(in: emptying).isEmpty)
  }

  // V3.1, V3.2
  @Test func `the notice of a window has the app's words, at its opening and later`() async throws {
    let client = try client()
    do {
      let scene = SceneModel<SceneExample.Route, SceneExample.Sheet>(client, "main")
      scene.state.conversation = eg.conversation
    }
    try await client.conversation(eg.conversation).delete()
    let scene = SceneModel<SceneExample.Route, SceneExample.Sheet>(client, "main")
    #expect(scene.notice?.text == Self.code(.conversationNotFound))
    scene.dismissNotice()
    scene.open(SceneActivity(conversation: "nowhere"))
    #expect(scene.notice?.text == Self.code(.conversationNotFound))
  }

  // V3.1, V3.2
  @Test func `the headings of unsent texts have the app's words`() throws {
    let client = try client()
    try client.send("queued", in: eg.conversation)
    client.drafts.edit("typed", in: eg.conversation)
    let text = try client.outbox.exportUnsent()
    #expect(text.contains("\(Self.code(.unsent(.draft))), "))
    #expect(text.contains("\(Self.code(.unsent(.message))), "))
    for kind in Text.Unsent.allCases { #expect(!text.contains("\(kind.english), ")) }
  }

  // V3.1, V3.2
  @Test func `a failure that is reported as an event has the app's words`() throws {
    let client = try bench.client(Self.codes(recordsDeliveries: true))
    let id = try client.send("hi", in: eg.conversation)
    try client.fail(id, because: FailureReason(.attemptsSpent(3)))
    let failure = try #require(try client.outbox.storedDeliveries(after: 0).first?.failure)
    #expect(failure.explanation == Self.code(.failure(.attemptsSpent(3))))
  }
}
