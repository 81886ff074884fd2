import HoldfastCore
import HoldfastStore

/// Moves content out of a composer or into it, in the transaction that stores it elsewhere or takes it from there. At
/// every moment, the content is in one of the two places.
extension Drafts {
  /// Moves the content from the draft to the place where `body` puts it, in one transaction. If `body` or the commit
  /// fails, the content stays where it is.
  package func take<Value: Sendable>(
    _ key: DraftKey, _ body: (DraftContent, Transaction) throws -> Value
  ) throws(ChatError) -> Value {
    store.lookForRenames()
    let result = table.withLock { table -> Result<Value, ChatError> in
      let key = table.current(key)
      table.load(key)
      return table.take(key, body)
    }
    if case .failure(let error) = result, error.code == .draftChanged {
      followOthers()
      // Typed text is joined with the stored text that its composer has not shown, so that the next try can be made at
      // once.
      try? save(key)
    }
    announce(key)
    return try result.get()
  }

  /// Puts content into the composer, in front of the present content. The same transaction takes it from its earlier
  /// place.
  package func put(_ key: DraftKey, _ body: (Transaction) throws -> DraftContent) throws(ChatError)
    -> DraftContent
  {
    store.lookForRenames()
    let result = table.withLock { table -> Result<DraftContent, ChatError> in
      let key = table.current(key)
      table.load(key)
      guard let entry = table.entries[key], entry.isLoaded else {
        return .failure(ChatError(.storageBusy, "The draft has not been loaded yet. Try again."))
      }
      return table.replace(key, entry) { present, transaction in
        DraftContent.merge(try body(transaction), present)
      }
    }
    announce(key)
    return try result.get()
  }
}
