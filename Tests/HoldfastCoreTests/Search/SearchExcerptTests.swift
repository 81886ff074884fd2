import Testing

@testable import HoldfastCore

@Suite struct SearchExcerptTests {
  private func excerpt(_ query: String, _ body: String) throws -> SearchSnapshot.Excerpt {
    let matches = try #require(SearchQuery(query)?.matches(in: SearchWords.words(of: body)))
    return SearchSnapshot.Excerpt(of: body, matches: matches)
  }

  private func marked(_ excerpt: SearchSnapshot.Excerpt) -> [String] {
    let utf16 = Array(excerpt.text.utf16)
    return excerpt.matches.map { String(decoding: utf16[$0.start..<$0.end], as: UTF16.self) }
  }

  // H8.3
  @Test func `a short message is its own excerpt, on one line`() throws {
    let excerpt = try excerpt("two", "One\nTwo\r\nthree")
    #expect(excerpt.text.unicodeScalars.allSatisfy { $0 != "\n" && $0 != "\r" })
    #expect(excerpt.text.hasPrefix("One Two "))
    #expect(marked(excerpt) == ["Two"])
  }

  // H8.3
  @Test func `a long message is cut around the first match, at words`() throws {
    let filler = String(repeating: "lorem ipsum ", count: 100)
    let excerpt = try excerpt("needle", filler + "the needle is here " + filler)
    #expect(excerpt.text.hasPrefix("…") && excerpt.text.hasSuffix("…"))
    #expect(excerpt.text.utf16.count <= SearchSnapshot.Excerpt.length + 2)
    #expect(["…lorem", "…ipsum"].contains { excerpt.text.hasPrefix($0) })
    #expect(marked(excerpt) == ["needle"])
  }

  // H8.3, H8.4
  @Test func `no cluster is cut, and ranges count UTF-16`() throws {
    let filler = String(repeating: "👩🏽‍💻", count: 200)
    let excerpt = try excerpt("京", filler + "北京" + filler)
    #expect(marked(excerpt) == ["京"])
    #expect(excerpt.text.allSatisfy { $0 == "…" || $0 == "👩🏽‍💻" || $0 == "北" || $0 == "京" })
  }

  // H8.3, H8.5
  @Test func `an excerpt marks the word as it was written, with its signs`() throws {
    let filler = String(repeating: "كَلِمَة ", count: 100)
    #expect(marked(try excerpt("السلام", filler + "السَّلامُ " + filler)) == ["السَّلامُ"])
    #expect(marked(try excerpt("rodgrod", "Æbler og Rød\u{AD}grød")) == ["Rød\u{AD}grød"])
    #expect(marked(try excerpt("ガ", "都市ｶﾞｽ")) == ["ｶﾞ"])
  }

  // H8.3
  @Test func `a match that is longer than an excerpt is shown whole`() throws {
    let name = String(repeating: "a", count: 1_000)
    let excerpt = try excerpt(name, "so " + name + " it is")
    #expect(marked(excerpt) == [name])
  }

  // H8.3
  @Test(arguments: [
    "\u{200D}", "a\u{200D}", "\u{0301}", "\u{1F1E9}", "\u{0E33}", "\r\n\u{200D}", "\u{0915}\u{094D}",
  ])
  func `clusters without end are cut somewhere, and nothing traps`(endless: String) throws {
    let filler = String(repeating: endless, count: 500)
    for body in ["needle " + filler, filler + " needle", filler + " needle " + filler, "needle" + filler] {
      guard let matches = SearchQuery("needle")?.matches(in: SearchWords.words(of: body)) else { continue }
      let excerpt = SearchSnapshot.Excerpt(of: body, matches: matches)
      #expect(excerpt.matches.allSatisfy { $0.start <= $0.end && $0.end <= excerpt.text.utf16.count })
    }
  }
}
