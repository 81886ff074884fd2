import Foundation
import HoldfastCore
import HoldfastStore

/// Moves content out of a composer or into it, in the transaction that stores it elsewhere or takes it from there. At
/// every moment, the content is in one of the two places.
extension DraftTable {
  /// Moves the content from the draft to the place where `body` puts it, in one transaction. If `body` or the commit
  /// fails, the content stays where it is.
  mutating func take<Value>(
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
