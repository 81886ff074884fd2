import Foundation
import HoldfastCore
import HoldfastStore

/// An attachment, as it is shown: in the composer, or under its message.
public struct AttachmentRow: Identifiable, Sendable, Codable, Hashable {
  /// Where its bytes are.
  public enum State: String, Sendable, Codable, Hashable {
    /// Here, and wherever else it has to be.
    case here
    /// Here, and to be brought to the server before its message leaves.
    case waiting
    /// Here, and on its way to the server: ``AttachmentRow/fraction``.
    case uploading
    /// Not here: it is fetched once there is a connection, or with ``ChatClient/download(_:)`` when it is large.
    case remote
    /// On its way here: ``AttachmentRow/fraction``.
    case downloading
  }

  /// The file that the row shows.
  public var attachment: ChatAttachment
  /// Whether the file is on this device, on the way, or with the server alone.
  public var state: State
  /// How much of it is over, 0...1, while it waits or is on its way. Nil otherwise.
  public var fraction: Double?
  /// To be read and left as it is. Nil while it is not here.
  public var file: URL?

  /// A row with these values, for previews and tests.
  public init(attachment: ChatAttachment, state: State, fraction: Double? = nil, file: URL? = nil) {
    self.attachment = attachment
    self.state = state
    self.fraction = fraction
    self.file = file
  }

  /// The attachment's own.
  public var id: ChatAttachment.ID { attachment.id }
}

extension ChatClient {
  /// What the composer shows of what was picked.
  package nonisolated func row(_ picked: ChatAttachment) -> AttachmentRow {
    AttachmentRow(
      attachment: picked, state: .here, fraction: nil, file: store.attachments.file(of: picked.checksum))
  }

  package nonisolated func row(_ stored: StoredAttachment, isUnsent: Bool) -> AttachmentRow {
    let checksum = stored.attachment.checksum
    let moved = live.transferred(checksum)
    var row = AttachmentRow(
      attachment: stored.attachment, state: .here, fraction: nil,
      file: stored.isHere ? store.attachments.file(of: checksum) : nil)
    if !stored.isHere {
      row.state = moved == nil ? .remote : .downloading
      row.fraction = moved.map { $0.fraction(of: stored.attachment.byteCount) }
    } else if isUnsent, !stored.isUploaded {
      row.state = moved == nil ? .waiting : .uploading
      row.fraction = (moved ?? stored.uploadedBytes).fraction(of: stored.attachment.byteCount)
    }
    return row
  }
}
