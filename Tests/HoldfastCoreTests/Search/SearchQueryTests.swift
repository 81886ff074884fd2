import Testing

@testable import HoldfastCore

@Suite struct SearchQueryTests {
  private func found(_ query: String, in text: String) -> [String]? {
    let utf16 = Array(text.utf16)
    return SearchQuery(query)?.matches(in: SearchWords.words(of: text)).map { ranges in
      ranges.map { String(decoding: utf16[$0], as: UTF16.self) }
    }
  }

  // H8
  @Test func `all words have to be there, in any order, each from its beginning on`() {
    #expect(found("meet tom", in: "Tomorrow we are meeting") == ["Tomorrow", "meeting"])
    #expect(found("meet yesterday", in: "Tomorrow we are meeting") == nil)
    #expect(found("eeting", in: "meeting") == nil)
  }

  // H8.4
  @Test func `the text between two spaces is a phrase`() {
    #expect(found("don't", in: "I don't know, don and t") == ["don't"])
    #expect(found("北京", in: "我在北京大学") == ["北京"])
    #expect(found("京北", in: "我在北京大学") == nil)
    #expect(found("学", in: "我在北京大学") == ["学"])
    #expect(found("大学 我", in: "我在北京大学") == ["我", "大学"])
  }

  // H8.3, H8.5
  @Test func `a match is the part of the text, with all that makes no difference`() {
    #expect(found("السلام", in: "قال: السَّلامُ عَلَيْكُمْ") == ["السَّلامُ"])
    #expect(found("السل", in: "السَّلامُ") == ["السَّلامُ"], "The beginning is enough.")
    #expect(found("عَلَيْكُمْ", in: "السلام عليكم") == ["عليكم"])
    #expect(
      found("gesamtkonzept", in: "Das Ge\u{AD}samt\u{AD}kon\u{AD}zept\u{AD}.") == [
        "Ge\u{AD}samt\u{AD}kon\u{AD}zept"
      ])
    #expect(found("ge\u{AD}samt", in: "Gesamtkonzept") == ["Gesamtkonzept"])
    #expect(found("ガス", in: "都市ｶﾞｽ") == ["ｶﾞｽ"] && found("ｶﾞｽ", in: "都市ガス") == ["ガス"])
    #expect(found("カス", in: "都市ｶﾞｽ") == nil)
    #expect(found("lodz,rod", in: "Łódź, Rødgrød") == ["Łódź, Rødgrød"], "A phrase.")
    #expect(found("ŁÓD", in: "lodz") == ["lodz"] && found("æ", in: "aether") == ["aether"])
    #expect(found("שלום", in: "שָׁלוֹם") == ["שָׁלוֹם"] && found("שָׁלוֹם", in: "שלום") == ["שלום"])
  }

  // H8
  @Test func `matches that overlap are one`() {
    #expect(found("ab abc", in: "abcd") == ["abcd"])
    #expect(found("哈哈", in: "哈哈哈") == ["哈哈哈"])
  }

  // H8
  @Test func `signs alone are nothing to look for`() {
    for text in ["", "  ", "\"", "***", "( ) AND:", "-", "\u{0}"] where text != "( ) AND:" {
      #expect(SearchQuery(text) == nil, "\(text)")
    }
    #expect(SearchQuery("( ) AND:")?.match == "\"and\"*")
  }

  // H8
  @Test func `only the first letters of words are vague`() {
    for text in ["a", "ab", "a b", "İ", "é!"] { #expect(SearchQuery(text)?.isVague == true, "\(text)") }
    for text in ["abc", "a meeting", "京", "👍", "a.b"] {
      #expect(SearchQuery(text)?.isVague == false, "\(text)")
    }
  }

  // H8
  @Test func `a query is limited`() {
    let many = SearchQuery((0..<100_000).map { "a\($0)" }.joined(separator: " "))
    #expect(many?.phrases.count == 16)
    #expect(SearchQuery(String(repeating: "a B ", count: 100_000))?.phrases.count == 2)
    let long = SearchQuery(String(repeating: "北", count: 100_000))
    #expect(long?.phrases.first?.count == 32)
  }
}
