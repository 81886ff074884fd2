import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransport

/// A document in Firestore's REST form, as the server's own record has it.
public struct FirestoreDocument: @unchecked Sendable {
  /// The last part of its name.
  public let id: String
  /// The time of the last change, as a text.
  public let updatedAt: String
  // Values of JSON, which nobody changes: texts, numbers, lists and dictionaries.
  private let fields: [String: [String: Any]]

  init?(_ json: [String: Any]) {
    guard let name = json["name"] as? String, let id = name.split(separator: "/").last else { return nil }
    self.id = String(id)
    updatedAt = json["updateTime"] as? String ?? ""
    fields = json["fields"] as? [String: [String: Any]] ?? [:]
  }

  /// A text. Nil when the field is none.
  public func string(_ field: String) -> String? { fields[field]?["stringValue"] as? String }

  public func has(_ field: String) -> Bool { fields[field] != nil }

  private var number: Int { (fields["n"]?["integerValue"] as? String).flatMap(Int.init) ?? 0 }

  /// The time and the number within the commit, so that texts compare as the places do. `2026-11-26T02:00:00.25Z` has as
  /// many digits of its fraction as it needs.
  private var place: String? {
    guard let time = fields["sentAt"]?["timestampValue"] as? String else { return nil }
    let parts = time.dropLast().split(separator: ".")
    let fraction = (parts.count > 1 ? String(parts[1]) : "").padding(toLength: 9, withPad: "0", startingAt: 0)
    return "\(parts[0]).\(fraction) \(String(format: "%04d", number)) \(id)"
  }

  private var reactions: [IncomingMessage.Reaction] {
    let map =
      (fields["reactions"]?["mapValue"] as? [String: Any])?["fields"] as? [String: [String: Any]] ?? [:]
    return map.sorted { $0.key < $1.key }.flatMap { sender, list in
      let values = (list["arrayValue"] as? [String: Any])?["values"] as? [[String: Any]] ?? []
      return values.compactMap { $0["stringValue"] as? String }
        .map { IncomingMessage.Reaction($0, from: UserID(rawValue: sender)) }
    }
  }

  /// The messages among documents, in the server's order.
  static func records(_ documents: [FirestoreDocument]) -> [TransportConformance.Record] {
    documents.compactMap { document in
      guard let place = document.place, let sender = document.string("sender"),
        let text = document.string("text")
      else { return nil }
      let record = TransportConformance.Record(
        id: MessageID(rawValue: document.id), sender: UserID(rawValue: sender), text: text,
        isDeleted: document.has("deletedAt"), reactions: document.reactions)
      return (place: place, record: record)
    }
    .sorted { (left: (place: String, record: TransportConformance.Record), right) in left.place < right.place
    }
    .map(\.record)
  }
}
