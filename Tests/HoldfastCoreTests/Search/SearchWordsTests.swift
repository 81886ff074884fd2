import Testing

@testable import HoldfastCore

@Suite struct SearchWordsTests {
  private func words(_ text: String) -> [String] { SearchWords.words(of: text).map(\.folded) }

  // H8
  @Test func `case, accents and width make no difference`() {
    #expect(words("Café ÇAĞRI ＡＢＣ１ Ёлка") == ["cafe", "cagri", "abc1", "елка"])
    #expect(words("Straße STRASSE ΟΔΟΣ οδός") == ["strasse", "strasse", "οδοσ", "οδοσ"])
  }

  // H8, U17
  @Test func `the four Turkish letters i are one`() {
    for text in ["İSTANBUL", "istanbul", "ISTANBUL", "ıstanbul", "İstanbul", "i\u{307}stanbul"] {
      #expect(words(text) == ["istanbul"], "\(text)")
    }
  }

  // H8.4
  @Test func `text without spaces is one word for each sign`() {
    #expect(words("北京大学2024年") == ["北", "京", "大", "学", "2024", "年"])
    #expect(words("カメラとｶﾒﾗ") == ["カ", "メ", "ラ", "と", "カ", "メ", "ラ"])
    #expect(words("학교에서") == ["학", "교", "에", "서"])
    #expect(words("สวัสดี").count == 4)
    #expect(words("नमस्ते दुनिया").count == 2, "The vowels of a script with spaces belong to their word.")
  }

  // H8, U17
  @Test func `an emoji is a word, in whatever tone and form`() {
    #expect(words("ok👍🏽!❤️🎉") == ["ok", "👍", "❤", "🎉"])
    #expect(words("👩🏽‍💻") == words("👩‍💻"))
    #expect(words("🇹🇷") == ["🇹🇷"])
    #expect(words("1️⃣").count == 1)
  }

  // H8.5
  @Test(arguments: [
    ("السَّلامُ عَلَيْكُمْ", "السلام عليكم"), ("أحمد إبراهيم آدم ٱلله", "احمد ابراهيم ادم الله"),
    ("مؤمن رئيس", "مومن رييس"), ("مكتبة إلى", "مكتبه الي"), ("جمـــيل", "جميل"), ("ﻻﺣﻤﺪ", "لاحمد"),
    ("کتاب یار خانهٔ", "كتاب يار خانه"), ("بِسْمِ ٱللَّهِ ٱلرَّحْمَٰنِ", "بسم الله الرحمن"),
    ("שָׁלוֹם עֲלֵיכֶם", "שלום עליכם"), ("בְּרֵאשִׁ֖ית", "בראשית"), ("ייִדיש װאָס", "יידיש וואס"),
    ("ܫܠܳܡܳܐ", "ܫܠܡܐ"),
  ])
  func `signs above and below letters, tatweel and hamza make no difference`(text: String, plain: String) {
    #expect(words(text) == words(plain))
    #expect(words(text) == plain.split(separator: " ").map(String.init))
  }

  // H8.5
  @Test(arguments: [
    ("Łódź Rødgrød Đặng", "lodz rodgrod dang"), ("ŁÓDŹ RØDGRØD ĐẶNG", "lodz rodgrod dang"),
    ("Þór Ægir Œuvre STRAẞE ıĸ", "thor aegir oeuvre strasse iq"),
    ("þór ægir œuvre straße", "thor aegir oeuvre strasse"),
    ("Ħal Ŧeŋ Ŋð Ðu", "hal ten nd du"), ("ƀɓƙⱥȾɟ ƏǝɛƆ", "bbkatj eeeo"),
    ("ĳs ǆep ﬁn ŉ ſo", "ijs dzep fin n so"),
    ("Қазақ ғұмыр Өмір ӕ", "казак гумыр омір ае"), ("пʼять", "п ять"),
  ])
  func `strokes, hooks and ligatures make no difference`(text: String, plain: String) {
    #expect(words(text) == plain.split(separator: " ").map(String.init))
  }

