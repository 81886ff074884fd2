import Foundation
import HoldfastCore

/// IDs for entries without one. An entry gets the same ID each time that it is imported.
enum ImportedID {
  static func make(_ parts: [String]) -> String {
    var hash = SHA256Hasher()
    for part in parts {
      hash.update(Data(part.utf8))
      // This byte never occurs in UTF-8, so it separates the parts unambiguously.
      hash.update(Data([0xFF]))
    }
    return "imported-" + ChatAttachment.Checksum(hash.finish()).rawValue.prefix(32)
  }

  /// The ID as the store keeps it: an ID of more than 255 bytes is replaced by its SHA-256, which is the same each
  /// time. Nil when the ID is empty, or has control characters.
  static func fitting(_ id: String) -> String? {
    guard id.utf8.count > MessageID.maximumBytes else { return MessageID.isWellFormed(id) ? id : nil }
    return "sha256-" + ChatAttachment.Checksum(of: Data(id.utf8)).rawValue
  }

  /// Whether the ID is a count, which other apps and other conversations have too.
  static func isCount(_ id: String) -> Bool {
    id.utf8.count <= 12 && id.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}

extension ConversationID {
  /// The ID under which an import stores the conversation that had this ID in an earlier app (rule H10). An ID of
  /// more than 255 bytes, such as a long path, is replaced by `sha256-` and its SHA-256 in hexadecimal digits. Every
  /// other ID is unchanged.
  ///
  /// ```swift
  /// scene.state.conversation = ConversationID(imported: project.path)
  /// ```
  public init(imported id: String) { self.init(rawValue: ImportedID.fitting(id) ?? id) }
}
