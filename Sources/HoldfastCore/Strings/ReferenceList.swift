import Foundation

/// A list of references in one column: a JSON array of texts, or NULL when the list is empty.
package enum ReferenceList {
  package static func column(_ references: [String]) -> String? {
    guard !references.isEmpty else { return nil }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return (try? encoder.encode(references)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The references in a column. Empty when the column is no array of texts, which only another program could have
  /// stored.
  package static func references(_ column: String?) -> [String] {
    column.flatMap { try? JSONDecoder().decode([String].self, from: Data($0.utf8)) } ?? []
  }
}
