import Foundation
import HoldfastCore

/// Files that are not JSON, and that people choose by mistake: detected from their first bytes. Pure except for
/// `read`.
enum FileKind {
  private static let beginnings: [(offset: Int, bytes: [UInt8], sentence: String)] = [
    (0, [0x1F, 0x8B], "This is a gzip archive. Unpack it, and import the JSON file inside."),
    (
      0, [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C],
      "This is a 7z archive. Unpack it, and import the JSON file inside."
    ),
    (0, Array("Rar!".utf8), "This is a RAR archive. Unpack it, and import the JSON file inside."),
    (0, [0xFD] + Array("7zXZ".utf8), "This is an xz archive. Unpack it, and import the JSON file inside."),
    (
      0, [0x28, 0xB5, 0x2F, 0xFD], "This is a Zstandard archive. Unpack it, and import the JSON file inside."
    ),
    (0, Array("BZh".utf8), "This is a bzip2 archive. Unpack it, and import the JSON file inside."),
    (257, Array("ustar".utf8), "This is a tar archive. Unpack it, and import the JSON file inside."),
    (0, Array("%PDF".utf8), "This is a PDF. Export the chats as JSON, and import that file."),
    (
      0, Array("SQLite format 3\0".utf8),
      "This is an SQLite database. Export the chats as JSON, and import that file."
    ),
    (0, Array("bplist".utf8), "This is a property list. Convert it to JSON, and import that file."),
    (0, [0xFF, 0xFE], "This is a text in UTF-16. Save it in UTF-8, and import it again."),
    (0, [0xFE, 0xFF], "This is a text in UTF-16. Save it in UTF-8, and import it again."),
    (0, [0x89] + Array("PNG".utf8), "This is a picture. Import a JSON file."),
    (0, [0xFF, 0xD8, 0xFF], "This is a picture. Import a JSON file."),
  ]
  private static let tags: [(beginning: String, sentence: String)] = [
    ("<!doctype html", "This is a page in HTML. Export the chats as JSON, and import that file."),
    ("<html", "This is a page in HTML. Export the chats as JSON, and import that file."),
    ("<!doctype plist", "This is a property list. Convert it to JSON, and import that file."),
    ("<plist", "This is a property list. Convert it to JSON, and import that file."),
  ]

  /// A paragraph that says what the file is, and what to do. Nil when it may be JSON.
  static func sentence(byteCount: Int64, _ read: (_ offset: Int64) throws -> Data) throws -> String? {
    let beginning = Data(try read(0).prefix(2_048))
    if ["PK\u{3}\u{4}", "PK\u{5}\u{6}"].contains(where: { beginning.starts(with: $0.utf8) }) {
      return archive(try ZipNames(byteCount: byteCount, read).json)
    }
    for kind in beginnings where beginning.dropFirst(kind.offset).starts(with: kind.bytes) {
      return kind.sentence
    }
    let text = String(decoding: beginning, as: UTF8.self).lowercased().drop {
      $0.isWhitespace || $0 == "\u{FEFF}"
    }
    guard text.first == "<", let next = text.dropFirst().first, next.isLetter || next == "?" || next == "!"
    else {
      return nil
    }
    return tags.first { tag in
      text.hasPrefix(tag.beginning) || text.hasPrefix("<?xml") && text.contains(tag.beginning)
    }?
    .sentence ?? "This is XML. Export the chats as JSON, and import that file."
  }

  private static func archive(_ names: [String]) -> String {
    guard !names.isEmpty else { return "This is a ZIP archive. Unpack it, and import the JSON file inside." }
    let (shown, more) = (names.prefix(5).joined(separator: ", "), names.count - 5)
    return "This is a ZIP archive. Unpack it first: \(shown)\(more > 0 ? " and \(more) more" : "") "
      + (names.count == 1 ? "is inside." : "are inside.")
  }
}

/// The names of the JSON files in a ZIP archive, from its central directory (APPNOTE.TXT, sections 4.3.12 and
/// 4.3.16). Pure except for `read`.
private struct ZipNames {
  private static let (longestEnd, largestDirectory, longestName): (Int64, Int64, Int) = (65_557, 4 << 20, 255)
  private(set) var json: [String] = []

  init(byteCount: Int64, _ read: (_ offset: Int64) throws -> Data) throws {
    func bytes(from offset: Int64, _ count: Int64) throws -> [UInt8] {
      var found: [UInt8] = []
      while found.count < count {
        let piece = try read(offset + Int64(found.count))
        guard !piece.isEmpty else { break }
        found += piece.prefix(Int(count) - found.count)
      }
      return found
    }
    let end = try bytes(from: max(0, byteCount - Self.longestEnd), min(byteCount, Self.longestEnd))
    guard end.count >= 22,
      let mark = (0...end.count - 22).last(where: { end[$0...].starts(with: [0x50, 0x4B, 5, 6]) })
    else { return }
    let (size, offset) = (Self.number(end, mark + 12, 4), Self.number(end, mark + 16, 4))
    guard size <= Self.largestDirectory, offset + size <= byteCount else { return }
    let directory = try bytes(from: offset, size)
    var at = 0
    while at + 46 <= directory.count, directory[at...].starts(with: [0x50, 0x4B, 1, 2]) {
      let length = Int(Self.number(directory, at + 28, 2))
      let name = String(decoding: directory[(at + 46)...].prefix(length), as: UTF8.self)
      let isHidden = name.hasPrefix("__MACOSX/")
      if name.lowercased().hasSuffix(".json"), length <= Self.longestName, !isHidden {
        json.append(name.plainLine)
      }
      at += 46 + length + Int(Self.number(directory, at + 30, 2) + Self.number(directory, at + 32, 2))
    }
    // The usual name for conversations in exports comes first.
    json = json.filter(Self.isConversations) + json.filter { !Self.isConversations($0) }
  }

  private static func isConversations(_ name: String) -> Bool {
    let last = name.split(separator: "/").last ?? ""
    return last.hasPrefix("conversations") || last == "history.json" || last.hasPrefix("message_")
  }

  private static func number(_ bytes: [UInt8], _ at: Int, _ count: Int) -> Int64 {
    bytes[at..<at + count].reversed().reduce(0) { $0 << 8 + Int64($1) }
  }
}
