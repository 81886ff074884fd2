import Holdfast
import HoldfastTransport

extension TransportConformance {
  /// One message as the server has it.
  public struct Record: Sendable, Hashable {
    /// The engine's ID of the message, from the server's record. A server with its own message IDs keeps the
    /// engine's ID in a field.
    public var id: MessageID
    /// The account that sent the message.
    public var sender: UserID
    /// The text after all edits. Empty once the message is deleted.
    public var text: String
    /// Whether the message is marked as deleted.
    public var isDeleted: Bool
    /// All reactions. A duplicate on the server is listed twice.
    public var reactions: [IncomingMessage.Reaction]
    /// The checksums of the files, in order.
    public var attachments: [ChatAttachment.Checksum]

    /// A record with these values.
    public init(
      id: MessageID, sender: UserID, text: String, isDeleted: Bool = false,
      reactions: [IncomingMessage.Reaction] = [], attachments: [ChatAttachment.Checksum] = []
    ) {
      self.id = id
      self.sender = sender
      self.text = text
      self.isDeleted = isDeleted
      self.reactions = reactions
      self.attachments = attachments
    }
  }

  /// The clock on which cases run.
  public enum Time: Sendable, Hashable {
    /// The system's clock, for servers outside this process. Retry delays are short.
    case real
    /// A virtual clock, which jumps to the next wait when there is nothing else to do. The server and the transport
    /// run in this process, in child tasks, and on the given environment.
    case virtual
  }
}
