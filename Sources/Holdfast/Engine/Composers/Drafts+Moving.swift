import Foundation
import HoldfastCore
import HoldfastStore

/// Moves content out of a composer or into it, in the transaction that stores it elsewhere or takes it from there. At
/// every moment, the content is in one of the two places.
extension Drafts {
  /// Moves the content from the draft to the place where `body` puts it, in one transaction. If `body` or the commit
  /// fails, the content stays where it is.
  package func move<Value: Sendable>(
    _ key: DraftKey, _ body: (DraftContent, Transaction) throws -> Value
  ) throws(ChatError) -> Value {
    do throws(ChatError) {
      return try changing(key) { table, key, _ throws(ChatError) in try table.move(key, body) }
    } catch {
      if error.code == .draftChanged {
        followOthers()
        // Typed text is joined with the stored text that its composer has not shown, so that the next try can be made
        // at once.
        try? save(key)
        announce(key)
      }
      throw error
    }
  }

  /// Puts content into the composer, in front of the present content. The same transaction takes it from its earlier
  /// place.
  package func put(_ key: DraftKey, _ body: (Transaction) throws -> DraftContent) throws(ChatError)
    -> DraftContent
  {
    try changing(key) { table, key, entry throws(ChatError) in
      try table.replace(key, entry) { present, transaction in
        DraftContent.merge(try body(transaction), present)
      }
    }
  }

  /// Ends the draft of a message that the app has sent itself. If the composer holds another text by now, the unsent
  /// rest is stored again, newer than the sent message.
  ///
  /// - Parameter staying: gets the composer's content, and returns what was not sent.
  func sendSucceeded(
    _ key: DraftKey, _ message: MessageID, text: String?, staying: (DraftContent) -> DraftContent
  ) throws(ChatError) {
    func note(_ sent: String, _ transaction: Transaction) throws {
      let now = environment.now()
      let conversation = transaction.whole(of: key.conversation)
      try storage.makeConversation(conversation, in: transaction, now: now)
      let words = ConversationTitle.automatic(from: sent.trimmingCharacters(in: .whitespacesAndNewlines))
      try transaction.conversations.noteSend(
        message, title: words, in: conversation, endsDraft: true, now: now)
    }
    try changing(key) { table, key, entry throws(ChatError) in
      guard let text, !entry.buffer.content.text.hasSameBytes(as: text) else {
        return try table.move(key) { try note($0.text, $1) }
      }
      try table.replace(key, entry) { present, transaction in
        try note(text, transaction)
        return staying(present)
      }
    }
  }

  /// The versions of a draft, newest first. Unsaved content is stored first, so that a version that it leaves behind is
  /// included.
  package func versions(_ key: DraftKey) throws(ChatError) -> [DraftVersion] {
    try save(key)
    return try store.read { try $0.drafts.versions(of: storage.whole(key)) }
  }

  /// Puts a version into the composer, in one transaction. The composer's present content becomes a version, so that
  /// this can be taken back too. The restored version is deleted from the versions.
  package func restoreVersion(_ id: Int64, _ key: DraftKey) throws(ChatError) {
    try changing(key) { table, key, entry throws(ChatError) in
      guard key.slot == .new || entry.editing != nil else { throw .draftNotLoaded }
      var entry = entry
      entry.versionCount -= 1
      try table.replace(key, entry) { present, transaction in
        guard let version = try transaction.drafts.takeVersion(id, of: key) else {
          throw ChatError(.invalidDraft, "The version of the draft does not exist. Read the versions again.")
        }
        return present.typed(version.text, selection: version.selection).restorable
      }
    }
  }
}

extension DraftTable {
  /// Moves the content from the draft to the place where `body` puts it, in one transaction. If `body` or the commit
  /// fails, the content stays where it is.
  mutating func move<Value>(
    _ key: DraftKey, _ body: (DraftContent, Transaction) throws -> Value
  ) throws(ChatError) -> Value {
    var entry = try loaded(key)
    do throws(ChatError) {
      let (value, left) = try storage.store.write { transaction in
        let others = try storage.othersBeforeEnd(entry, key, transaction)
        let value = try body(entry.buffer.content, transaction)
        return (value, try storage.end(key, leaving: others, transaction))
      }
      entry.end()
      if let left { entry.follow(left) }
      self[key] = entry
      return value
    } catch {
      entry.problem = error
      self[key] = entry
      throw error
    }
  }

  /// Stores the content that `body` makes of the composer's content, together with the other changes of `body`, in one
  /// transaction. If another process has stored a draft since, it is joined with the content first.
  @discardableResult
  package mutating func replace(
    _ key: DraftKey, _ before: DraftEntry,
    _ body: (DraftContent, Transaction) throws -> DraftContent
  ) throws(ChatError) -> DraftContent {
    var entry = before
    let content = try storage.store.write { transaction in
      try entry.join(try storage.others(before, key, transaction))
      guard entry.editing == before.editing else { throw DraftStorage.changedElsewhere }
      let present = entry.buffer.content
      let content = try body(present, transaction)
      let now = storage.environment.uptime()
      _ = entry.buffer.edit(content, now: now)
      entry.buffer.setAside(present, now: now)
      (entry.versionCount, entry.edition) = try storage.save(
        key, entry, newID: storage.environment.makeID(), in: transaction)
      return content
    }
    entry.buffer.replace(with: content)
    if !content.text.hasSameBytes(as: before.buffer.content.text) { entry.turn.wrote(nil) }
    entry.writtenAt = content.isEmpty ? nil : storage.environment.now()
    self[key] = entry
    return content
  }
}
