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
    do throws(ChatError) {
      return try changing(key) { table, key, _ throws(ChatError) in try table.take(key, body) }
    } catch {
      if error.code == .draftChanged {
        followOthers()
        // Typed text is joined with the stored text that its composer has not shown, so that the next try can be made at
        // once.
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
}
