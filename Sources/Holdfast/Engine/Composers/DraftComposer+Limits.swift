import HoldfastCore

extension DraftComposer {
  /// The limits of a draft, set by the transport that will carry it. An app that sends by itself has only the first.
  struct Limits: Sendable {
    /// Gives the size of the largest allowed file, in bytes. Throws where files are not allowed.
    let largestFile: @Sendable () throws(ChatError) -> Int64
    /// Throws where a message cannot answer another one.
    let requireReplyTo: @Sendable () throws(ChatError) -> Void
  }
}
