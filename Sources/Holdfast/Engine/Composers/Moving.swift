import HoldfastCore
import HoldfastStore

/// What moves out of a composer or into it, in the transaction that stores it elsewhere or takes it from there: there is no
/// moment at which it is in neither.
extension Drafts {
  /// Moves the content from the draft to wherever `body` puts it, in one transaction. When `body` or the
  /// commit fails, the content stays where it is.
  package func take<Value: Sendable>(
    _ key: DraftKey, _ body: (DraftContent, Transaction) throws -> Value
  ) throws(ChatError) -> Value {
    store.lookForRenames()
    let result = entries.withLock { entries -> Result<Value, ChatError> in
      let key = current(key, in: &entries)
      load(key, in: &entries)
      return take(key, in: &entries, body)
    }
    if case .failure(let error) = result, error.code == .draftChanged {
      followOthers()
      // One that was typed into is joined with what it has not seen, so that the next try can be made at once.
      try? save(key)
    }
    announce(key)
    return try result.get()
  }

  package func take<Value>(
    _ key: DraftKey, in entries: inout [DraftKey: Entry], _ body: (DraftContent, Transaction) throws -> Value
  ) -> Result<Value, ChatError> {
    guard var entry = entries[key], entry.isLoaded else {
      return .failure(
        ChatError(.storageBusy, "The draft has not been loaded yet. The text stays in the composer."))
    }
    do throws(ChatError) {
      let (value, left) = try store.write { transaction in
        let others = try othersBeforeEnd(entry, key, transaction)
        let value = try body(entry.buffer.content, transaction)
        return (value, try end(key, leaving: others, transaction))
      }
      entry.end()
      if let left { entry.follow(left) }
      entries[key] = entry
      return .success(value)
    } catch {
      entry.problem = error
      entries[key] = entry
      return .failure(error)
    }
  }

  /// Puts a content into the composer, in front of what is there, in the transaction that takes it from
  /// wherever it was.
  package func put(_ key: DraftKey, _ body: (Transaction) throws -> DraftContent) throws(ChatError)
    -> DraftContent
  {
    store.lookForRenames()
    let result = entries.withLock { entries -> Result<DraftContent, ChatError> in
      let key = current(key, in: &entries)
      load(key, in: &entries)
      guard let entry = entries[key], entry.isLoaded else {
        return .failure(ChatError(.storageBusy, "The draft has not been loaded yet. Try again."))
      }
      return replace(key, entry, in: &entries) { present, transaction in
        DraftContent.merge(try body(transaction), present)
      }
    }
    announce(key)
    return try result.get()
  }

  /// Stores what `body` makes of the composer's content, with what else it does, in one transaction. The content is
  /// joined with what another process has stored since.
  package func replace(
    _ key: DraftKey, _ before: Entry, in entries: inout [DraftKey: Entry],
    _ body: (DraftContent, Transaction) throws -> DraftContent
  ) -> Result<DraftContent, ChatError> {
    var entry = before
    do throws(ChatError) {
      let content = try store.write { transaction in
        try entry.join(try others(before, key, transaction))
        guard entry.editing == before.editing else { throw Self.changedElsewhere }
        let present = entry.buffer.content
        let content = try body(present, transaction)
        let now = environment.uptime()
        _ = entry.buffer.edit(content, now: now)
        entry.buffer.setAside(present, now: now)
        (entry.versionCount, entry.edition) = try save(
          key, entry, newID: environment.makeID(), in: transaction)
        return content
      }
      entry.buffer.replace(with: content)
      if !content.text.hasSameBytes(as: before.buffer.content.text) { entry.turn.wrote(nil) }
      entry.writtenAt = content.isEmpty ? nil : environment.now()
      entries[key] = entry
      return .success(content)
    } catch {
      return .failure(error)
    }
  }
}
