import Foundation

/// The fields of a JSON object. A reader asks for those that it knows, and ignores the others.
package struct JSONFields {
  private let fields: [String: Any]

  package init(_ fields: [String: Any]) { self.fields = fields }

  /// Parses a JSON text.
  ///
  /// - Throws: when the text is not a JSON object. The first element of an array is used: some servers wrap their
  ///   errors.
  package init(_ text: some StringProtocol) throws { try self.init(utf8: Array(text.utf8)) }

  /// Parses a JSON text as bytes.
  ///
  /// - Throws: when the text is not a JSON object.
  package init(utf8 bytes: [UInt8]) throws {
    let data = Data(LoneSurrogates.replacing(in: bytes) ?? bytes)
    var value = try JSONSerialization.jsonObject(with: data)
    if let values = value as? [Any] { value = values.first ?? [String: Any]() }
    guard let fields = value as? [String: Any] else { throw NoObject() }
    self.fields = fields
  }

  package struct NoObject: Error {}

  /// Parses a JSON text that is an array of objects.
  ///
  /// - Throws: when the text is not a JSON array.
  package static func all(in bytes: [UInt8]) throws -> [JSONFields] {
    let data = Data(LoneSurrogates.replacing(in: bytes) ?? bytes)
    guard let values = try JSONSerialization.jsonObject(with: data) as? [Any] else { throw NoObject() }
    return values.compactMap { ($0 as? [String: Any]).map(JSONFields.init) }
  }

  /// A text. Nil when the field is missing, or has another type.
  package func text(_ name: String) -> String? { fields[name] as? String }

  /// A text that is not empty.
  package func word(_ name: String) -> String? { text(name).flatMap { $0.isEmpty ? nil : $0 } }

  /// The names of the fields, in the order of their bytes.
  package var names: [String] { fields.keys.sorted() }

  /// The texts of an array. Empty when the field is missing, or has another type.
  package func texts(_ name: String) -> [String] {
    (fields[name] as? [Any])?.compactMap { $0 as? String } ?? []
  }

  package func integer(_ name: String) -> Int? { (fields[name] as? NSNumber)?.intValue }

  /// A whole number. Nil when the field has none, or one that needs more than 64 bits.
  package func number(_ name: String) -> Int64? {
    guard let number = fields[name] as? NSNumber else { return nil }
    return Int64(exactly: number.doubleValue.rounded()) == nil ? nil : number.int64Value
  }

  package func object(_ name: String) -> JSONFields? { (fields[name] as? [String: Any]).map(JSONFields.init) }

  /// The objects of an array. Empty when the field is missing, or has another type.
  package func objects(_ name: String) -> [JSONFields] {
    (fields[name] as? [Any])?.compactMap { ($0 as? [String: Any]).map(JSONFields.init) } ?? []
  }

  /// Whether there is a value that is not null.
  package func has(_ name: String) -> Bool { fields[name].map { !($0 is NSNull) } ?? false }

  /// Whether there is a value that is not empty, zero or false.
  package func isSet(_ name: String) -> Bool {
    switch fields[name] {
    case nil, is NSNull: false
    case let text as String: !text.isEmpty
    case let number as NSNumber: number.boolValue
    case let fields as [String: Any]: !fields.isEmpty
    case let values as [Any]: !values.isEmpty
    default: true
    }
  }

  /// A text unchanged, and any other value as JSON. Empty when the field is missing.
  package func json(_ name: String) -> String {
    switch fields[name] {
    case nil, is NSNull: ""
    case let text as String: text
    case let value?:
      (try? JSONSerialization.data(
        withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed]))
        .map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
  }
}

extension JSONFields {
  /// Whether there is any field.
  package var isSet: Bool { !fields.isEmpty }
}
