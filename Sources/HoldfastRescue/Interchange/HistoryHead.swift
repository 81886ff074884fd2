import Foundation
import HoldfastCore
import HoldfastStore

/// The head of a conversation, as undecoded values. Each may be missing or of any type.
struct HistoryHead {
  private static let ids = [
    "id", "conversationid", "uuid", "chatid", "sessionid", "threadid", "convid", "roomid", "threadpath",
  ]
  private static let titles = [
    "title", "name", "subject", "roomname", "room", "threadname", "topic", "chattitle", "conversationtitle",
  ]
  private static let leaves = [
    "currentnode", "currentid", "currentleafmessageuuid", "currentmessageid", "leaf",
  ]
  /// The names of fields in their plain form: ``LooseFields/plain(_:)``.
  static let keys = Set(
    ids + titles + leaves + ImportDates.names + ImportDates.changeNames + [
      "createdatmicroseconds", "updatedatmicroseconds", "titleiscustom", "members", "metadata", "endpoint",
      "exportat", "source", "participants",
    ])

  var place: ImportPlace
  /// The key of the conversation, in an object of conversations.
  var key: String?
  /// The beginning of the first message, which distinguishes conversations without an ID.
  var beginning: Data?
  private(set) var fields = LooseFields([:])
  private var values: [String: JSONValue] = [:]
  private var madeUpID: ConversationID?

  init(place: ImportPlace, key: String? = nil) { (self.place, self.key) = (place, key) }

  /// A head with only an ID.
  init(_ id: ConversationID, place: ImportPlace) {
    self.place = place
    madeUpID = id
  }

  /// Adds a field. An existing field is kept, because the outer one of two heads wins.
  mutating func add(_ name: String, _ value: JSONValue) {
    guard values[name].map(\.isNull) ?? true else { return }
    values[name] = value
    fields = LooseFields(values)
  }

  /// Transforms the values, as the format requires.
  mutating func correct(_ change: (JSONValue) throws -> JSONValue) rethrows {
    values = try values.mapValues(change)
    fields = LooseFields(values)
  }

  /// The ID in the file, or the ID that ``nameWithoutID(besides:)`` made. Nil when there is no ID that the store
  /// could keep.
  var id: ConversationID? {
    (fields.id(Self.ids) ?? key.flatMap(ImportedID.fitting)).map(ConversationID.init(rawValue:)) ?? madeUpID
  }

  /// The end of the shown branch, in a conversation with several.
  var leaf: String? { fields.rawID(Self.leaves) }

  /// Nil when the file has no title. Empty when the file has an empty title.
  var title: String? { Self.titles.lazy.compactMap { fields.first([$0])?.text }.first }
  var titleIsCustom: Bool { fields["titleiscustom"]?.bool ?? false }
  var members: [UserID]? {
    fields["members"]?.array?.compactMap { $0.text.flatMap(ImportedID.fitting) }.map(UserID.init(rawValue:))
  }

  /// Whether the conversation comes from an export of this engine, and so keeps its order.
  var isOwn: Bool {
    let message = members == nil ? nil : beginning.flatMap { try? JSONValue($0) }
    return LooseFields(message).map { $0.has("images") && $0.has("videos") } ?? false
  }

  /// The app's own data about the conversation, as it was exported from here. Nil in the files of other apps.
  var metadata: Data? {
    fields.text("metadata").flatMap { Data(base64Encoded: $0) }.flatMap {
      $0.count <= MessageContent.maximumMetadataBytes ? $0 : nil
    }
  }

  func createdAt(_ dates: ImportDates) throws -> ImportedDate? {
    try date(ImportDates.names, "createdatmicroseconds", dates)
  }

  func updatedAt(_ dates: ImportDates) throws -> ImportedDate? {
    try date(ImportDates.changeNames, "updatedatmicroseconds", dates)
  }

  private func date(_ names: [String], _ fraction: String, _ dates: ImportDates) throws -> ImportedDate? {
    guard let date = try dates.date(fields, names) else { return nil }
    guard case .at(let whole) = date, whole % 1_000_000 == 0,
      let rest = fields.first([fraction])?.integer, (0..<1_000_000).contains(rest)
    else { return date }
    return .at(whole + rest)
  }

  /// Gives a complete conversation without an ID an ID made from its title, its date and its first message. The ID
  /// is the same each time.
  ///
  /// - Parameter made: the IDs that were made before. Two conversations with the same beginning stay two.
  mutating func nameWithoutID(besides made: inout [String: Int]) {
    guard id == nil else { return }
    let date = fields.first(ImportDates.names).flatMap(\.data).map { String(decoding: $0, as: UTF8.self) }
    var parts = ["conversation", title ?? "", date ?? ""]
    if date == nil { parts.append(String(decoding: beginning ?? Data(), as: UTF8.self)) }
    let name = ImportedID.make(parts)
    made[name, default: 0] += 1
    let count = made[name] ?? 1
    madeUpID = ConversationID(rawValue: count > 1 ? ImportedID.make([name, "\(count)"]) : name)
  }
}
