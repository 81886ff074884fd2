import Foundation

/// One word of a text as the search sees it (rule H8).
package struct SearchWord: Equatable, Sendable {
  /// The folded word: words that look alike to a searching user fold to the same string.
  var folded: String
  /// The word's place in UTF-16 code units of the text.
  var range: Range<Int>
  /// Whether a prefix finds the word. False for a character of a script without spaces and for an emoji, which are
  /// found only whole.
  var isOpen: Bool
  /// Whether only symbols are between the word and the one before it, and no white space: `t` in *don't*.
  var isJoined = false
}

/// Splits texts into words for the search, in every language. Pure.
///
/// ```
///   "Café, 北京大学 👍🏽!"  ──►  cafe  北  京  大  学  👍
/// ```
///
/// A text that is written without spaces becomes one word for each character, so that every part of it is found as a
/// phrase: a Chinese word of one character as well as one of four. Case, accents, width and the skin tone of an emoji
/// make no difference, and neither do the dots of the Turkish i, Arabic and Hebrew diacritics, strokes, ligatures,
/// and invisible characters. The marks of Indic scripts and of Thai are vowels and tones, and distinguish words.
package enum SearchWords {
  /// The version of the splitting. The index holds the words that it produced. A change here requires a new version,
  /// which makes every store rebuild its index.
  package static let version = 2

  /// The length to which longer words are compared, in scalars.
  private static let longestWord = 40

  /// The start of an unfinished word, in bytes and in UTF-16 code units.
  private struct OpenWord {
    var byte: Int
    var offset: Int
    /// The whole word is ASCII.
    var isPlain: Bool
  }

  package static func words(of text: String) -> [SearchWord] {
    var text = text
    text.makeContiguousUTF8()
    return text.utf8.withContiguousStorageIfAvailable { words(of: text, $0) } ?? []
  }

  private static func words(of text: String, _ bytes: UnsafeBufferPointer<UInt8>) -> [SearchWord] {
    var words: [SearchWord] = []
    var open: OpenWord?
    var (byte, offset) = (0, 0)
    // The length of the invisible characters in front of this place. They belong to a word that continues behind
    // them.
    var passed = (bytes: 0, units: 0)
    var isJoined = false
    func close() {
      guard let word = open else { return }
      let part = bytes[word.byte..<byte - passed.bytes]
      let folded = word.isPlain ? foldPlain(part) : fold(String(decoding: part, as: UTF8.self))
      append(folded, word.offset..<offset - passed.units, isOpen: true, isJoined: isJoined, to: &words)
      (open, isJoined) = (nil, true)
    }
    while byte < bytes.count {
      // An ASCII character in front of another one is a whole character, and most text is ASCII: its end need not be
      // searched.
      if bytes[byte] < 0x80, byte + 1 == bytes.count || bytes[byte + 1] < 0x80 {
        if !isPlainLetter(bytes[byte]) {
          close()
          if bytes[byte] <= 0x20 { isJoined = false }
        } else if open == nil {
          open = OpenWord(byte: byte, offset: offset, isPlain: true)
        }
        (byte, offset, passed) = (byte + 1, offset + 1, (0, 0))
        continue
      }
      let character = text[text.utf8.index(text.startIndex, offsetBy: byte)]
      let (width, length) = (character.utf8.count, character.utf16.count)
      let kind = Kind(of: character)
      switch kind {
      case .letter: open = OpenWord(byte: open?.byte ?? byte, offset: open?.offset ?? offset, isPlain: false)
      case .sign:
        close()
        append(character, offset..<offset + length, to: &words)
        isJoined = true
      case .between:
        close()
        if character.isWhitespace { isJoined = false }
      case .invisible: open?.isPlain = false
      }
      passed = kind == .invisible ? (passed.bytes + width, passed.units + length) : (0, 0)
      (byte, offset) = (byte + width, offset + length)
    }
    close()
    return words
  }

  /// The text in the form that the index takes.
  package static func indexed(_ text: String) -> String {
    words(of: text).map(\.folded).joined(separator: " ")
  }

  private static func append(
    _ folded: String, _ range: Range<Int>, isOpen: Bool, isJoined: Bool = false,
    to words: inout [SearchWord]
  ) {
    guard !folded.isEmpty else { return }
    words.append(SearchWord(folded: folded, range: range, isOpen: isOpen, isJoined: isJoined))
  }

  /// Appends a character, or voices the kana in front of it.
  private static func append(_ sign: Character, _ range: Range<Int>, to words: inout [SearchWord]) {
    guard let mark = voicing(of: sign), let kana = words.last, !kana.isOpen,
      kana.range.upperBound == range.lowerBound
    else { return append(foldSign(sign), range, isOpen: false, to: &words) }
    words.removeLast()
    let folded = (kana.folded + String(mark)).precomposedStringWithCanonicalMapping
    append(folded, kana.range.lowerBound..<range.upperBound, isOpen: false, to: &words)
  }

  /// The combining form of a kana's sound mark that is a character of its own.
  private static func voicing(of sign: Character) -> Character? {
    switch sign {
    case "\u{309B}", "\u{FF9E}": "\u{3099}"
    case "\u{309C}", "\u{FF9F}": "\u{309A}"
    default: nil
    }
  }

  private static func isPlainLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }

  /// The same folding as ``fold(_:)``, for letters and digits of ASCII.
  private static func foldPlain(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    String(unsafeUninitializedCapacity: min(word.count, longestWord)) { folded in
      for (index, byte) in word.prefix(longestWord).enumerated() {
        folded.initializeElement(at: index, to: 0x41...0x5A ~= byte ? byte | 0x20 : byte)
      }
      return min(word.count, longestWord)
    }
  }

  /// Folds by way of the capital letter: ß becomes the same as SS, and the final sigma the same as any other.
  private static func fold(_ word: String) -> String {
    if word.utf8.allSatisfy({ $0 < 0x80 }) { return String(word.lowercased().prefix(longestWord)) }
    var folded = String.UnicodeScalarView()
    for scalar in word.decomposedStringWithCompatibilityMapping.unicodeScalars where !isMark(scalar) {
      for capital in scalar.properties.uppercaseMapping.unicodeScalars {
        for small in capital.properties.lowercaseMapping.unicodeScalars where !isMark(small) {
          // Punctuation that a compatibility form adds would end the word in the index.
          guard small.value >= 0x80 || Character(small).isLetter || Character(small).isNumber else {
            continue
          }
          append(small, to: &folded)
        }
      }
      if folded.count >= longestWord { break }
    }
    return String(String(folded).unicodeScalars.prefix(longestWord))
  }

  private static func append(_ small: Unicode.Scalar, to folded: inout String.UnicodeScalarView) {
    if small.isASCII { return folded.append(small) }
    guard let typed = SearchLetters.typed(for: small) else { return folded.append(small) }
    folded.append(contentsOf: typed)
  }

  /// Accents of Latin, Greek and Cyrillic letters, the marks that Arabic, Hebrew and Syriac usually omit, and
  /// invisible characters. The vowels of other scripts are not accents.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x02BB where scalar.value != 0xAD: false
    case 0x0300...0x036F, 0x0483...0x0489, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F:
      true
    case 0x0591...0x05BD, 0x05BF, 0x05C1...0x05C2, 0x05C4...0x05C5, 0x05C7: true
    // With the hamza above a letter, and the tatweel, U+0640.
    case 0x0610...0x061A, 0x0640, 0x064B...0x065F, 0x0670, 0x0674, 0x06D6...0x06DC, 0x06DF...0x06E8,
      0x06EA...0x06ED, 0x0897...0x089F, 0x08CA...0x08E1, 0x08E3...0x08FF:
      true
    case 0x0711, 0x0730...0x074A: true
    default: isApostrophe(scalar) || scalar.isIgnorable
    }
  }

  /// Whether the scalar is an apostrophe that Unicode classifies as a letter. It separates words as those of ASCII
  /// and of typesetters do, and vanishes in a letter that is composed with one, such as U+0149.
  private static func isApostrophe(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value == 0x02BB || scalar.value == 0x02BC
  }

  private static func foldSign(_ character: Character) -> String {
    let scalars = character.unicodeScalars
    if scalars.count == 1, let only = scalars.first, Kind.isPlainSign(only) { return String(character) }
    // A joiner makes one emoji of two, and a tag distinguishes flags.
    let isEmoji = scalars.first?.properties.isEmoji == true
    var kept = String.UnicodeScalarView()
    for scalar in scalars where !isSelector(scalar) && (isEmoji || !scalar.isIgnorable) {
      kept.append(scalar)
    }
    // A lone skin tone stays as it is.
    let folded = kept.isEmpty ? String(character) : String(kept)
    // In two steps, because in one the marks of half-width kana stay apart.
    return folded.decomposedStringWithCompatibilityMapping.precomposedStringWithCanonicalMapping.lowercased()
      .filter { !$0.isWhitespace }
  }

  /// Whether the scalar selects how an emoji is drawn, or in which tone.
  private static func isSelector(_ scalar: Unicode.Scalar) -> Bool {
    (0xFE00...0xFE0F).contains(scalar.value) || (0x1F3FB...0x1F3FF).contains(scalar.value)
  }

  private enum Kind {
    case letter, sign, between, invisible

    init(of character: Character) {
      // Fillers of Korean, joiners and others may precede a character too.
      guard let first = character.unicodeScalars.first(where: { !$0.isIgnorable }) else {
        self = .invisible
        return
      }
      if first.isASCII {
        let isWord = SearchWords.isPlainLetter(UInt8(first.value))
        // A digit in a box, or another sign that is made an emoji.
        let isEmoji = character.unicodeScalars.contains { $0.value == 0x20E3 }
        self = isEmoji ? .sign : isWord ? .letter : .between
        return
      }
      if isApostrophe(first) {
        self = .between
        return
      }
      if Self.isPlainSign(first) || Self.isOfScriptWithoutSpaces(first) {
        self = .sign
        return
      }
      switch first.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
        .decimalNumber,
        .letterNumber, .otherNumber, .nonspacingMark, .spacingMark:
        self = .letter
      case .otherSymbol, .modifierSymbol, .surrogate, .privateUse, .unassigned: self = .sign
      default: self = first.properties.isEmojiPresentation ? .sign : .between
      }
    }

    /// Characters that are words of their own in every form.
    static func isPlainSign(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.value {
      case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0x3041...0x3096, 0x30A1...0x30FA, 0x30FC, 0xAC00...0xD7A3,
        0x20000...0x3FFFD:
        true
      default: false
      }
    }

    /// Scripts without spaces, or, like Korean, with endings that are part of the word.
    private static func isOfScriptWithoutSpaces(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.value {
      case 0x0E00...0x0EFF, 0x0F00...0x0FFF, 0x1000...0x109F, 0x1100...0x11FF, 0x1780...0x17FF,
        0x2E80...0x2FDF,
        0x3005...0x3007, 0x3100...0x31BF, 0x31F0...0x31FF, 0xA960...0xA97F, 0xAA60...0xAA7F, 0xD7B0...0xD7FF,
        0xF900...0xFAFF, 0xFF66...0xFFDC:
        true
      default: false
      }
    }
  }
}
