import Foundation
import HoldfastCore

extension OutgoingMessage {
  /// An attachment that the server has, with the server's own name for it.
  public struct SentAttachment: Sendable, Hashable {
    /// The file.
    public var attachment: ChatAttachment
    /// The server's name for the file, as ``TransportConnection/upload(_:)`` returned it.
    public var serverID: String

    /// An attachment with the server's name for it.
    public init(_ attachment: ChatAttachment, serverID: String) {
      self.attachment = attachment
      self.serverID = serverID
    }
  }
}

extension ChatAttachment {
  /// A file that is being uploaded.
  public struct Upload: Sendable {
    /// The file to upload.
    public var attachment: ChatAttachment
    /// The file to read. Its bytes do not change during the upload.
    public var file: URL
    /// Called with the number of bytes that the server has, from its first answer on. An error that it throws
    /// ends the upload, which is then no longer wanted.
    public var progress: @Sendable (Int64) async throws -> Void

    /// An upload of the attachment from `file`.
    public init(
      _ attachment: ChatAttachment, file: URL, progress: @escaping @Sendable (Int64) async throws -> Void
    ) {
      self.attachment = attachment
      self.file = file
      self.progress = progress
    }
  }
}

extension ChatAttachment {
  /// A file that is being downloaded.
  public struct Download: Sendable {
    /// The file to download.
    public var attachment: ChatAttachment
    /// The server's own names of the file, as messages have carried them: ``IncomingMessage/attachmentServerIDs``.
    /// Each leads to the file, or to a forgery by the message's sender: the engine checks the bytes. Empty where
    /// messages carry none.
    public var serverIDs: [String]
    /// The number of bytes that are here already.
    public var offset: Int64
    /// Takes the bytes, in order from `offset` on. An error that it throws ends the download.
    public var receive: @Sendable (Data) async throws -> Void

    /// A download of the attachment's bytes from `offset` on.
    public init(
      _ attachment: ChatAttachment, serverIDs: [String] = [], from offset: Int64,
      receive: @escaping @Sendable (Data) async throws -> Void
    ) {
      self.attachment = attachment
      self.serverIDs = serverIDs
      self.offset = offset
      self.receive = receive
    }
  }
}

extension ChatAttachment {
  /// The server's refusal of one attachment, classified by what the engine does about it.
  public enum Refusal: Error, Sendable, Hashable {
    /// The server cannot serve now, or asks the client to back off. The engine tries again.
    case notNow(after: Duration?)
    /// The bytes that arrived are not the bytes that were sent. The engine transfers the file again from its
    /// beginning, and gives up after several attempts.
    case damaged
    /// The server will never take the attachment. The sentence is shown to the user.
    case rejected(String)
  }
}
