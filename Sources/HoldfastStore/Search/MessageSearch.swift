import GRDB
import HoldfastCore

/// One search: the data that it reads from the store, and the results that it shows.
package struct MessageSearch {
  /// When more messages than this have the words, only the newest are looked at. A search in one conversation
  /// counts the messages of that conversation alone.
  private static let candidates = 10_000
  /// The number of messages that are searched although the index does not have them yet.
  private static let unindexed = 1_000
  /// The number of the newest messages that are looked at before the index is asked for a vague query.
  private static let looked = 1_000

  private let query: String
  private let sought: SearchQuery?
  package let conversation: ConversationKey?
  private let limit: Int

  /// The messages that the store has for the search.
  package struct Findings {
    fileprivate var new: [FoundMessage] = []
    package var indexed: [FoundMessage] = []
    fileprivate var progress = 1.0
    /// The present names of the conversations in which something was found.
    fileprivate var names: [ConversationKey: ConversationID] = [:]
  }

  package init(_ query: String, in conversation: ConversationKey?, limit: Int) {
    (self.query, self.conversation) = (query, conversation)
    self.limit = min(max(limit, 0), 10_000)
    sought = SearchQuery(query)
  }

  package func read(_ reading: Reading) throws -> Findings {
    guard let sought else { return Findings() }
    let state = try reading.indexState()
    var findings = Findings(
      new: try reading.unindexedMessages(beside: state, in: conversation, limit: Self.unindexed),
      // One more message is read, to know whether there is one.
      indexed: try sought.isVague
        ? reading.newestMatches(sought, in: conversation, looked: Self.looked, limit: limit + 1)
        : reading.indexedMatches(
          sought.match, in: conversation, candidates: Self.candidates, limit: limit + 1),
      progress: state.progress)
    for conversation in Set((findings.new + findings.indexed).map(\.conversation)) {
      findings.names[conversation] = try reading.name(of: conversation)
    }
    return findings
  }

  package func snapshot(of findings: Findings, for names: ShownNames) -> SearchSnapshot {
    var snapshot = SearchSnapshot(of: query)
    if snapshot.state == .searching { snapshot.state = .found }
    guard let sought else { return snapshot }
    func name(of conversation: ConversationKey) -> ConversationID {
      findings.names[conversation] ?? ConversationID(rawValue: conversation.rawValue)
    }
    let isNew = Set(findings.new.map(\.position))
    var hits: [SearchSnapshot.Hit] = []
    for message in findings.new + findings.indexed.filter({ !isNew.contains($0.position) })
    where hits.count <= limit {
      // A match of the index is checked too: the text decides.
      guard let matches = sought.matches(in: SearchWords.words(of: message.text)) else { continue }
      hits.append(
        SearchSnapshot.Hit(
          id: message.id, conversation: name(of: message.conversation),
          title: names.title(message.title, members: message.members), sender: message.sender,
          senderName: names.name(of: message.sender), isMine: message.sender == names.user,
          createdAt: message.createdAt,
          excerpt: SearchSnapshot.Excerpt(of: message.text, matches: matches)))
    }
    (snapshot.hits, snapshot.hasMore) = (Array(hits.prefix(limit)), hits.count > limit)
    let isBehind = findings.progress < 1 && findings.new.count == Self.unindexed
    snapshot.progress = isBehind ? findings.progress : nil
    return snapshot
  }
}
