import Foundation
import HoldfastCore

/// The fields of an object, found by any of several names. Apps write one name as `createdAt`, `created_at` or
/// `CreatedAt`: only letters and digits count, regardless of case.
struct LooseFields {
  private let values: [String: JSONValue]
  private let object: [String: JSONValue]

  /// The object with its original fields.
  var value: JSONValue { .object(object) }

  /// Of two fields with one plain name, such as `id` and `_id`, the same one is used each time that the file is
  /// read: one that is not null, and whose name is already plain.
  init(_ object: [String: JSONValue]) {
    var found: [String: (key: String, value: JSONValue)] = [:]
    for (key, value) in object {
      let name = Self.plain(key)
      if let other = found[name], Self.counts((other.key, other.value), before: (key, value), as: name) {
        continue
      }
      found[name] = (key, value)
    }
    values = found.mapValues(\.value)
    self.object = object
  }

  private static func counts(
    _ one: (key: String, value: JSONValue), before other: (key: String, value: JSONValue), as name: String
  ) -> Bool {
    if one.value.isNull != other.value.isNull { return other.value.isNull }
    return one.key == name || other.key != name && one.key < other.key
  }

  init?(_ value: JSONValue?) {
    guard let object = value?.object else { return nil }
    self.init(object)
  }

  /// The name in its plain form, such as `createdat`.
  static func plain(_ name: String) -> String {
    String(decoding: name.utf8.filter { $0 != 0x5F && $0 != 0x2D && $0 != 0x20 && $0 != 0x2E }, as: UTF8.self)
      .lowercased()
  }

  /// The first field that is present and not null. The names are in their plain form.
  subscript(names: String...) -> JSONValue? { first(names) }

  func first(_ names: [String]) -> JSONValue? {
    names.lazy.compactMap { values[$0] }.first { !$0.isNull }
  }

  /// The first of the fields whose value is an object.
  func object(_ names: String...) -> LooseFields? {
    names.lazy.compactMap { LooseFields(values[$0]) }.first
  }

  func has(_ name: String) -> Bool { values[name] != nil }

  func text(_ names: String...) -> String? { names.lazy.compactMap { values[$0]?.text }.first }

  /// A text or a number as an ID, in the form of ``ImportedID/fitting(_:)``.
  func id(_ names: [String]) -> String? { rawID(names).flatMap(ImportedID.fitting) }

  /// A text or a number, unchanged.
  func rawID(_ names: [String]) -> String? {
    names.lazy.compactMap { name in
      switch values[name] {
      case .text(let text) where !text.isEmpty: text
      case .integer(let number): String(number)
      // MongoDB's extended JSON.
      case .object(let object): object["$oid"]?.text
      default: nil
      }
    }.first
  }

  private static let naming = [
    "id", "userid", "uid", "username", "handle", "login", "email", "jid", "name", "displayname", "fullname",
    "firstname",
  ]

  /// The name of someone under the field: a text, a number, or the ID or the name in an object. A field of a nested
  /// object is named by a path, as `meta.user`.
  func name(_ key: String) -> String? {
    if values[key] == nil, let (fields, key) = inner(key) { return fields.name(key) }
    return rawID([key]) ?? LooseFields(values[key])?.rawID(Self.naming)
  }

  /// The nested object that a path begins with, and the rest of the path.
  private func inner(_ path: String) -> (fields: LooseFields, key: String)? {
    let names = values.keys.filter {
      path.hasPrefix($0) && $0.count < path.count && values[$0]?.object != nil
    }
    guard let name = names.max(by: { $0.count < $1.count }), let fields = LooseFields(values[name]) else {
      return nil
    }
    return (fields, String(path.dropFirst(name.count)))
  }

  /// The nested objects, by the names of their fields.
  var objects: [String: LooseFields] { values.compactMapValues { LooseFields($0) } }

  /// Whether the text, the number, or any ID or name of the object under the field equals this one.
  func isNamed(_ name: String?, _ key: String, anyCase: Bool = false) -> Bool {
    guard let name else { return false }
    if values[key] == nil, let (fields, key) = inner(key) {
      return fields.isNamed(name, key, anyCase: anyCase)
    }
    let isName = { (other: String) in other == name || anyCase && other.lowercased() == name.lowercased() }
    if let own = rawID([key]) { return isName(own) }
    guard let object = LooseFields(values[key]) else { return false }
    return Self.naming.contains { object.rawID([$0]).map(isName) == true }
  }

  /// The field with the lowest rank that names someone.
  func named(ranked ranks: [String: Int]) -> String? {
    values.keys.filter { ranks[$0] != nil && name($0) != nil }.min {
      ranks[$0, default: 0] < ranks[$1, default: 0]
    }
  }

  /// The value of the field, if it is short. Nil when it has none, or is longer.
  func shortValue(_ key: String, atMost limit: Int) -> String? {
    if let name = name(key) {
      return name.utf8.count <= limit && !name.contains(where: \.isNewline) ? name : nil
    }
    guard let value = self[key], let data = value.data, data.count <= limit else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  /// The names of all fields, in their plain form.
  var names: Dictionary<String, JSONValue>.Keys { values.keys }
}
