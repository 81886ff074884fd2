import HoldfastCore

extension DraftComposer {
  /// The limits of a draft, set by the transport that will carry it. An app that sends by itself has only the first.
  struct Limits: Sendable {
    /// Gives the size of the largest file that is allowed, in bytes. Throws where no file is.
    let largestFile: @Sendable () throws(ChatError) -> Int64
    /// Throws where a message cannot answer another one.
    let requireReplyTo: @Sendable () throws(ChatError) -> Void
  }
}
