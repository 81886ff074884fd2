import Foundation
import HoldfastCore
import HoldfastStore

/// An attachment as it is shown, in the composer or under its message.
public struct AttachmentRow: Identifiable, Sendable, Codable, Hashable {
  /// The location of the attachment's bytes.
  public enum State: String, Sendable, Codable, Hashable {
    /// The file is on this device, and no transfer is due.
    case here
    /// The file is on this device, and has to reach the server before its message is sent.
    case waiting
    /// The file is on this device, and is being uploaded. ``AttachmentRow/fraction`` is its progress.
    case uploading
    /// The file is not on this device, and is fetched once there is a connection, or with ``ChatClient/download(_:)``
    /// when it is large.
    case remote
    /// The file is being downloaded. ``AttachmentRow/fraction`` is its progress.
    case downloading
  }

  /// The file that the row shows.
  public var attachment: ChatAttachment
  /// Whether the file is on this device, on the way, or only on the server.
  public var state: State
  /// The transferred part of the file, from 0 to 1, in the states `waiting`, `uploading` and `downloading`. Nil in the
  /// others.
  public var fraction: Double?
  /// The file on this device, which may be read but not changed. Nil while it is not on this device.
  public var file: URL?

  /// A row with these values, for previews and tests.
  public init(attachment: ChatAttachment, state: State, fraction: Double? = nil, file: URL? = nil) {
    self.attachment = attachment
    self.state = state
    self.fraction = fraction
    self.file = file
  }

  /// The ID of the attachment.
  public var id: ChatAttachment.ID { attachment.id }
}

extension SnapshotReader {
  /// The composer's row of a picked attachment.
  package func row(_ picked: ChatAttachment) -> AttachmentRow {
    AttachmentRow(
      attachment: picked, state: .here, fraction: nil, file: store.attachments.file(of: picked.checksum))
  }

  package func row(_ stored: StoredAttachment, isUnsent: Bool) -> AttachmentRow {
    let checksum = stored.attachment.checksum
    let moved = sharedStates.transfers.bytes(of: checksum)
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
