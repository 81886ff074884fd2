import Foundation

/// The titles of conversations.
package enum ConversationTitle {
  /// The largest size of a title, in UTF-8 bytes. A longer one of an import or a server is cut.
  package static let maximumBytes = 1_000

  /// A title of at most 40 characters from the first line, cut at a word if possible. One character may have any number
  /// of combining marks, so the bytes have a limit too.
  package static func automatic(from body: String) -> String {
    // Only the beginning is read: a body may have a megabyte.
    let start = body.cut(toBytes: 4 * maximumBytes)
    let head = start.drop(while: \.isNewline).prefix(41).prefix { !$0.isNewline }
    guard head.count > 40 else { return String(head).cut(toBytes: maximumBytes) }
    let cut = head.lastIndex(where: \.isWhitespace) ?? head.index(before: head.endIndex)
    let words = head[..<cut].trimmingCharacters(in: .whitespaces)
    return words.cut(toBytes: maximumBytes) + "…"
  }

  /// A title from outside in the form in which it is stored. Nil when it has no visible character.
  package static func storable(_ title: String?) -> String? {
    title.flatMap { $0.isBlank ? nil : $0.storable.cut(toBytes: maximumBytes) }
  }
}
