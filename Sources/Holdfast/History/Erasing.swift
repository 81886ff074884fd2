import Foundation
import HoldfastCore
import HoldfastStore

/// Erases what was deleted (SPEC H5, S9), a few messages at a time, so that nobody waits for it.
extension ChatClient {
  private static let messagesAtOnce = 200

  /// Follows the deletions for as long as the task lives.
  func eraseDeleted() async {
    followDeletions()
    while !Task.isCancelled {
      var next = undoEnds.values.min()
      do throws(ChatError) {
        try endUndo()
        if try await eraseAll() { indexSignal.raise() }
        next = undoEnds.values.min()
      } catch {
        // It is hidden all the same.
        logger.error("deleted conversation not erased", metadata: ["code": "\(error.code)"])
        next = environment.uptime() + .seconds(10)
      }
      await eraseSignal.wait(until: next, in: environment)
    }
  }

  /// Nothing brings those back any more whose time is over.
  private func endUndo() throws(ChatError) {
    let now = environment.uptime()
    let over = undoEnds.filter { $0.value <= now }.keys.sorted { $0.rawValue < $1.rawValue }
    guard !over.isEmpty else { return }
    try store.write { transaction in
      for id in over { try transaction.finishDeletion(of: id) }
    }
    followDeletions()
    store.changes.publish(Changes(list: true))
  }

  /// Returns whether there was anything to erase.
  private func eraseAll() async throws(ChatError) -> Bool {
    var hasErased = false
    while !Task.isCancelled {
      let conversations = store.deletions.value.finalConversations
      guard !conversations.isEmpty else { break }
      for id in conversations {
        if hasErased { try? await environment.sleep(environment.uptime() + .milliseconds(5)) }
        guard !Task.isCancelled else { return hasErased }
        hasErased = true
        // A power cut may take these back, and then they are erased again.
        while try store.writeUnsynced({ try $0.eraseSome(of: id, limit: Self.messagesAtOnce) }) {
          try? await environment.sleep(environment.uptime() + .milliseconds(5))
          guard !Task.isCancelled else { return true }
        }
      }
    }
    if hasErased { store.emptyJournal(logger) }
    return hasErased
  }
}
