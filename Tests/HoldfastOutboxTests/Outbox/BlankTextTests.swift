import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// Texts without visible characters, and texts with formatting.
@MainActor @Suite(.timeLimit(.minutes(10))) struct BlankTextTests {
  nonisolated private static let blank = [
    "", " \n\t", "\u{2800}", "\u{AD}", "\u{200B}", "\u{200D}", "\u{2060}", "\u{FEFF}", "\0", "\u{3164}",
    "\u{7}",
    "\u{E0020}", "\u{FE0F}", "\u{180E}", "\u{202E}", " \u{200B} \u{2800}\n", "\u{1D159}", "\u{FFFD}",
  ]
  nonisolated private static let visible = [
    "a", "👩‍🚀", "❤️", " \u{301}", "0", ".", "🇩🇪", "\u{200B}a", "العربية", "字",
  ]

  // O2.8, D6.1
  @Test(arguments: blank) func `a text in which nothing can be seen is no draft, no message and no edit`(
    text: String
  )
    async throws
  {
    let bench = try Bench()
    let client = try bench.client()
    let composer = ComposerModel(client, eg.conversation)
    composer.edit("before")
    composer.hardSave()
    composer.edit(text)
    #expect(!composer.snapshot.canSend)
    composer.hardSave()
    #expect(try client.drafts.stored(in: eg.conversation).isEmpty)
    #expect(composer.send() == nil)
    #expect(throws: ChatError.self) { try client.send(text, in: eg.conversation) }
    #expect(throws: ChatError.self) { try client.conversation(eg.conversation).sendOnce(text, id: "m") }
    let sent = try client.send("hello", in: eg.conversation)
    #expect(throws: ChatError.self) { try client.message(sent).edit(to: text) }
    #expect(try client.bodies() == ["hello"])
  }

  // O2.8
  @Test(arguments: visible) func `a text with anything to see is sent`(text: String) throws {
    let bench = try Bench()
    let client = try bench.client()
    let composer = ComposerModel(client, eg.conversation)
    composer.edit(text)
    #expect(composer.snapshot.canSend)
    #expect(composer.send() != nil)
    #expect(try client.rows().count == 1)
  }

  // O2.8
  @Test func `a file goes with a text in which nothing can be seen, and the text is left out`() throws {
    let bench = try Bench(carriesAttachments: true)
    let client = try bench.client()
    try client.conversation(eg.conversation).attach(Data("x".utf8), name: "x.txt")
    let composer = ComposerModel(client, eg.conversation)
    composer.edit("\u{2800} ", formatting: Data("bold".utf8))
    #expect(composer.send() != nil)
    #expect(try client.bodies() == [""])
    #expect(try client.rows().first?.formatting == nil)
  }

  // O2.1, O2.9
  @Test func `a plain text is trimmed, and a formatted one goes as it was typed, so that its spans fit`()
    throws
  {
    let bench = try Bench()
    let client = try bench.client()
    try client.send("  plain \n", in: eg.conversation)
    let spans = Data("2..<6".utf8)
    let composer = ComposerModel(client, eg.conversation)
    composer.edit("  @bob ", formatting: spans)
    let sent = try #require(composer.send())
    #expect(try client.bodies() == ["plain", "  @bob "])
    #expect(try client.rows().last?.formatting == spans)
    composer.beginEdit(sent)
    composer.edit(" @eve  ", formatting: spans)
    composer.send()
    #expect(try client.rows().last?.text == " @eve  ")
    #expect(try client.rows().last?.formatting == spans)
  }

  // H1.5
  @Test func `a title has a limit in bytes, whoever gives it`() throws {
    let bench = try Bench()
    let client = try bench.client()
    let letter = "a" + String(repeating: "\u{301}", count: 100_000)
    func title(_ id: ConversationID) throws -> String { try client.reader.conversation(id, limit: 1).title }
    func bytes(_ id: ConversationID) throws -> Int { try title(id).utf8.count }
    try client.createConversation("by the first message")
    try client.send(letter + " and more", in: "by the first message")
    #expect(try bytes("by the first message") <= 1_000)
    #expect(try title("by the first message").unicodeScalars.starts(with: letter.unicodeScalars.prefix(100)))
    #expect(throws: ChatError.self) { try client.createConversation("by the app", title: letter) }
    try client.takeIn(IncomingConversation(id: "by the server", title: letter, members: [eg.user]))
    #expect(try (1...1_000).contains(bytes("by the server")))
    try client.takeIn(
      IncomingConversation(id: "emoji", title: String(repeating: "👩‍🚀", count: 200), members: [eg.user]))
    #expect(try title("emoji").allSatisfy { $0 == "👩‍🚀" }, "Cut between two characters.")
  }
}
