import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

@Suite(.timeLimit(.minutes(10))) struct SearchingTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  private func found(_ query: String, _ client: ChatClient, in conversation: ConversationID? = nil) throws
    -> [String]
  {
    try client.search(query, in: conversation).hits.map(\.excerpt.text)
  }

  // H8.1, H8.4, U17
  @Test func `a message is found before it is indexed and after, in every language`() throws {
    let client = try bench.client()
    for text in ["Toplantı İstanbul'da", "我在北京大学", "See you 👍🏽", "Grüße aus Köln", "학교에서 만나요"] {
      try client.send(text, in: eg.conversation)
    }
    for isIndexed in [false, true] {
      if isIndexed { try client.index() }
      #expect(try client.isIndexed() == isIndexed)
      #expect(try found("ISTANBUL", client) == ["Toplantı İstanbul'da"])
      #expect(try found("toplanti", client) == ["Toplantı İstanbul'da"])
      #expect(try found("京", client) == ["我在北京大学"])
      #expect(try found("北京", client) == ["我在北京大学"])
      #expect(try found("京北", client) == [])
      #expect(try found("👍", client) == ["See you 👍🏽"])
      #expect(try found("grüsse KOLN", client) == ["Grüße aus Köln"])
      #expect(try found("grueße", client) == [])
      #expect(try found("grusse koln", client) == ["Grüße aus Köln"])
      #expect(try found("학교", client) == ["학교에서 만나요"])
    }
  }

  // H8.1, H8.6
  @Test(arguments: [
    ("I don't know", "dont"), ("I dont know", "don't"), ("Don’t", "DONT"), ("an e-mail", "email"),
    ("an email", "e-mail"), ("two e-mails", "e-mail"), ("well-known", "wellkno"), ("1,234.50 EUR", "1234.50"),
    ("1234.50 EUR", "1,234.50"), ("1'234'567", "1234567"), ("1.234.567,89", "1234567.89"),
    ("O'Brien", "obrien"),
    ("node.js", "nodejs"), ("nodejs", "node.js"), ("a/b/c-test", "ctest"),
  ])
  func `signs within a word make no difference`(text: String, query: String) throws {
    let client = try bench.client()
    try client.send(text, in: eg.conversation)
    // The same letters, split into several words, are other words.
    try client.send("do nt, e mail mails, well kno, 1 234 50, no de js", in: eg.conversation)
    for isIndexed in [false, true] {
      if isIndexed { try client.index() }
      let hits = try found(query, client)
      // Words that were typed with a sign between them are also found with a space between them.
      let isOneWord = SearchLiteral(query) == nil
      #expect(isOneWord ? hits == [text] : hits.contains(text), "\(isIndexed)")
    }
  }

  // H8.2, H8.6
  @Test(arguments: ["C++", "c++", "<<<", "=>", "a =>", "$x", "¿", "::", "@bob"])
  func `what was typed with signs comes first as it is`(query: String) throws {
    let client = try bench.client()
    let literal = "so \(query) it is"
    for text in ["C is old", literal, "cats, x, bob and a", "c", "nothing"] {
      try client.send(text, in: eg.conversation)
    }
    for isIndexed in [false, true] {
      if isIndexed { try client.index() }
      let hits = try client.search(query).hits
      #expect(hits.first?.excerpt.text == literal)
      let marked = hits.first?.excerpt.matches.map { Array(literal.utf16)[$0.start..<$0.end] }
      #expect(marked == [Array(query.utf16)[...]])
      #expect(Set(hits.map(\.id)).count == hits.count)
    }
  }

  // H8.6
  @Test func `signs that are nowhere say where they were looked for`() throws {
    let client = try bench.client()
    try client.send("a < b", in: eg.conversation)
    #expect(try client.search("<<<").note == "None of the newest 1,000 messages has “<<<”")
    #expect(try client.search("zeppelin").note == "Nothing found for “zeppelin”")
    #expect(try found("<", client, in: "elsewhere") == [])
  }

  // H8.1, H8.5
  @Test(arguments: [
    ("السَّلامُ عَلَيْكُمْ", "السلام"), ("أحمد في المكتبة", "احمد المكتبه"), ("جميل", "جمــيل"), ("שָׁלוֹם", "שלום"),
    ("Łódź", "lodz"), ("lodz", "ŁÓDŹ"), ("Rødgrød", "rodgrod"), ("Straße", "STRAẞE"), ("ｶﾞｽ", "ガス"),
    ("ガス", "ｶﾞｽ"),
    ("Ge\u{AD}samt\u{AD}kon\u{AD}zept", "gesamtkonzept"), ("Gesamtkonzept", "ge\u{200B}samt"),
    ("\u{202E}hello\u{202C} wo\u{2060}rld", "hello world"), ("मुझे हिन्दी", "हिन्दी"),
  ])
  func `what is written with signs is found without them, and the other way around`(
    text: String, query: String
  ) throws {
    let client = try bench.client()
    try client.send(text, in: eg.conversation)
    #expect(try found(query, client).count == 1)
    try client.index()
    #expect(try found(query, client).count == 1, "The index changes nothing.")
  }

  // H8.1
  @Test func `everything is indexed at once when no user waits, with progress`() throws {
    let client = try bench.client()
    // The messages need more than one transaction.
    let count = 1_200
    let messages = (0..<count).map { #"{"role":"user","content":"word\#($0)"}"# }.joined(separator: ",")
    let file = bench.scratch.url.appendingPathComponent("history.json")
    try Data(#"{"conversations":[{"id":"c","messages":[\#(messages)]}]}"#.utf8).write(to: file)
    try client.importHistory(from: file)
    var steps: [Int64] = []
    try client.store.indexEverything { completed, _ in steps.append(completed) }
    #expect(steps.count > 1 && steps.last == Int64(count), "\(steps)")
    #expect(try client.isIndexed())
    #expect(try found("word1", client).count == 50)
    try client.store.indexEverything { _, _ in Issue.record("There is nothing left to do.") }
  }

  // H8
  @Test(arguments: [
    "\"", "a\" OR \"b", "NEAR(a b)", "words : x", "*", "^a", "a AND", "-a", "(", "{a b}",
    "'; DROP TABLE message; --",
    "\u{0}a", "a\u{0}b", "NOT a", "%", "_",
  ])
  func `nothing that is typed is wrong`(query: String) throws {
    let client = try bench.client()
    try client.send("a b c", in: eg.conversation)
    for isIndexed in [false, true] {
      if isIndexed { try client.index() }
      _ = try client.search(query)
    }
    #expect(try client.bodies() == ["a b c"])
  }

  // H8.2
  @Test func `the best is first, and a page goes on behind the one before`() throws {
    let client = try bench.client()
    let filler = String(repeating: " word", count: 40)
    for number in 0..<30 { try client.send("needle \(number)" + filler, in: eg.conversation) }
    try client.send("needle needle", in: eg.conversation)
    for number in 0..<30 { try client.send("hay \(number)", in: eg.conversation) }
    try client.index()
    let page = try client.search("needle", limit: 10)
    #expect(page.hits.first?.excerpt.text == "needle needle")
    #expect(page.hits.count == 10 && page.hasMore)
    let both = try client.search("needle", limit: 20)
    #expect(Array(both.hits.prefix(10)) == page.hits)
    let all = try client.search("needle", limit: 100)
    #expect(all.hits.count == 31 && !all.hasMore)
    #expect(try client.search("needle", limit: -1).hits.isEmpty)
  }

  // H7, H8.1
  @Test func `a letter or two find the newest messages, and few of a long history are read for that`() throws
  {
    let client = try bench.client()
    try client.createConversation("trip")
    try client.send("abc", in: "trip")
    try client.send("ab", in: eg.conversation)
    for number in 0..<40 { try client.send("about \(number) words, all of them", in: eg.conversation) }
    let all = try found("ab", client)
    #expect(all.count == 42 && all.last == "abc")
    try client.index()
    #expect(try found("ab", client) == all, "The index changes nothing.")
    #expect(try found("a w", client) == Array(all.prefix(40)))
    #expect(try found("ab", client, in: "trip") == ["abc"], "It lies behind those that are looked at.")
    let query = try #require(SearchQuery("ab"))
    for looked in [0, 5, 100] {
      let newest = try client.store.read {
        try $0.search.newestMatches(query, in: nil, looked: looked, limit: 50).map(\.text)
      }
      #expect(newest == all)
    }
    // With an empty index, a search that used it would find nothing.
    try StoreSurgery.emptyIndex(of: client)
    let page = try client.search("ab", limit: 20)
    #expect(page.hits.map(\.excerpt.text) == Array(all.prefix(20)) && page.hasMore)
  }

  // H8
  @Test func `a search can be of one conversation, and follows its new ID`() async throws {
    let client = try bench.client()
    try client.createConversation("trip")
    try client.send("hello here", in: eg.conversation)
    try client.send("hello there", in: "trip")
    try client.index()
    try await client.conversation("trip").replaceID(with: "journey")
    #expect(try found("hello", client, in: "trip") == ["hello there"])
    #expect(try client.search("hello", in: "journey").hits.map(\.conversation) == ["journey"])
    #expect(try found("hello", client).count == 2)
    #expect(try client.search("hello", in: "journey").hits.map(\.title) == ["hello there"])
  }

  // H8.1
  @Test func `an edited message is found by its new words only, and a deleted one by none`() throws {
    let client = try bench.client()
    let id = try client.send("first words", in: eg.conversation)
    try client.index()
    try client.message(id).edit(to: "second thoughts")
    #expect(try found("first", client) == [])
    #expect(try found("second", client) == ["second thoughts"])
    try client.index()
    #expect(try found("second", client) == ["second thoughts"])
    try client.message(id).delete()
    #expect(try found("second", client) == [])
  }

  // H8.1
  @Test func `a message that others edit or delete is found as it is now`() throws {
    let client = try bench.client()
    try client.takeIn(eg.incoming("m", "old words"))
    try client.index()
    try client.takeIn(eg.incoming("m", "new words", revision: 1))
    #expect(try found("old", client) == [])
    #expect(try found("new", client) == ["new words"])
    try client.index()
    try client.takeIn(eg.incoming("m", "", revision: 2, deletedAt: eg.date))
    #expect(try found("new", client) == [])
  }

  // H8, O8
  @Test func `a message that moves in the queue is still found, once`() async throws {
    let client = try bench.client()
    let id = try client.send("wanders about", in: eg.conversation)
    try client.send("stays", in: eg.conversation)
    try client.index()
    try client.fail(id)
    try await client.message(id).retry()
    #expect(try found("wanders", client) == ["wanders about"])
    try client.index()
    #expect(try found("wanders", client) == ["wanders about"])
    #expect(try found("stays", client) == ["stays"])
  }

  // H8.1
  @Test func `the place of a deleted message is not taken for indexed when it is given away again`() throws {
    let client = try bench.client()
    try client.send("one", in: eg.conversation)
    let last = try client.send("two", in: eg.conversation)
    try client.index()
    try client.message(last).delete()
    try client.send("three", in: eg.conversation)
    #expect(try found("two", client) == [])
    #expect(try found("three", client) == ["three"])
    try client.index()
    #expect(try found("three", client) == ["three"])
  }

  // H8.1
  @Test func `a streamed reply is found once it is finished`() async throws {
    let client = try bench.client()
    let id = try await client.conversation(eg.conversation).beginReply().id
    try client.index()
    try await client.reply(id).append("The answer is elephant")
    try await client.reply(id).finish()
    #expect(try found("elephant", client) == ["The answer is elephant"])
    try client.index()
    #expect(try found("elephant", client) == ["The answer is elephant"])
  }
}
