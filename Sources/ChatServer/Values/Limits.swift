import Foundation

/// The limits for one account, one connection or one frame of a ``ChatServer``. The defaults suit a server for some
/// thousands of accounts.
///
/// ```swift
/// var limits = Limits()
/// limits.maximumMessageBytes = 20_000
/// let server = try ChatServer(folder: folder, limits: limits)
/// ```
///
/// Limits are read when the server opens. They bound memory and work, and do not affect stored data: a message that
/// was accepted under a wider limit stays.
public struct Limits: Sendable, Hashable {
  /// The longest text of a message, and the longest reasoning, each in UTF-8 bytes. Longer ones are rejected with
  /// code `tooLong`. The limit is announced to clients in `welcome`.
  public var maximumMessageBytes = 100_000
  /// The longest frame that a client may send, in bytes. A longer one ends its connection.
  public var maximumFrameBytes = 1_048_576
  /// The most messages in one `send` frame. A frame with more ends its connection.
  public var maximumMessagesPerFrame = 1_000
  /// The most accounts in one conversation, its creator included.
  public var maximumMembers = 1_000
  /// The longest title of a conversation, in UTF-8 bytes. Longer ones are cut at a character.
  public var maximumTitleBytes = 1_000
  /// The most different reactions to one message. One more is rejected.
  public var maximumReactionValues = 100
  /// The most reactions to one message in all, each member's counted. One more is rejected.
  public var maximumReactions = 1_000
  /// The most items in one page of events.
  public var pageSize = 200
  /// The longest page of events, in bytes of JSON. A page holds at least one item, however long.
  public var maximumPageBytes = 524_288

  /// The most messages that an account may send at once, after a period of silence.
  public var burst = 5_000
  /// The most messages that an account may send per second, in the long run.
  public var messagesPerSecond = 500.0
  /// The most bytes of frames that an account may send at once, after a period of silence.
  public var burstBytes = 32_000_000
  /// The most bytes of frames that an account may send per second, in the long run. Attachments have a limit of their
  /// own.
  public var bytesPerSecond = 1_000_000.0
  /// The most bytes that an account may store: its messages, reactions, conversations and attachments. More is
  /// rejected until it deletes some.
  public var maximumStoredBytes: Int64 = 10_000_000_000
  /// The most searches that an account may make at once, after a period of silence.
  public var searchBurst = 20
  /// The most searches that an account may make per second, in the long run.
  public var searchesPerSecond = 5.0
  /// The most messages that one search examines. Its response has the hits found until then.
  public var searchedMessages = 10_000
  /// The most bytes of messages that one search reads. Its response has the hits found until then.
  public var searchedBytes = 1_000_000
  /// The time that a client is asked to wait after a failed write to the server's disk.
  public var storageRetryAfter = Duration.seconds(1)

  /// The largest attachment, in bytes.
  public var maximumAttachmentBytes: Int64 = 100_000_000
  /// The most attachments of one message.
  public var maximumAttachmentsPerMessage = 20
  /// The most bytes of an attachment in one frame.
  public var maximumChunkBytes = 65_536
  /// The most attachments that an account may upload, or begin to, before it sends a message that has them. One
  /// more drops the oldest. The client uploads the dropped attachment again when its message refers to it.
  public var maximumUnsentAttachments = 64
  /// The most bytes in those attachments. Exceeding it drops the oldest. One attachment of the largest size always
  /// fits. The default is the most that one message may have, because with less such a message could never be
  /// completed.
  public var maximumUnsentBytes: Int64 = 2_000_000_000
  /// The most pieces of attachments that an account may send or fetch at once, after a period of silence.
  public var transferBurst = 2_000
  /// The most pieces of attachments that an account may send or fetch per second, in the long run.
  public var transfersPerSecond = 500.0

  /// The most connections of one account. One more closes the oldest.
  public var maximumConnectionsPerAccount = 64
  /// The most messages of one account that may be streaming. One more drops the oldest.
  public var maximumStreamsPerAccount = 16
  /// The most pieces held in memory for members that join late. More drop the oldest stream of the account that holds
  /// most.
  public var maximumHeldPieces = 20_000
  /// The most text in those pieces, in UTF-8 bytes. More drops the oldest stream of the account that holds most.
  public var maximumHeldBytes = 4_194_304

  public init() {}
}
