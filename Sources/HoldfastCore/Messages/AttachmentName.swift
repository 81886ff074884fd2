import Foundation

/// File names that are safe to show and to save under: a single name, never a path.
package enum AttachmentName {
  package static let maximumBytes = 255
  private static let fallback = "file"

  /// The last part of a path, without invisible characters, cut to ``maximumBytes``. `file` when nothing is
  /// left.
  package static func sanitized(_ raw: String) -> String {
    // Split by scalars: a slash with a combining mark is another character, but still contains a slash.
    let last = raw.unicodeScalars.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? []
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: last.filter(isVisible))
    let name = String(scalars).trimmingCharacters(in: .whitespaces)
    guard !name.isEmpty, name != ".", name != ".." else { return fallback }
    return cut(name)
  }

  /// Whether the scalar may stay in a name. Control characters break lines. Characters that turn the direction
  /// of writing make `gnp.exe` look like `exe.png`.
  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: false
    default: scalar.properties.generalCategory != .control
    }
  }

  /// Cuts the name between two characters, in front of the extension, because the extension says what the file
  /// is.
  private static func cut(_ name: String) -> String {
    guard name.utf8.count > maximumBytes else { return name }
    let tail = name.lastIndex(of: ".").map { name[$0...] } ?? ""
    let ending = tail.utf8.count <= 16 ? tail : ""
    var head = ""
    for character in name {
      guard head.utf8.count + character.utf8.count + ending.utf8.count <= maximumBytes else { break }
      head.append(character)
    }
    let cut = head + ending
    // A single character may have more bytes than there is room for.
    return cut.isEmpty ? fallback : cut
  }
}

/// Media types as `type/subtype` (RFC 2045, section 5.1; RFC 6838, section 4.2).
package enum MediaType {
  /// The type of a file about which nothing is known (RFC 2046, section 4.5.1).
  package static let unknown = "application/octet-stream"

  /// The media type in lower case, because media types are compared without regard to case. Nil when the text
  /// is not a media type.
  package static func normalized(_ raw: String) -> String? {
    let parts = raw.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy(isRestrictedName) else { return nil }
    return raw.lowercased()
  }

  /// The media type by the name's extension, for the kinds of files that chats show. Otherwise ``unknown``.
  package static func guessed(from name: String) -> String {
    guard let dot = name.lastIndex(of: ".") else { return unknown }
    return known[name[name.index(after: dot)...].lowercased()] ?? unknown
  }

  private static func isRestrictedName(_ name: Substring) -> Bool {
    guard let first = name.utf8.first, name.utf8.count <= 127 else { return false }
    return isAlphanumeric(first)
      && name.utf8.allSatisfy { isAlphanumeric($0) || "!#$&-^_.+".utf8.contains($0) }
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: false
    }
  }

  private static let known = [
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
    "heic": "image/heic", "svg": "image/svg+xml", "mp4": "video/mp4", "mov": "video/quicktime",
    "m4a": "audio/mp4", "mp3": "audio/mpeg", "pdf": "application/pdf", "txt": "text/plain",
    "json": "application/json", "zip": "application/zip",
  ]
}
