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

  /// The text of a field. Nil when the field has no text.
  public func string(_ field: String) -> String? { fields[field]?["stringValue"] as? String }

  public func has(_ field: String) -> Bool { fields[field] != nil }

  /// The place as docs/backends.md defines it: milliseconds, the number within the commit, and a hash of the ID.
  private var place: [Int64]? {
    guard let time = fields["sentAt"]?["timestampValue"] as? String else { return nil }
    // 2026-11-26T02:00:00.25Z has as many digits of its fraction as it needs.
    let parts = time.dropLast().split(separator: ".")
    let fraction = (parts.count > 1 ? String(parts[1]) : "").padding(toLength: 3, withPad: "0", startingAt: 0)
    guard let seconds = try? Date("\(parts[0])Z", strategy: .iso8601), let milliseconds = Int64(fraction)
    else { return nil }
    let number = (fields["n"]?["integerValue"] as? String).flatMap(Int64.init) ?? 0
    let hash = id.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    return [Int64(seconds.timeIntervalSince1970) * 1000 + milliseconds, number, Int64(hash >> 21)]
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
    documents.compactMap(\.placed).sorted { $0.place.lexicographicallyPrecedes($1.place) }.map(\.record)
  }

  private var placed: (place: [Int64], record: TransportConformance.Record)? {
    guard let place, let sender = string("sender"), let text = string("text") else { return nil }
    let record = TransportConformance.Record(
      id: MessageID(rawValue: id), sender: UserID(rawValue: sender), text: text, isDeleted: has("deletedAt"),
      reactions: reactions)
    return (place, record)
  }
}
