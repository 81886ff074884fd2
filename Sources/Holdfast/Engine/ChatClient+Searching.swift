import Foundation
import HoldfastCore
import HoldfastStore
import HoldfastTransport

extension ChatClient {
  private static let indexingStepsPerCommit = 10

  /// Searches all messages, or those of one conversation.
  ///
  /// ```swift
  /// let found = try client.search("北京 meet", limit: 20)
  /// ```
  ///
  /// A message is found when it has all the words, in any order. The beginning of a word is enough: `meet` finds
  /// *meeting*. Text that is written without spaces is also found in the middle, from one character on, and so is an
  /// emoji. Case, accents, Arabic and Hebrew signs, strokes, ligatures and invisible characters make no difference:
  /// `istanbul`, `ISTANBUL` and `İstanbul` are the same, and `lodz` finds *Łódź*. There is no syntax: every text is a
  /// valid query, and one without a word or an emoji finds nothing. The search covers the texts that the server has. An
  /// edit is found once the server has it, and a reply that is being written is found once it is finished.
  ///
  /// Messages from the last seconds come first. The best matches follow: short texts that have the sought words often,
  /// and rare words before common ones. When no word has more than two letters, nearly every message has the words, and
  /// the newest messages come first. Costs one read, with a look at each message that has the words, 10,000 at most. A
  /// search in one conversation also looks at the messages of others that lie between. Nothing is changed.
  ///
  /// - Parameters:
  ///   - query: the text that somebody typed. At most 1,000 scalars of it are used, in at most 16 phrases of 32 words.
  ///   - conversation: nil for all conversations.
  ///   - limit: the largest number of hits, from the best on.
  /// - Throws: ``ChatError`` with a code that starts with `storage`.
  public nonisolated func search(
    _ query: String, in conversation: ConversationID? = nil, limit: Int = 50
  ) throws(ChatError) -> SearchSnapshot {
    let search = MessageSearch(query, in: conversation.map(store.key), limit: limit)
    return search.snapshot(of: try store.read(search.read), for: names).worded(with: configuration.texts)
  }

  /// Searches this device, and asks the server too. What the server finds is there later: `changed` is raised.
  package nonisolated func search(
    _ query: String, in conversation: ConversationID?, limit: Int, raising changed: Signal
  ) throws(ChatError) -> SearchSnapshot {
    let key = conversation.map(store.key)
    guard transport.capabilities.carriesSearch, SearchQuery(query) != nil, try !isOnDevice(key) else {
      searchDoor.forget(changed)
      return try search(query, in: conversation, limit: limit)
    }
    let asked = ServerSearches.Query(text: query, conversation: key, limit: limit)
    searchDoor.ask(asked, for: changed)
    let outcome = searchDoor.outcome(of: asked, for: changed)
    var results: SearchResults?
    if case .found(let found) = outcome { results = found }
    let search = MessageSearch(query, in: key, limit: limit, beside: results)
    let findings = try store.read { try search.read($0, store.deletions.value) }
    var snapshot = search.snapshot(of: findings, for: names)
    snapshot.server =
      switch outcome {
      case .found: .searched
      case .failed(let reason): .failed(reason)
      case nil: live.isRunning && live.link == .online ? .searching : .offline
      }
    return snapshot.worded(with: configuration.texts)
  }

  private nonisolated func isOnDevice(_ conversation: ConversationKey?) throws(ChatError) -> Bool {
    guard let conversation else { return false }
    return try store.read { try $0.conversations.isOnDevice(conversation) }
  }

  /// Indexes all messages that are not indexed, without pauses, for a process in which nobody waits for anything else.
  /// Does nothing when all are indexed. If a crash or a power cut takes back a part, the next call or the app indexes
  /// it again.
  ///
  /// - Parameter progress: receives the number of indexed messages, and that of all. An error that it throws ends the indexing.
  package nonisolated func indexEverything(_ progress: (_ completed: Int64, _ total: Int64) throws -> Void)
    throws
  {
    let before = try store.read { try $0.search.indexState() }
    while try store.read({ try $0.search.hasUnindexed() }) {
      // A commit for every few messages would cost more than their words.
      let state = try store.writeUnsynced { transaction in
        for _ in 0..<Self.indexingStepsPerCommit {
          _ = try transaction.search.indexNext(
            limit: IndexingChore.messagesAtOnce, maximumBytes: IndexingChore.bytesAtOnce)
        }
        return try transaction.search.indexState()
      }
      try progress(state.done - before.done, before.last - before.done)
    }
  }
}
