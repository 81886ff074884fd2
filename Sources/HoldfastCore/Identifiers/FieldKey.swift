/// The name of a field in JSON.
///
/// Structs that share one JSON object, such as a frame's message and its content, read it through keys of this type.
/// The object is then opened once for all of them, and none lists the names of another.
package struct FieldKey: CodingKey, ExpressibleByStringLiteral {
  package let stringValue: String
  package var intValue: Int? { nil }

  package init(stringValue: String) { self.stringValue = stringValue }
  package init?(intValue: Int) { nil }
  package init(stringLiteral value: String) { stringValue = value }
}
