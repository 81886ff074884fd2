import Foundation

/// The content of an answer before it was regenerated: `MessageHandle.versions()`. Only the device that regenerated
/// the answer has it.
public struct MessageVersion: Identifiable, Sendable, Hashable {
  /// The version's number, unique in its store. A later version has a higher one.
  public var id: Int64
  /// The replaced content: text, reasoning, metadata and references.
  public var content: MessageContent
  /// The text of ``content``.
  public var text: String { content.text }
  /// The time when the content was replaced, by this device's clock.
  public var keptAt: Date

  package init(id: Int64, content: MessageContent, keptAt: Date) {
    (self.id, self.content, self.keptAt) = (id, content, keptAt)
  }
}
