import Foundation

/// An earlier text of a draft, kept until the draft is sent or discarded (rule D18). Attachments belong to the
/// draft, not to its versions.
public struct DraftVersion: Identifiable, Sendable, Codable, Hashable {
  /// The number of the version in the store.
  public var id: Int64
  /// The text of that version.
  public var text: String
  /// The selection, in UTF-16 code units of `text`. Nil when there is none.
  public var selection: TextRange?
  /// The time when the version was kept, by this device's clock.
  public var keptAt: Date

  /// A version with these values, for previews and tests.
  public init(id: Int64, text: String, selection: TextRange? = nil, keptAt: Date) {
    self.id = id
    self.text = text
    self.selection = selection
    self.keptAt = keptAt
  }

}
