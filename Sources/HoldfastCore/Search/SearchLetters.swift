/// Letters that users type as other letters, although no Unicode form decomposes them: letters with a stroke, a hook
/// or a descender, ligatures, and Arabic letters of the same base (rule H8). Pure.
///
/// ```
///   ł  ──►  l      æ  ──►  ae      ß  ──►  ss      қ  ──►  к      ٱ  ──►  ا
/// ```
enum SearchLetters {
  /// The letters that a small letter is typed as. Nil for a letter that is typed as itself.
  static func typed(for letter: Unicode.Scalar) -> String.UnicodeScalarView? { typed[letter] }

  private static let typed: [Unicode.Scalar: String.UnicodeScalarView] = {
    let letters = named.flatMap(\.self).compactMap(Unicode.Scalar.init)
    let byName = letters.compactMap { letter in base(of: letter).map { (letter, $0.unicodeScalars) } }
    let byList = others.flatMap { base, letters in letters.unicodeScalars.map { ($0, base.unicodeScalars) } }
    return Dictionary(byName + byList) { _, listed in listed }
  }()

  /// The blocks of Latin and Cyrillic letters whose names contain their base letters.
  private static let named: [ClosedRange<UInt32>] = [
    0x00C0...0x02AF, 0x0400...0x052F, 0x1D6B...0x1D9A, 0x2C60...0x2C7F, 0xA722...0xA7CA, 0xAB30...0xAB68,
  ]

  /// The letters whose names do not contain them.
  private static let others: KeyValuePairs = [
    "ss": "ß", "th": "þ", "d": "ð", "n": "ŋ", "q": "ĸ", "i": "ɪɩ", "j": "ȷɟ", "e": "əǝɛ", "o": "ɔɵ", "z": "ʒ",
    "s": "ʃ",
    "g": "ɡɣ", "a": "ɑ", "u": "ʊ", "w": "ƿ", "y": "ȝ",
    "о": "ө", "у": "үұ", "ае": "ӕ", "нг": "ҥ", "тц": "ҵ",
    "וו": "װ", "וי": "ױ", "יי": "ײ",
    "ا": "ٱٲٳ", "ي": "ىیے", "ه": "ةۃہھە", "ك": "کڪ",
  ]

  /// The letters in front of WITH in a name, such as `L` of LATIN SMALL LETTER L WITH STROKE, or both letters of a
  /// ligature, such as `AE`.
  private static func base(of letter: Unicode.Scalar) -> String? {
    guard let words = letter.properties.name?.split(separator: " "), words.count > 3, words[1] == "SMALL"
    else {
      return nil
    }
    if words[0] == "LATIN" { return words[3].utf8.count <= 2 ? words[3].lowercased() : nil }
    guard words.count > 4, words[4] == "WITH" else { return nil }
    return cyrillic[words[3]]
  }

  /// The Russian letters, but for the two signs, by the last word of their names.
  private static let cyrillic: [Substring: String] = {
    let letters = "абвгдежзиклмнопрстуфхцчшщыэюя".unicodeScalars
    let names = letters.compactMap { letter in letter.properties.name.map { ($0, String(letter)) } }
    return Dictionary(uniqueKeysWithValues: names.map { ($0.split(separator: " ").last ?? "", $1) })
  }()
}
