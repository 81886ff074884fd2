import HoldfastCore
import HoldfastStore
import HoldfastTransport

/// Begins messages that are written piece by piece. Any thread may use it; ``Replies/open(_:in:answering:isOnDevice:)``
/// lets a message be written, and belongs to the client's executor.
struct ReplyBeginning: Sendable {
  let context: EngineContext
  let sharedState: Replies.SharedState

  /// Makes a message, and changes nothing. ``insert(_:in:answering:_:)`` stores its beginning.
  func first(in conversation: ConversationKey, role: MessageRole, as sender: UserID?) -> StreamPiece {
    StreamPiece(
      id: MessageID(rawValue: context.environment.makeID()),
      conversation: context.store.names.name(of: conversation),
      sender: sender ?? context.user, role: role, sequence: 0, text: "")
  }

  /// Runs the transaction that begins a message. The message is shown as under way from before its commit, so that no
  /// reader takes it for one that was interrupted.
  func shown<Value>(
    _ first: StreamPiece, _ begin: () throws(ChatError) -> Value
  ) throws(ChatError) -> Value {
    sharedState.set(.init(), for: first.id)
    do throws(ChatError) { return try begin() } catch {
      sharedState.set(nil, for: first.id)
      throw error
    }
  }

  /// Stores the row of the message, and the mark of the request that it answers. Returns whether its conversation is
  /// kept on this device alone.
  func insert(
    _ first: StreamPiece, in conversation: ConversationKey, answering request: RequestID?,
    _ transaction: Transaction
  ) throws -> Bool {
    let conversation = try transaction.conversations.require(conversation)
    let isOnDevice = try context.isOnDevice(conversation, transaction)
    guard first.sender.isWellFormed, first.sender.account == context.user || isOnDevice else {
      throw ChatError(
        .malformedID,
        "A reply is written by this account or by an assistant of it: UserID.assistant(_:of:).")
    }
    if let request {
      try transaction.streams.beginRequest(
        request, in: conversation, by: context.session, now: context.environment.now())
    }
    try transaction.streams.begin(
      first, in: conversation, by: context.session, answering: request, now: context.environment.now())
    return isOnDevice
  }
}
