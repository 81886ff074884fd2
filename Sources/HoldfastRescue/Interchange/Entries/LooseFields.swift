import Foundation
import HoldfastCore

/// The fields of an object, found by any of several names. Apps write one name as `createdAt`, `created_at` or
/// `CreatedAt`: letters and digits count, and their case does not.
struct LooseFields {
  private let values: [String: JSONValue]

  /// Of two fields with one plain name, such as `id` and `_id`, the same one counts each time that the file is read: one
  /// that is not null, and that has its name plainly.
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

  /// The first field that is there and not null. The names are in their plain form.
  subscript(names: String...) -> JSONValue? { first(names) }

  func first(_ names: [String]) -> JSONValue? {
    names.lazy.compactMap { values[$0] }.first { !$0.isNull }
  }

  /// The first of the fields that is an object.
  func object(_ names: String...) -> LooseFields? {
    names.lazy.compactMap { LooseFields(values[$0]) }.first
  }

  func has(_ name: String) -> Bool { values[name] != nil }

  func text(_ names: String...) -> String? { names.lazy.compactMap { values[$0]?.text }.first }

  /// A text or a number that can be an ID, as ``ImportedID/fitting(_:)`` makes it fit.
  func id(_ names: [String]) -> String? { rawID(names).flatMap(ImportedID.fitting) }

  /// A text or a number, as the file has it.
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

  /// What names somebody under the field: a text, a number, or the ID or the name in an object.
  func name(_ key: String) -> String? {
    if let name = rawID([key]) { return name }
    return LooseFields(values[key])?.rawID([
      "id", "userid", "uid", "username", "handle", "login", "email", "jid", "name", "displayname", "fullname",
    ])
  }

  /// What names somebody under the field with the lowest rank.
  func name(ranked ranks: [String: Int]) -> String? {
    var found: (rank: Int, name: String)?
    for key in values.keys {
      guard let rank = ranks[key], rank < found?.rank ?? .max, let name = name(key) else { continue }
      found = (rank, name)
    }
    return found?.name
  }

  /// The names of all fields, in their plain form.
  var names: Dictionary<String, JSONValue>.Keys { values.keys }
}
