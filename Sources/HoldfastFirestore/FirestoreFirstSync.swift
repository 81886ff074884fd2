#if Firestore
  import HoldfastCore
  import HoldfastTransport

  /// The first sync of a device without data: its conversations, each with its newest messages, and the read marks.
  /// Older messages are fetched on demand.
  struct FirestoreFirstSync: Sendable {
    let history: FirestoreHistory
    let conversations: FirestoreConversations
    /// The number of messages of each conversation.
    let newest: Int

    /// The number of concurrent queries.
    private static let width = 8

    /// - Parameters:
    ///   - isListed: called once the conversations are known.
    ///   - emit: receives the results. A conversation and its messages are one event.
    /// - Returns: the place from which to listen for changes. It was delivered with the last event.
    func run(
      isListed: () async throws -> Void, emit: (TransportEvent) async throws -> Void
    ) async throws -> FirestorePlace {
      let (documents, readAt) = try await history.client.query(
        .documents(in: .conversations, of: history.account))
      let items = documents.compactMap(ConversationDocument.init).map(\.item)
      conversations.note(items)
      try await isListed()
      let listed = items.compactMap {
        if case .conversation(let conversation) = $0 { conversation } else { nil }
      }
      let removed = items.filter { if case .removed = $0 { true } else { false } }
      if !removed.isEmpty { try await emit(.items(removed, cursor: nil)) }
      // A device lists conversations in the order of arrival, so the conversation with the newest message comes
      // last.
      var dated: [(conversation: IncomingConversation, newest: Int64)] = []
      try await inOrder(listed) { conversation in
        try await history.messages(of: conversation.id, before: nil, limit: 1)
      } take: { conversation, page in
        dated.append((conversation, page.items.first?.order ?? 0))
      }
      dated.sort { $0.newest < $1.newest }
      try await inOrder(dated.map(\.conversation)) { conversation in
        try await history.messages(of: conversation.id, before: nil, limit: newest)
      } take: { conversation, page in
        var conversation = conversation
        (conversation.hasOlder, conversation.history) = (page.before != nil, page.before)
        try await emit(.items([.conversation(conversation)] + page.items, cursor: nil))
      }
      let marks = try await history.client.query(.documents(in: .readMarks, of: history.account)).documents
      let place = FirestorePlace(bound: nil, read: readAt, token: nil)
      try await emit(
        .items(marks.compactMap(ReadMarkDocument.mark).map(IncomingItem.readMark), cursor: place.cursor))
      return place
    }

    /// Runs several queries concurrently, and processes the answers in the order of the queries.
    private func inOrder<Question: Sendable, Answer: Sendable>(
      _ questions: [Question], ask: @escaping @Sendable (Question) async throws -> Answer,
      take: (Question, Answer) async throws -> Void
    ) async throws {
      try await withThrowingTaskGroup(of: (Int, Answer).self) { group in
        var (asked, taken) = (0, 0)
        var early: [Int: Answer] = [:]
        while taken < questions.count {
          while asked < questions.count, asked - taken < Self.width {
            group.addTask { [asked] in (asked, try await ask(questions[asked])) }
            asked += 1
          }
          guard let (number, answer) = try await group.next() else { return }
          early[number] = answer
          while let answer = early.removeValue(forKey: taken) {
            try await take(questions[taken], answer)
            taken += 1
          }
        }
      }
    }
  }

  extension IncomingItem {
    fileprivate var order: Int64? { if case .message(let message) = self { message.order } else { nil } }
  }

  extension FSStructuredQuery {
    /// All documents of a collection that name an account.
    fileprivate static func documents(
      in collection: FirestoreDatabase.Collection, of account: UserID
    ) -> FSStructuredQuery {
      .with {
        $0.from = [.with { $0.collectionID = collection.rawValue }]
        $0.where = .field("members", .arrayContains, .string(account.rawValue))
      }
    }
  }
#endif
