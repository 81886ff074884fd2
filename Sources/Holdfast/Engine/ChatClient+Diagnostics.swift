import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// The state of the store in numbers. Costs a pass over the index of each table, and a look at each file: some
  /// milliseconds for 100,000 messages.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`, or `suspended`.
  public nonisolated func storeDiagnostics() throws(ChatError) -> StoreDiagnostics {
    try store.read { try StoreDiagnostics($0, in: store.folder) }
  }
}
