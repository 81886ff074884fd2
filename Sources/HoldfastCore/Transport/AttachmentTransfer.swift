import Foundation

/// An attachment that the backend has, under its own name for it.
public struct SentAttachment: Sendable, Hashable {
  public var attachment: Attachment
  /// What ``TransportConnection/upload(_:)`` returned.
  public var serverID: String

  public init(_ attachment: Attachment, serverID: String) {
    self.attachment = attachment
    self.serverID = serverID
  }
}

/// A file on its way to the backend.
public struct AttachmentUpload: Sendable {
  public var attachment: Attachment
  /// Its bytes do not change while it is on its way.
  public var file: URL
  /// To be told how many bytes the backend has, from the first answer on. What it throws ends the upload: nobody
  /// wants it any more.
  public var progress: @Sendable (Int64) async throws -> Void

  public init(
    _ attachment: Attachment, file: URL, progress: @escaping @Sendable (Int64) async throws -> Void
  ) {
    self.attachment = attachment
    self.file = file
    self.progress = progress
  }
}

/// A file on its way from the backend.
public struct AttachmentDownload: Sendable {
  public var attachment: Attachment
  /// How much of it is here already.
  public var offset: Int64
  /// Takes the bytes, in order from `offset` on. What it throws ends the download.
  public var receive: @Sendable (Data) async throws -> Void

  public init(
    _ attachment: Attachment, from offset: Int64, receive: @escaping @Sendable (Data) async throws -> Void
  ) {
    self.attachment = attachment
    self.offset = offset
    self.receive = receive
  }
}

/// The backend's no to one attachment, by what will be done about it.
public enum AttachmentRefusal: Error, Sendable, Hashable {
  /// The backend cannot serve now, or asks for patience: it is tried again.
  case busy(after: Duration?)
  /// What arrived is not what was sent: it is brought again from its beginning, and given up after some times.
  case damaged
  /// Never: the sentence is shown to the user.
  case rejected(String)
}
