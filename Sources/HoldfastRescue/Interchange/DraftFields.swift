import Foundation
import HoldfastCore
import HoldfastStore

/// A draft in a file (rule H10). The bytes of its files are not read, because they may be large: only their offsets
/// are kept.
struct DraftFields {
  /// A file of a draft: its bytes as a base64 text, or its checksum when the bytes are beside the file. Both are nil
  /// when there is only a name.
  struct File {
    var name: String?
    var mediaType: String?
    var isImage = false
    var checksum: ChatAttachment.Checksum?
    /// The offset of the text with the bytes.
    var bytesAt: Int64?
    var offset: Int64
  }

  /// The keys of a draft.
  static let keys: Set = MessageContent.additions.union([
    "text", "attachments", "conversation", "editing", "cursorStart", "cursorEnd", "savedAt",
    "savedAtMicroseconds",
  ])

  static let largestText = 16 << 20
  private static let largestValue = 1 << 20

  var message = MessageContent()
  var conversation: String?
  /// The message that the draft edits. Nil for the draft of a new message.
  var editing: MessageID?
  var selection: TextRange?
  /// Microseconds since 1970. Nil when there is no date.
  var savedAt: Int64?
  /// The date as read from the file. Nil when there is no date.
  var date: ImportedDate?
  var files: [File] = []
  /// The reason why the draft cannot be imported. Nil when it can.
  var problem: ImportProblem.Code?

  /// Reads a draft and moves past it. Throws ``JSONDamage`` when the draft's end cannot be found.
  init(_ cursor: inout JSONCursor, _ dates: ImportDates) throws {
    guard try cursor.peekValue() == .openObject else {
      problem = .wrongFields
      try cursor.skip()
      return
    }
    cursor.step()
    var isFirst = true
    var additions: [String: JSONValue] = [:]
    var (start, end, fraction): (Int?, Int?, Int64?) = (nil, nil, nil)
    while let key = try cursor.nextKey(isFirst: isFirst) {
      isFirst = false
      switch key {
      case "text": try readText(&cursor)
      case "attachments": try readFiles(&cursor)
      case "conversation": conversation = try cursor.value()
      case "editing": editing = try cursor.id().map(MessageID.init(rawValue:))
      case "cursorStart": start = try cursor.value()
      case "cursorEnd": end = try cursor.value()
      case "savedAt": date = try cursor.date(dates)
      case "savedAtMicroseconds":
        fraction = (try cursor.value() as Int64?).flatMap { (0..<1_000_000).contains($0) ? $0 : nil }
      case _ where MessageContent.additions.contains(key): additions[key] = try cursor.cutValue()
      default: try cursor.skip()
      }
    }
    message.readAdditions(LooseFields(additions))
    if let start, let end { selection = TextRange(start: start, end: end) }
    savedAt = date?.microseconds.map { $0 + (fraction ?? 0) }
  }

  /// The content without its files.
  var content: DraftContent {
    DraftContent(message.storable, selection: selection).restorable
  }

  private mutating func readText(_ cursor: inout JSONCursor) throws {
    do {
      let data = try cursor.cut(atMost: Self.largestText)
      switch try? JSONValue(data) {
      case .text(let value): message.text = value
      case .null: break
      default: problem = .wrongFields
      }
    } catch JSONDamage.tooLarge {
      problem = .tooLarge
    } catch JSONDamage.tooDeep {
      problem = .tooDeep
    }
  }

  private mutating func readFiles(_ cursor: inout JSONCursor) throws {
    guard try cursor.peekValue() == .openArray else { return try cursor.skip() }
    cursor.step()
    var isFirst = true
    while try cursor.nextElement(isFirst: isFirst) {
      isFirst = false
      _ = try cursor.peekValue()
      let file = try Self.file(&cursor)
      // No app has more. A hostile file must not fill the memory.
      if files.count < ChatAttachment.mostReceived { files.append(file) }
    }
  }

  private static func file(_ cursor: inout JSONCursor) throws -> File {
    var file = File(offset: cursor.offset)
    guard try cursor.peekValue() == .openObject else {
      try cursor.skip()
      return file
    }
    cursor.step()
    var isFirst = true
    while let key = try cursor.nextKey(isFirst: isFirst) {
      isFirst = false
      switch key {
      case "filename", "fileName", "name": file.name = try cursor.value() as String?
      case "mediaType", "mimeType", "contentType": file.mediaType = try cursor.value() as String?
      case "type": file.isImage = (try cursor.value() as String?) == "image"
      case "checksum":
        file.checksum = (try cursor.value() as String?).map(ChatAttachment.Checksum.init(rawValue:))
          .flatMap { $0.isWellFormed ? $0 : nil }
      case "data":
        if try cursor.peekValue() == .quote { file.bytesAt = cursor.offset }
        try cursor.skip()
      default: try cursor.skip()
      }
    }
    return file
  }
}

extension JSONCursor {
  /// Decodes the next value, which is small. Nil when it is too large or has another type.
  mutating func value<Value: Decodable>() throws -> Value? {
    let data = try cutHead()
    return try? JSONDecoder().decode(Value.self, from: data)
  }

  /// The next value as a date. Nil when there is no date.
  mutating func date(_ dates: ImportDates) throws -> ImportedDate? {
    guard let value = try cutValue() else { return .unreadable }
    return value.isNull ? nil : try dates.read(value)
  }

  /// The next value as an ID. Nil when it is not a valid one.
  mutating func id() throws -> String? { (try value() as String?).flatMap(ImportedID.fitting) }
}

extension DraftFields {
  /// The draft of an app that keeps a single one.
  struct Single {
    var text: String?
    var session: String?
    /// The project, for an app whose drafts belong to projects.
    var project: String?
    /// The date as read from the file. Nil when there is no date.
    var date: ImportedDate?

    mutating func read(_ key: String, _ cursor: inout JSONCursor, _ dates: ImportDates) throws {
      switch key {
      case "draftInput": text = try Self.text(&cursor)
      case "draftInputSessionId": session = try cursor.value()
      case "draftInputProjectPath": project = try cursor.value()
      case "draftInputTimestamp": date = try cursor.date(dates)
      default: try cursor.skip()
      }
    }

    private static func text(_ cursor: inout JSONCursor) throws -> String? {
      do {
        let data = try cursor.cut(atMost: DraftFields.largestText)
        return (try? JSONValue(data))?.text
      } catch JSONDamage.tooLarge {
        return nil
      }
    }
  }
}