  // H8.5
  @Test func `kana of half width find those of full width, with their sound marks`() {
    #expect(words("ｶﾞｽ") == ["ガ", "ス"] && words("カ\u{3099}ス") == ["ガ", "ス"] && words("カ゛ス") == ["ガ", "ス"])
    #expect(words("ﾊﾟﾋﾟﾌﾞ") == ["パ", "ピ", "ブ"] && words("ｳﾞﾁｮｯﾄｰ") == words("ヴチョットー"))
    #expect(SearchWords.words(of: "カ゛ス").map(\.range) == [0..<2, 2..<3])
    #expect(words("か ゛").count == 1, "A mark alone changes nothing.")
  }

  // H8.5
  @Test(arguments: [
    "\u{AD}", "\u{34F}", "\u{61C}", "\u{115F}", "\u{180E}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{200E}",
    "\u{200F}", "\u{202A}", "\u{202E}", "\u{202C}", "\u{2060}", "\u{2063}", "\u{2066}", "\u{2069}",
    "\u{3164}",
    "\u{FE00}", "\u{FE0F}", "\u{FEFF}", "\u{FFF9}", "\u{E0101}", "\u{E0020}",
  ])
  func `invisible characters make no difference, inside a word and around it`(invisible: String) {
    for text in ["Gesamt", "été", "سلام", "नमस्ते", "北京", "ス", "สวัสดี", "학교"] {
      let letters = text.map(String.init)
      #expect(words(letters.joined(separator: invisible)) == words(text), "\(text)")
      #expect(words(invisible + text + invisible + " a" + invisible) == words(text + " a"), "\(text)")
    }
    let ranges = SearchWords.words(of: "\(invisible)a\(invisible)b\(invisible)").map(\.range)
    let length = invisible.utf16.count
    #expect(ranges.count == 1 && ranges.first?.lowerBound == length)
    #expect(ranges.first.map { $0.upperBound >= 2 * length + 2 } == true)
  }

  // H8.4, H8.5
  @Test func `vowels and tones of Indic scripts and of Thai distinguish words`() {
    for (one, other) in [("कि", "की"), ("बात", "बत"), ("কি", "কী"), ("மன", "மனை"), ("ข้าว", "ขาว"), ("က", "ကာ")] {
      #expect(words(one) != words(other))
    }
  }

  // H8
  @Test func `a word knows where it is, in UTF-16 code units`() {
    let text = "👍🏽 Café, 北京"
    let utf16 = Array(text.utf16)
    let parts = SearchWords.words(of: text).map { String(decoding: utf16[$0.range], as: UTF16.self) }
    #expect(parts == ["👍🏽", "Café", "北", "京"])
  }

  // H8
  @Test func `a mark that joins an ASCII letter is recognized, and a sign beside it is separate`() {
    let found = SearchWords.words(of: "a\r\nB e\u{301}a xÉ9 1\u{20E3}2 中C don't")
    #expect(found.map(\.folded) == ["a", "b", "ea", "xe9", "1\u{20E3}", "2", "中", "c", "don", "t"])
    #expect(
      found.map(\.range) == [
        0..<1, 3..<4, 5..<8, 9..<12, 13..<15, 15..<16, 17..<18, 18..<19, 20..<23, 24..<25,
      ])
    #expect(
      words(String(repeating: "aB9", count: 20)) == [String(repeating: "ab9", count: 14).prefix(40) + ""])
  }

  // H8
  @Test(arguments: [
    "", " \n\t", "\"'()*^:-", "\u{0}", "\u{301}\u{301}", "\u{200D}", "\u{FE0F}", "\u{1F3FD}", "\u{E000}", "ﷺ",
    String(repeating: "a", count: 100_000), "e" + String(repeating: "\u{301}", count: 10_000),
  ])
  func `no text leads out of it`(text: String) {
    for word in SearchWords.words(of: text) {
      #expect(word.range.lowerBound >= 0 && word.range.upperBound <= text.utf16.count)
      #expect(!word.folded.isEmpty && word.folded.unicodeScalars.count <= 10_000)
      #expect(!word.folded.contains { $0.isWhitespace || $0 == "\"" })
    }
  }
}
