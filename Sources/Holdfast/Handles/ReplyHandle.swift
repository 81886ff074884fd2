import Foundation
import HoldfastCore

/// A message that this device writes piece by piece, as an assistant's answer is (rule H3).
///
/// ``ConversationHandle/beginReply(role:as:answering:)`` makes one for a new message, and
/// ``MessageHandle/continueReply()`` for one that was interrupted.
public struct ReplyHandle: Sendable, Identifiable {
  /// The message's ID, in the timeline from the beginning.
  public let id: MessageID
  let client: ChatClient
  /// The question that was asked together with the beginning of this reply:
  /// ``ConversationHandle/ask(_:of:)-(String,_)``. Nil for a reply that was begun otherwise.
  public var question: MessageID?
  /// The text that was stored when the handle was made, for a model that continues it. Empty for a new reply.
  public var textSoFar = ""
  /// The reasoning that was stored when the handle was made.
  public var reasoningSoFar = ""

  /// Adds to the reply. The text is shown at once, and stored 250 ms or 64 KB later: that much can be lost with the
  /// process.
  ///
  /// - Throws: ``ChatError`` with code `unknownMessage` when this client does not write the reply: it is finished or
  ///   cut
  ///   off, or another process of the app continues it.
  public func append(_ text: String, reasoning: String = "") async throws {
    try await client.perform { try $0.replies.append(text, reasoning: reasoning, to: id) }
  }

  /// Ends the reply, and puts its whole text into the outbox in one transaction. The request that it answers is then
  /// no longer under way.
  ///
  /// The text is already in the timeline, so it enters a full outbox too. A text that is longer than the backend
  /// accepts is finished as a failed message with code `tooLong`, whose user can take it back and shorten it.
  ///
  /// - Parameters:
  ///   - metadata: the app's own data about the reply, such as the model and its token counts. See
  ///     ``MessageContent/metadata``.
  ///   - images: references to images that the model made. See ``MessageContent/images``.
  ///   - videos: references to videos that the model made.
  /// - Throws: as ``append(_:reasoning:)``; code `emptyMessage` when there is neither a text nor a reference;
  ///   `metadataTooLarge`; `referencesTooLarge`; and `beingWritten` when another process of the app has found the
  ///   reply
  ///   cut off, and continues it.
  public func finish(
    metadata: Data? = nil, images: [String] = [], videos: [String] = []
  ) async throws(ChatError) {
    try await client.perform {
      try $0.replies.finish(
        id, with: MessageContent(metadata: metadata, images: images, videos: videos))
    }
  }

  /// Stops writing before the end, because the model's connection broke or the user stops it. The text so far is
  /// stored, marked as interrupted. An empty reply is shown as failed, with the reason, until the user retries it or
  /// deletes it. The request that the reply answers is then no longer under way.
  ///
  /// - Throws: as ``append(_:reasoning:)``, or a ``ChatError`` with a storage code: the reply is
  ///   then still being written.
  public func interrupt() async throws(ChatError) { try await client.perform { try $0.replies.stop(id) } }

  /// Ends the reply because the model failed, before its first word or later. The text so far is stored. The row is
  /// shown as failed, with the reason, until the user retries, continues or deletes the reply.
  ///
  /// ```swift
  /// try await reply.fail("The model is overloaded. Try again in a minute.")
  /// ```
  ///
  /// ``write(_:)`` does it for an error that the writing throws.
  ///
  /// One transaction. When the call returns, the failure survives any crash.
  ///
  /// - Parameter explanation: one sentence for the user.
  /// - Throws: as ``interrupt()``.
  public func fail(_ explanation: String) async throws(ChatError) {
    try await client.perform {
      try $0.replies.stop(id, because: FailureReason(.replyFailed, explanation.storable))
    }
  }
}
