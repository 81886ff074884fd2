import Foundation

/// A JSON text that can be corrupted: an object keeps the order of its fields, and may have one twice.
package indirect enum Shape: Sendable {
  /// `null`, a word or a number, as written.
  case plain(String)
  /// A text, as written between its quotes.
  case text(String)
  case list([Shape])
  case fields([Field])

  package struct Field: Sendable {
    var name: String
    var value: Shape
  }

  static let null = Shape.plain("null")

  /// A text whose characters are escaped for JSON.
  static func words(_ text: String) -> Shape { .text(escaped(text)) }
  static func number(_ number: Int) -> Shape { .plain(String(number)) }

  private static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") })
    else {
      return text
    }
    return text.unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "\"": escaped += #"\""#
      case "\\": escaped += #"\\"#
      case "\n": escaped += #"\n"#
      case _ where scalar.value < 0x20:
        escaped += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: escaped.unicodeScalars.append(scalar)
      }
    }
  }

  var list: [Shape]? { if case .list(let values) = self { values } else { nil } }
  var fields: [Field]? { if case .fields(let fields) = self { fields } else { nil } }
  var isNull: Bool { if case .plain("null") = self { true } else { false } }

  /// The nested values, in order.
  var inside: [Shape] { list ?? fields?.map(\.value) ?? [] }

  /// Whether an object anywhere in it has two of these fields with one name, in any spelling.
  func hasTwins(of names: Set<String>) -> Bool {
    let here = (fields ?? []).map { Self.spelled($0.name) }.filter(names.contains)
    return Set(here).count < here.count || inside.contains { $0.hasTwins(of: names) }
  }

  /// The nesting of the deepest value.
  var depth: Int { 1 + (inside.map(\.depth).max() ?? 0) }

  /// A name without the differences in spelling between apps.
  static func spelled(_ name: String) -> String {
    String(name.filter { !"_- .".contains($0) }).lowercased()
  }

  /// The value of the last field of this name that is not null.
  subscript(_ name: String) -> Shape? {
    fields?.last { Self.spelled($0.name) == name && !$0.value.isNull }?.value
  }

  var written: String {
    switch self {
    case .plain(let word): word
    case .text(let text): "\"\(text)\""
    case .list(let values): "[" + values.map(\.written).joined(separator: ",") + "]"
    case .fields(let fields):
      "{" + fields.map { "\"\($0.name)\":\($0.value.written)" }.joined(separator: ",") + "}"
    }
  }
}

extension Shape: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral {
  package init(dictionaryLiteral fields: (String, Shape)...) {
    self = .fields(fields.map { Field(name: $0.0, value: $0.1) })
  }

  package init(arrayLiteral values: Shape...) { self = .list(values) }
  package init(stringLiteral text: String) { self = .words(text) }
}
