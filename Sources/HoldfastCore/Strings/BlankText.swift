extension String {
  /// Whether the text has no visible character: only white space, control and format characters, and others that
  /// leave no ink. Composer, draft, send and edit share this rule (rules O2, D6).
  ///
  /// Decided scalar by scalar, by the properties of Unicode: a space with a combining mark counts as text, and so
  /// does a family of emoji, whose joiners alone are invisible.
  package var isBlank: Bool { unicodeScalars.allSatisfy(\.isInvisible) }

  /// The text without white space at its beginning and its end.
  package var trimmed: String {
    let scalars = unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return "" }
    return String(scalars[first...last])
  }

  /// The beginning of a text, for a list: at most 200 whole characters. The text was read up to ``scalarsOfExcerpt``.
  /// Its last character is left out when it was cut there, because it may be a part of a flag, a family or an accent.
  package var excerpt: String {
    guard utf8.count > 200 else { return self }
    let isCut = unicodeScalars.count >= Self.scalarsOfExcerpt
    let whole = String((isCut ? dropLast() : self[...]).prefix(200))
    return whole.isEmpty ? self : whole
  }

  /// The scalars of a stored text from which an ``excerpt`` is made. SQLite counts them in `substr`.
  package static let scalarsOfExcerpt = 400

  /// The beginning of the text that fits into so many bytes of UTF-8. It ends between two characters, or between two
  /// scalars where the first character alone is larger: a letter with a hundred thousand marks is one character.
  package func cut(toBytes limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var cut = ""
    for character in self {
      guard cut.utf8.count + character.utf8.count <= limit else { break }
      cut.append(character)
    }
    guard cut.isEmpty else { return cut }
    var scalars = String.UnicodeScalarView()
    var count = 0
    for scalar in unicodeScalars {
      count += UTF8.width(scalar)
      guard count <= limit else { break }
      scalars.append(scalar)
    }
    return String(scalars)
  }
}

extension Unicode.Scalar {
  /// Whether the scalar leaves no ink and takes no room: Default_Ignorable_Code_Point, and the marks of annotations.
  package var isIgnorable: Bool {
    0xFFF9...0xFFFB ~= value || properties.isDefaultIgnorableCodePoint
  }

  /// Whether the scalar leaves no ink by itself: Default_Ignorable_Code_Point and White_Space (Unicode Standard Annex
  /// #44), the general categories Cc, Cf and Zs, and two symbols whose glyph is empty. U+FFFD replaces a U+0000,
  /// which no text in the store can have.
  fileprivate var isInvisible: Bool {
    switch value {
    case 0x21...0x7E: false
    // The braille pattern without dots, the note head without ink, and the replacement character.
    case 0x2800, 0x1D159, 0xFFFD: true
    default:
      switch properties.generalCategory {
      case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator: true
      default: properties.isWhitespace || isIgnorable
      }
    }
  }
}
