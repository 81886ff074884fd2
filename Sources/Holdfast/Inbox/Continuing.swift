import Foundation
import HoldfastCore
import HoldfastStore

/// What there is of a reply, for whoever writes on: a model is told how its answer began.
public struct ReplySoFar: Sendable, Hashable {
  public var text: String
  public var reasoning: String
}

/// Replies that were cut off (SPEC H3).
///
/// ```
///   writing ── kill, interruptStream ──► interrupted ── continueStream ──► writing on, behind what is there
///      │                                     ▲    └───── retryStream ────► writing anew, in its place
///      └── finishStream ──► whole            └──── cut off again ────────────────┘
/// ```
extension ChatClient {
  /// Goes on with a reply that was cut off, by a kill or by ``interruptStream(_:)``: it keeps its ID, and what is
  /// appended stands behind what is there.
  ///
  /// ```swift
  /// let soFar = try await client.continueStream(row.id)
  /// for try await token in model.answer(question, beginningWith: soFar.text) { try await client.append(token, to: row.id) }
  /// try await client.finishStream(row.id)
  /// ```
  ///
  /// What is there is what was on disk: of what had been appended, the last 250 ms may be missing, or what came after the
  /// last 64 KB that were stored, whichever is less. Others may have seen those pieces. They see nothing of what is
  /// written from now on until the reply is finished, and then the whole of it.
  ///
  /// One transaction. A crash leaves the reply interrupted again, with all that was stored.
  ///
  /// - Returns: what is there.
  /// - Throws: ``ChatError`` with code `unknownMessage`; `notInterrupted` when it was finished meanwhile; `beingWritten`
  ///   when it is written at this moment, by this process or another one of the app; `notYourMessage` when it is not
  ///   written on this device: it goes on by itself then; or one that starts with `storage`.
  public func continueStream(_ id: MessageID) throws(ChatError) -> ReplySoFar {
    try takeOver(id, isAnew: false)
  }

  /// Writes a reply anew that was cut off. It keeps its ID and its place; its text and reasoning are replaced, for
  /// everybody who has seen their beginning, and no version of them is kept.
  ///
  /// ```swift
  /// try await client.retryStream(row.id)
  /// for try await token in model.answer(question) { try await client.append(token, to: row.id) }
  /// try await client.finishStream(row.id)
  /// ```
  ///
  /// What was there leaves the screen at once, and the disk together with the first piece that is stored: a crash before
  /// that, or ``interruptStream(_:)``, brings it back, so that a backend that does not answer costs nothing.
  ///
  /// - Throws: as ``continueStream(_:)``.
  public func retryStream(_ id: MessageID) throws(ChatError) {
    _ = try takeOver(id, isAnew: true)
  }

  /// Stops writing a reply before its end, because the model's connection broke or its user wants no more of it. What
  /// there is of it is stored, marked interrupted; the request that it answers is not under way any more.
  ///
  /// - Throws: as ``append(_:reasoning:to:)``, or a ``ChatError`` with a code that starts with `storage`: it is still being
  ///   written then.
  public func interruptStream(_ id: MessageID) throws(ChatError) {
    guard let buffer = buffers[id], buffer.isWrittenHere else { throw ChatError.notWrittenHere }
    try writing(id) { transaction in
      // Another process may have renamed it a moment ago.
      let conversation = transaction.current(buffer.conversation)
      if let chunk = buffer.unsavedChunk { try transaction.appendChunk(chunk, to: id, in: conversation) }
      try transaction.interruptStream(id, in: conversation)
    }
    giveUp(id)
    requestSignal.raise()
  }

  private func takeOver(_ id: MessageID, isAnew: Bool) throws(ChatError) -> ReplySoFar {
    let (conversation, stored) = try store.write { try $0.takeOverStream(id, by: session) }
    buffers[id] = TokenBuffer(
      conversation: conversation, sender: user, stored: stored, isWrittenHere: true, isAnew: isAnew)
    outgoingPieces.silence(id)
    live.set(.init(text: isAnew ? "" : stored.text, reasoning: isAnew ? "" : stored.reasoning), for: id)
    // Whoever read between the commit and this saw it interrupted.
    store.changes.publish(Changes(timelines: [conversation]))
    return ReplySoFar(text: stored.text, reasoning: stored.reasoning)
  }

  /// One transaction for a reply that is written here, unless another process has taken it over.
  package func writing(_ id: MessageID, _ body: (Transaction) throws -> Void) throws(ChatError) {
    do {
      try store.write { transaction in
        guard try isWriter(of: id, transaction) else {
          throw ChatError(
            .beingWritten, "Another process of the app goes on with the reply. Leave it to that.")
        }
        try body(transaction)
      }
    } catch {
      if error.code == .beingWritten { giveUp(id) }
      throw error
    }
  }

  /// Where a store is shared, another process may have found the reply interrupted, and gone on with it.
  func isWriter(of id: MessageID, _ transaction: Transaction) throws -> Bool {
    guard store.isShared, buffers[id]?.isWrittenHere == true else { return true }
    return try transaction.writer(of: id) == session
  }

  /// It is not written here any more, and not whole.
  func giveUp(_ id: MessageID) {
    guard let conversation = buffers[id]?.conversation else { return }
    outgoingPieces.finish(id)
    endStream(id)
    store.changes.publish(Changes(timelines: [conversation]))
  }
}

extension ChatError {
  static let notWrittenHere = ChatError(
    .unknownMessage, "The message is not being written here. Begin it first.")
}
