import HoldfastCore
import HoldfastStore
import HoldfastTransport

extension SnapshotReader {
  /// Searches this device, and asks the server too. `changed` is raised when the server's results arrive.
  package func search(
    _ query: String, in conversation: ConversationID?, limit: Int, raising changed: Signal
  ) throws(ChatError) -> SearchSnapshot {
    let key = conversation.map(store.key)
    guard transport.capabilities.carriesSearch, SearchQuery(query) != nil, try !isOnDevice(key) else {
      client.sharedStates.searches.forget(changed)
      return try client.search(query, in: conversation, limit: limit)
    }
    let asked = ServerSearches.Query(text: query, conversation: key, limit: limit)
    client.sharedStates.searches.ask(asked, for: changed)
    let outcome = client.sharedStates.searches.outcome(of: asked, for: changed)
    var results: SearchResults?
    if case .found(let found) = outcome { results = found }
    let search = MessageSearch(query, in: key, limit: limit, beside: results)
    let findings = try store.read { try search.read($0, store.deletions.value) }
    var snapshot = search.snapshot(of: findings, for: names)
    snapshot.server =
      switch outcome {
      case .found: .searched
      case .failed(let reason): .failed(reason)
      case nil: sharedStates.link.isOnline ? .searching : .offline
      }
    return snapshot.localized(with: configuration.texts)
  }

  private func isOnDevice(_ conversation: ConversationKey?) throws(ChatError) -> Bool {
    guard let conversation else { return false }
    return try store.read { try $0.conversations.isOnDevice(conversation) }
  }
}
