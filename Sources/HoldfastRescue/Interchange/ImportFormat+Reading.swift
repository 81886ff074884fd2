import HoldfastCore

extension ImportFormat {
  /// The keys of a draft that other objects seldom have. Settings have texts too.
  private static let distinctive: Set = ["attachments", "savedAt"]

  /// Nil when the file has none of the formats.
  init?(reading start: JSONCursor, _ reading: EntryReading, name: String?) throws {
    var cursor = start
    try cursor.skipMark()
    do {
      let found: ImportFormat?
      switch try cursor.peekValue() {
      case .openArray: found = try Self.format(ofArray: cursor, reading, name)
      case .openObject: found = try Self.format(ofObject: cursor)
      default: throw JSONDamage.malformed
      }
      guard let found else { return nil }
      self = found
    } catch is JSONDamage {
      // A history with a damaged beginning is still recognized.
      guard try cursor.seekLandmark() == .conversation else { return nil }
      self = .history
    }
  }

  /// Detects the format of a list from its first conversation, or from all of its messages.
  private static func format(
    ofArray cursor: JSONCursor, _ reading: EntryReading, _ name: String?
  ) throws -> ImportFormat? {
    if let format = try cursor.firstConversation() ?? cursor.messengerFormat()?.format { return format }
    return try FlatSurvey(cursor, reading, name: name).format
  }

  /// Detects the format from the first key that only one of the formats has. Nil when no key decides.
  private static func format(ofObject start: JSONCursor) throws -> ImportFormat? {
    do {
      if let format = try start.containerFormat() ?? start.elementKind()?.conversation { return format }
    } catch is JSONDamage {
      // A key before the damage may decide.
    }
    return try formatOfOthers(start)
  }

  /// Detects drafts, or the place of a window. A file is drafts if each of its entries has the keys of a draft and
  /// no others.
  private static func formatOfOthers(_ start: JSONCursor) throws -> ImportFormat? {
    var cursor = start
    cursor.step()
    var (isFirst, isAnyDraft, isAnyOther) = (true, false, false)
    while let key = try cursor.nextKey(isFirst: isFirst, atMost: 64 << 10) {
      isFirst = false
      if key.hasPrefix("draftInput") { return try singleDraft(start) }
      if PlaceFields.recognized.contains(key) { return .place }
      let next = try cursor.peekValue()
      guard next == .openObject else {
        // Drafts by project are objects, or null without a draft.
        guard next == UInt8(ascii: "n") else { return try formatOfPlace(&cursor) }
        try cursor.skip()
        continue
      }
      let keys = try keysOfObject(cursor)
      isAnyDraft = isAnyDraft || !keys.isDisjoint(with: distinctive)
      isAnyOther = isAnyOther || !keys.isSubset(of: DraftFields.keys)
      do { try cursor.skip() } catch let damage as JSONDamage {
        // The drafts before the damage are imported.
        if isAnyDraft, !isAnyOther { return .draftsByProject }
        throw damage
      }
    }
    return isAnyDraft && !isAnyOther ? .draftsByProject : nil
  }

  /// Reads the rest of an object with other values: the place of a window, or nothing known.
  private static func formatOfPlace(_ cursor: inout JSONCursor) throws -> ImportFormat? {
    try cursor.skip()
    while let key = try cursor.nextKey(isFirst: false, atMost: 64 << 10) {
      if key.hasPrefix("draftInput") { return nil }
      if PlaceFields.recognized.contains(key) { return .place }
      try cursor.skip()
    }
    return nil
  }

  /// Detects a single draft, which has no other fields.
  private static func singleDraft(_ start: JSONCursor) throws -> ImportFormat? {
    var cursor = start
    cursor.step()
    var isFirst = true
    do {
      while let key = try cursor.nextKey(isFirst: isFirst, atMost: 64 << 10) {
        isFirst = false
        guard key.hasPrefix("draft") else { return nil }
        try cursor.skip()
      }
    } catch is JSONDamage {
      // The intact part is imported.
    }
    return .singleDraft
  }

  /// The keys of an object, up to any damage.
  private static func keysOfObject(_ start: JSONCursor) throws -> Set<String> {
    var cursor = start
    cursor.step()
    var keys: Set<String> = []
    do {
      while let key = try cursor.nextKey(isFirst: keys.isEmpty) {
        keys.insert(key)
        // An object of many other keys is not a draft, regardless of their names.
        if keys.count > DraftFields.keys.count { break }
        try cursor.skip()
      }
    } catch is JSONDamage {}
    return keys
  }
}

extension JSONCursor {
  /// The format of the first conversation in the list at the cursor. An array in the list counts as one, too. Nil
  /// when the list has no conversation among its first elements.
  func firstConversation() throws -> ImportFormat? {
    var cursor = self
    do {
      try cursor.skipMark()
      try cursor.expect(.openArray)
      for number in 0..<100 {
        guard try cursor.nextElement(isFirst: number == 0) else { return nil }
        if let kind = try cursor.elementKind() {
          if let format = kind.conversation { return format }
          if kind.isArray { return .messages }
          if kind.isMessage { return nil }
        }
        try cursor.skip()
      }
    } catch is JSONDamage {}
    return nil
  }
}
