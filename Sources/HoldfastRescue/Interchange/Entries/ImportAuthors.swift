/// The authors of the messages of an imported file, if the file does not name them in a recognized form (rule H12).
///
/// ```swift
/// let authors = ImportAuthors(field: "nick", me: "Alice B.")
/// try client.importHistory(from: url, authors: authors)
/// ```
public struct ImportAuthors: Sendable, Hashable {
  /// The field that names a message's author, such as `nick`. Nil: the usual fields, such as `sender`, `author` or
  /// `user`.
  public var field: String?
  /// The user's own name or ID in the file. Nil: the ID of the store's user.
  public var me: String?

  public init(field: String? = nil, me: String? = nil) { (self.field, self.me) = (field, me) }
}
