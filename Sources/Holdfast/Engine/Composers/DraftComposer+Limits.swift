import HoldfastCore

extension DraftComposer {
  /// What the sender of a draft can carry.
  struct Limits: Sendable {
    /// Gives the size of the largest file that is allowed, in bytes. Throws where no file is.
    let largestFile: @Sendable () throws(ChatError) -> Int64
    /// Throws where a message cannot answer another one.
    let requireReplies: @Sendable () throws(ChatError) -> Void
  }
}
