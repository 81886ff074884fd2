import Foundation
import HoldfastCore
import HoldfastStore

extension ChatClient {
  private static let indexingStepsPerCommit = 10

  /// Searches all messages, or those of one conversation.
  ///
  /// ```swift
  /// let found = try client.search("北京 meet", limit: 20)
  /// ```
  ///
  /// A message is found that has all the words, in any order, each from its beginning on: `meet` finds *meeting*. What is
  /// written without spaces is found in the middle too, from one sign on, and so is an emoji. Case and accents make no
  /// difference; `istanbul`, `ISTANBUL` and `İstanbul` are one. There is no syntax: every text is a search, one of signs
  /// alone finds nothing. What is searched is the texts as the server has them: an edit is found once the server has it,
  /// and a reply that is being written once it is finished.
  ///
  /// What came in the last seconds stands first. Then the best stand first: few words among which the sought ones are
  /// many, and rare ones before common ones. Where no word has more than two letters, which nearly every message has, the
  /// newest stand first. One read, which costs a look at each message that has the words, 10,000 at most, and for one
  /// conversation at those of others that lie between them. Nothing is changed.
  ///
  /// - Parameters:
  ///   - query: what somebody typed. 1,000 scalars of it are looked for, in 16 phrases of 32 words at most.
  ///   - conversation: nil for all.
  ///   - limit: how many hits, from the best on.
  /// - Throws: ``ChatError`` with a code that starts with `storage`.
  public nonisolated func search(
    _ query: String, in conversation: ConversationID? = nil, limit: Int = 50
  ) throws(ChatError) -> SearchSnapshot {
    let search = MessageSearch(query, in: conversation.map(store.aliases.current), limit: limit)
    return search.snapshot(of: try store.read(search.read), for: user)
  }

  /// Indexes all that is not, without pauses, for a process in which nobody waits for anything else. Does nothing when
  /// that is done. What a crash or a power cut takes back is indexed by the next call, or by the app.
  ///
  /// - Parameter progress: messages. What it throws ends the indexing.
  package nonisolated func indexEverything(_ progress: (InterchangeProgress) throws -> Void) throws {
    let before = try store.read { try $0.indexState() }
    while try store.read({ try $0.hasUnindexed() }) {
      // A commit for each few would cost more than their words.
      let state = try store.writeUnsynced { transaction in
        for _ in 0..<Self.indexingStepsPerCommit {
          _ = try transaction.indexNext(
            limit: IndexingChore.messagesAtOnce, maximumBytes: IndexingChore.bytesAtOnce)
        }
        return try transaction.indexState()
      }
      try progress(
        InterchangeProgress(completed: state.indexed - before.indexed, total: before.last - before.indexed))
    }
  }
}
