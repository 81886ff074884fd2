import Crypto
import Foundation
import HoldfastCore
import HoldfastStore

/// The head of a conversation in a `history.json`, as undecoded values. Each may be missing or of any type.
struct HistoryHead {
  static let keys: Set = [
    "id", "title", "createdAt", "updatedAt", "createdAtMicroseconds", "updatedAtMicroseconds",
    "titleIsCustom",
    "members",
  ]

  var place: ImportPlace
  var values: [String: Data] = [:]
  private var madeUpID: ConversationID?

  init(place: ImportPlace) { self.place = place }

  /// The ID in the file, or the ID that ``nameWithoutID()`` made. Nil when there is none that the store could keep.
  var id: ConversationID? {
    let id = (value("id") as String?) ?? (value("id") as Int64?).map(String.init)
    return id.flatMap(ImportedID.fitting).map(ConversationID.init(rawValue:)) ?? madeUpID
  }

  /// Nil when the file has no title. Empty when the file says that there is none.
  var title: String? { value("title") }
  var titleIsCustom: Bool { value("titleIsCustom") ?? false }
  var members: [UserID]? {
    (value("members") as [String]?)?.compactMap(ImportedID.fitting).map(UserID.init(rawValue:))
  }
  var createdAt: Int64? { date("createdAt") }
  var updatedAt: Int64? { date("updatedAt") }

  /// Gives a complete conversation without an ID an ID made from its title and its date, or its position without a
  /// date. The ID is the same each time.
  mutating func nameWithoutID() {
    guard id == nil else { return }
    let parts = ["conversation", title ?? "", createdAt.map(String.init) ?? "\(place.conversation ?? 0)"]
    madeUpID = ConversationID(rawValue: ImportedID.make(parts))
  }

  func value<Value: Decodable>(_ key: String) -> Value? {
    values[key].flatMap { try? JSONDecoder().decode(Value.self, from: $0) }
  }

  private func date(_ key: String) -> Int64? {
    values[key].flatMap { try? JSONDecoder().decode(InterchangeTime.self, from: $0) }?.microseconds
      .map { $0 + ((value(key + "Microseconds") as Int64?).flatMap(InterchangeTime.fraction) ?? 0) }
  }
}

/// One message in a `history.json`, with the fields that the engine adds to the format.
extension ImportedMessage: Decodable {
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: FieldKey.self)
    let fraction = fields.optional(Int64.self, "microseconds").flatMap(InterchangeTime.fraction) ?? 0
    let attachments = (fields.optional([ChatAttachment].self, "attachments") ?? []).prefix(
      ChatAttachment.mostReceived)
    self.init(
      id: fields.id("id"),
      role: try fields.decode(MessageRole.self, forKey: "role"),
      content: try MessageContent(history: fields),
      status: try fields.decodeIfPresent(String.self, forKey: "status")?.storable,
      createdAt: fields.optional(InterchangeTime.self, "timestamp")?.microseconds.map { $0 + fraction },
      sender: fields.id("sender").map(UserID.init(rawValue:)),
      order: fields.optional(Int64.self, "order").flatMap {
        (1...TimelinePlace.maximumOrder).contains($0) ? $0 : nil
      },
      readBy: fields.optional([String].self, "readBy") ?? [],
      editedAt: fields.optional(InterchangeTime.self, "editedAt")?.microseconds,
      deletedAt: fields.optional(InterchangeTime.self, "deletedAt")?.microseconds,
      revision: max(0, fields.optional(Int64.self, "revision") ?? 0),
      reactions: fields.optional([Reaction].self, "reactions") ?? [],
      attachments: attachments.compactMap(\.sanitized))
  }

  /// Tells the message from other messages, regardless of IDs.
  var fingerprint: String {
    ImportedID.make([role.rawValue, createdAt.map(String.init) ?? "", sender?.rawValue ?? "", content.text])
  }
}

/// A date in any of the forms that files use.
struct InterchangeTime: Decodable {
  /// Nil when the value is no date.
  var microseconds: Int64?

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let text = try? value.decode(String.self) {
      microseconds = InterchangeDate.microseconds(text)
    } else {
      microseconds = InterchangeDate.microseconds(try value.decode(Double.self))
    }
  }

  /// The part of a second, in microseconds, that stands beside a date without fractions. Nil when it is out of
  /// range.
  static func fraction(_ microseconds: Int64) -> Int64? {
    (0..<1_000_000).contains(microseconds) ? microseconds : nil
  }
}

/// IDs for entries without one. An entry gets the same ID each time that it is imported.
enum ImportedID {
  static func make(_ parts: [String]) -> String {
    var hash = SHA256()
    for part in parts {
      hash.update(data: Data(part.utf8))
      // This byte never occurs in UTF-8, so it separates the parts unambiguously.
      hash.update(data: Data([0xFF]))
    }
    return "imported-" + ChatAttachment.Checksum(hash.finalize()).rawValue.prefix(32)
  }

  /// The ID as the store keeps it: an ID of more than 255 bytes is replaced by its SHA-256, which is the same each
  /// time. Nil when the ID is empty, or has control characters.
  static func fitting(_ id: String) -> String? {
    guard id.utf8.count > MessageID.maximumBytes else { return MessageID.isWellFormed(id) ? id : nil }
    return "sha256-" + ChatAttachment.Checksum(SHA256.hash(data: Data(id.utf8))).rawValue
  }
}

extension ConversationID {
  /// The ID under which an import stores the conversation that an earlier app knew under this ID (SPEC H10). An ID of
  /// more than 255 bytes, such as a long path, is replaced by `sha256-` and its SHA-256 in hexadecimal digits. Every
  /// other ID stays as it is.
  ///
  /// ```swift
  /// scene.state.conversation = ConversationID(imported: project.path)
  /// ```
  public init(imported id: String) { self.init(rawValue: ImportedID.fitting(id) ?? id) }
}

extension KeyedDecodingContainer {
  /// A value of another type counts as missing.
  func optional<Value: Decodable>(_ type: Value.Type, _ key: Key) -> Value? {
    (try? decodeIfPresent(type, forKey: key)) ?? nil
  }

  /// A text, or a number as a text, as ``ImportedID/fitting(_:)`` makes it fit. A value that cannot be an ID counts as
  /// missing.
  package func id(_ key: Key) -> String? {
    let id = optional(String.self, key) ?? optional(Int64.self, key).map(String.init)
    return id.flatMap(ImportedID.fitting)
  }
}
