import Foundation
import HoldfastCore
import Synchronization

extension ReplyHandle {
  /// Writes the reply, and ends it as the writing ends, so that a part of an answer is never stored as the whole:
  ///
  /// | `body` | the reply |
  /// |---|---|
  /// | returns | finished; failed when it is empty |
  /// | throws | failed, with the error's sentence where it is a `LocalizedError` |
  /// | throws a `CancellationError` | interrupted |
  /// | is cancelled with the calling task | interrupted |
  /// | has called ``finish(metadata:images:videos:)``, ``interrupt()`` or ``fail(_:)`` | as that call ends it |
  ///
  /// When somebody else ends the reply, such as its user by ``MessageHandle/stopReply()``, the task of `body` is
  /// cancelled.
  ///
  /// ```swift
  /// let reply = try await client.message(row.id).continueReply()
  /// try await reply.write { reply in
  ///   for try await word in model.answer(question, beginningWith: reply.textSoFar) { try await reply.append(word) }
  /// }
  /// ```
  ///
  /// The text so far survives a crash as ``append(_:reasoning:)`` describes, marked as interrupted.
  ///
  /// - Parameter body: appends the output of the model. It runs in a task of its own, which this call waits for.
  /// - Returns: how the reply ended. A failed model is not an error of this call: the row shows it.
  /// - Throws: as ``append(_:reasoning:)`` when the reply is not written here, or a ``ChatError`` with
  ///   a storage code when the end could not be stored: the reply is then still being written.
  @discardableResult
  public func write(
    _ body: @escaping @Sendable (ReplyHandle) async throws -> Void
  ) async throws(ChatError) -> ReplyEnding {
    let end = try await client.perform { try $0.replies.end(of: id) }
    let written = await written(by: body, until: end)
    do throws(ChatError) {
      if end.ending == nil { try await conclude(written) }
    } catch {
      // Somebody else ended the reply a moment ago.
      guard error.code == .unknownMessage || error.code == .beingWritten else { throw error }
    }
    return end.ending ?? .interrupted
  }

  /// Runs the writing until it ends, until the reply is ended by somebody else, or until this task is cancelled.
  private func written(
    by body: @escaping @Sendable (ReplyHandle) async throws -> Void, until end: ReplyEnd
  ) async -> Writing {
    await withTaskGroup(of: Writing?.self) { group in
      group.addTask {
        do {
          try await body(self)
          return .returned
        } catch {
          return Writing(error)
        }
      }
      group.addTask {
        await end.wait()
        return nil
      }
      var first = await group.next() ?? nil
      // At once, and not only when the writing task notices, so that the user sees the stop.
      if first == nil, end.ending == nil { try? await interrupt() }
      group.cancelAll()
      if first == nil { first = await group.next() ?? nil }
      return Task.isCancelled ? .stopped : first ?? .stopped
    }
  }

  private func conclude(_ writing: Writing) async throws(ChatError) {
    switch writing {
    case .stopped: try await interrupt()
    case .failed(let reason): try await client.perform { try $0.replies.stop(id, because: reason) }
    case .returned:
      do throws(ChatError) {
        try await finish()
      } catch {
        switch error.code {
        case .emptyMessage:
          try await client.perform { try $0.replies.stop(id, because: FailureReason(.replyEmpty)) }
        default: throw error
        }
      }
    }
  }
}

/// The way in which the task that writes a reply ended.
private enum Writing: Sendable {
  case returned, stopped
  case failed(FailureReason)

  init(_ error: any Error) {
    self =
      if error is CancellationError {
        .stopped
      } else if let sentence = (error as? any LocalizedError)?.errorDescription {
        .failed(FailureReason(.replyFailed, sentence.storable))
      } else {
        .failed(FailureReason(.replyBroken))
      }
  }
}
