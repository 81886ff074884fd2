extension ChatConfiguration {
  /// Limits on the attachments of drafts, and on the files that are downloaded automatically.
  public struct AttachmentLimits: Sendable, Hashable {
    /// The largest file, in bytes. The transport may accept less.
    public var maximumBytes: Int64
    /// The most attachments of one draft.
    public var perDraft: Int
    /// The size, in bytes, up to which attachments of incoming messages are downloaded automatically. Larger ones
    /// are downloaded with ``ChatClient/download(_:)``.
    public var automaticDownloadLimit: Int64

    /// The recommended limits by default: 100 MB for a file, 20 attachments for a draft, and 10 MB for an
    /// automatic download.
    public init(
      maximumBytes: Int64 = 100_000_000, perDraft: Int = 20, automaticDownloadLimit: Int64 = 10_000_000
    ) {
      self.maximumBytes = maximumBytes
      self.perDraft = perDraft
      self.automaticDownloadLimit = automaticDownloadLimit
    }
  }
}
