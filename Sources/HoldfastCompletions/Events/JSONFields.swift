import Foundation

/// The fields of a JSON object, of which the reader takes what it knows and passes over the rest.
struct JSONFields {
  private let fields: [String: Any]

  init(_ fields: [String: Any]) { self.fields = fields }

  /// Reads a JSON text.
  ///
  /// - Throws: when the text is no JSON object. Of an array the first element counts: some servers wrap their errors.
  init(_ text: String) throws {
    let bytes = Array(text.utf8)
    let data = Data(HalfCharacters.replacing(in: bytes) ?? bytes)
    var value = try JSONSerialization.jsonObject(with: data)
    if let values = value as? [Any] { value = values.first ?? [String: Any]() }
    guard let fields = value as? [String: Any] else { throw NoObject() }
    self.fields = fields
  }

  struct NoObject: Error {}

  /// A text. Nil when the field is missing, or is none.
  func text(_ name: String) -> String? { fields[name] as? String }

  /// A text with something in it.
  func word(_ name: String) -> String? { text(name).flatMap { $0.isEmpty ? nil : $0 } }

  func integer(_ name: String) -> Int? { (fields[name] as? NSNumber)?.intValue }

  func object(_ name: String) -> JSONFields? { (fields[name] as? [String: Any]).map(JSONFields.init) }

  /// The objects of an array. Empty when the field is missing, or is none.
  func objects(_ name: String) -> [JSONFields] {
    (fields[name] as? [Any])?.compactMap { ($0 as? [String: Any]).map(JSONFields.init) } ?? []
  }

  /// Whether there is a value.
  func has(_ name: String) -> Bool { fields[name].map { !($0 is NSNull) } ?? false }

  /// Whether there is a value that is not empty, zero or false.
  func isSet(_ name: String) -> Bool {
    switch fields[name] {
    case nil, is NSNull: false
    case let text as String: !text.isEmpty
    case let number as NSNumber: number.boolValue
    case let fields as [String: Any]: !fields.isEmpty
    case let values as [Any]: !values.isEmpty
    default: true
    }
  }

  /// A text as it is, and any other value as JSON. Empty when there is none.
  func json(_ name: String) -> String {
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
  var isSet: Bool { !fields.isEmpty }
}
