import Foundation
import HoldfastCore

/// The export of Facebook, Messenger and Instagram: one file for each conversation, with the newest message first.
/// Most of these files encode each byte of their UTF-8 as a separate character: `\u00c3\u00a9` for an é.
struct FacebookFormat: ConversationFormat {
  var format: ImportFormat { .messages }

  static func isFirst(_ keys: Set<String>) -> Bool {
    keys.contains("sendername") && (keys.contains("timestampms") || keys.contains("isunsent"))
  }

  /// The fields with files, or with their paths beside the file.
  private static let files = ["photos", "videos", "gifs", "audiofiles", "files", "sticker", "media"]

  func entry(_ value: JSONValue, _ reading: EntryReading) throws -> HistoryEntry? {
    guard let fields = LooseFields(try reading.decoded(value)), var object = fields.value.object else {
      throw EntryProblem(code: .wrongFields)
    }
    // A message that its writer withdrew. In this importer, `isUnsent` would mean that a message still has to be
    // sent.
    object["isUnsent"] = nil
    object["is_unsent"] = nil
    if fields["isunsent"]?.bool == true {
      object["deletedAt"] = fields["timestampms", "timestamp"]
      object["content"] = .text("")
    }
    let files = Self.files.flatMap { name in fields[name].map { $0.array ?? [$0] } ?? [] }
    object["attachments"] = .array(
      files.compactMap { LooseFields($0)?.text("uri", "url") }.map { uri in
        .object(["name": .text(uri.split(separator: "/").last.map(String.init) ?? uri)])
      })
    for key in object.keys where Self.files.contains(LooseFields.plain(key)) { object[key] = nil }
    if let link = fields.object("share")?.text("link") {
      let text = fields.text("content", "text") ?? ""
      object["content"] = .text(
        text.contains(link) ? text : [text, link].filter { !$0.isEmpty }.joined(separator: "\n"))
    }
    object["reactions"] = .array(
      (fields["reactions"]?.array ?? []).compactMap(LooseFields.init).map { reaction in
        .object(["by": reaction["actor"] ?? .null, "value": reaction["reaction"] ?? .null])
      })
    // A call, or a message that can no longer be seen.
    let shown = ["content", "text", "attachments", "deletedAt"].contains {
      object[$0].map { $0 != .array([]) } ?? false
    }
    guard shown else { return HistoryEntry(hidden: "") }
    return try reading.entry(.object(object))
  }
}

extension EntryReading {
  /// The value with its texts decoded.
  func decoded(_ value: JSONValue) throws -> JSONValue { try isDoublyEncoded() ? value.decodedTwice : value }
}

extension JSONValue {
  /// The value in which each character of a text is a byte of UTF-8, decoded.
  fileprivate var decodedTwice: JSONValue {
    switch self {
    case .text(let text): .text(text.decodedTwice ?? text)
    case .array(let values): .array(values.map(\.decodedTwice))
    case .object(let fields): .object(fields.mapValues(\.decodedTwice))
    default: self
    }
  }
}

extension String {
  /// The text whose UTF-8 bytes are the characters of this one. Nil when they are not UTF-8.
  fileprivate var decodedTwice: String? {
    let bytes = unicodeScalars.compactMap { UInt8(exactly: $0.value) }
    return bytes.count == unicodeScalars.count ? String(bytes: bytes, encoding: .utf8) : nil
  }
}

extension JSONCursor {
  /// Whether each text of the file that is not ASCII has a byte of UTF-8 in each character. Reads the whole file, or
  /// up to the first counterexample.
  func isDoublyEncoded() throws -> Bool {
    var (cursor, isAny) = (self, false)
    while let byte = try cursor.peek() {
      guard byte == .quote else {
        cursor.step()
        continue
      }
      do {
        let bytes = try cursor.cut(atMost: EntryReading.largestMessage)
        guard bytes.contains(where: { $0 >= 0x80 }) || bytes.contains(.backslash),
          let text = try JSONValue(bytes).text, !text.utf8.allSatisfy({ $0 < 0x80 })
        else { continue }
        guard text.decodedTwice != nil else { return false }
        isAny = true
      } catch is JSONDamage {
        // The scan continues after the unreadable part.
      }
    }
    return isAny
  }
}
