#if Firestore
  import BackendServers
  import Foundation
  import Holdfast
  import HoldfastFirestore
  import HoldfastTransport
  import Testing

  /// Older messages, and a first connection that brings the newest ones alone (rule B6).
  @Suite(.serialized, .timeLimit(.minutes(5))) struct FirestoreHistoryTests {
    private static let members = ["alice", "bob"]

    /// Messages of alice, several of them with the same time.
    private static func fill(
      _ emulator: FirestoreEmulator, _ conversation: String, _ numbers: ClosedRange<Int>
    )
      async throws
    {
      let writes = Writes(emulator: emulator)
      try await emulator.commit([writes.conversation(conversation, members)])
      for start in stride(from: numbers.lowerBound, through: numbers.upperBound, by: 5) {
        try await emulator.commit(
          (start...min(numbers.upperBound, start + 4)).map { number in
            writes.message(
              "\(conversation)-\(number)", in: conversation, from: "alice", to: members,
              with: ["n": .number(number - start)])
          })
      }
    }

    private static func ids(_ page: HistoryPage) -> [MessageID] {
      page.items.compactMap { if case .message(let message) = $0 { message.id } else { nil } }
    }

    private static func ids(_ conversation: String, _ numbers: ClosedRange<Int>) -> [MessageID] {
      numbers.map { MessageID(rawValue: "\(conversation)-\($0)") }
    }

    // B6.1, B6.3
    @Test
    func `pages go back to the beginning, from the newest, a place or a message, and name what is missing`()
      async throws
    {
      try await withEmulator { emulator in
        try await Self.fill(emulator, "club", 1...12)
        try await Self.fill(emulator, "trip", 1...1)
        try await emulator.transport(for: "bob").withConnection(resumingAfter: nil) { connection in
          let first = try await connection.history(HistoryRequest(conversation: "club", limit: 5))
          #expect(Self.ids(first) == Self.ids("club", 8...12))
          #expect(first.beginsWithNewest && !first.isSoughtMissing)
          let second = try await connection.history(
            HistoryRequest(conversation: "club", before: first.before, sought: "club-1", limit: 5))
          #expect(Self.ids(second) == Self.ids("club", 3...7))
          #expect(!second.beginsWithNewest && !second.isSoughtMissing)
          let last = try await connection.history(
            HistoryRequest(conversation: "club", before: second.before, sought: "trip-1", limit: 5))
          #expect(Self.ids(last) == Self.ids("club", 1...2))
          #expect(last.before == nil && last.isSoughtMissing)
          guard case .message(let oldest)? = second.items.first else { return }
          let message = HistoryRequest.Message(
            id: oldest.id, order: oldest.order, createdAt: oldest.createdAt)
          let again = try await connection.history(
            HistoryRequest(conversation: "club", oldest: message, limit: 5))
          #expect(again == HistoryPage(items: last.items, before: nil))
        }
      }
    }

    // B6.5
    @Test func `a conversation that has another ID by now has no beginning under the old one`() async throws {
      try await withEmulator { emulator in
        try await Self.fill(emulator, "club", 1...3)
        try await emulator.rename("club", to: "choir")
        try await emulator.transport(for: "bob").withConnection(resumingAfter: nil) { connection in
          await #expect(throws: HistoryPage.Refusal.notNow(after: nil)) {
            try await connection.history(HistoryRequest(conversation: "club"))
          }
          let page = try await connection.history(HistoryRequest(conversation: "choir"))
          #expect(Self.ids(page) == Self.ids("club", 1...3))
        }
      }
    }

    // B6.4
    @Test
    func
      `a new device gets the newest of each conversation, the newest conversation last, and then what changes`()
      async throws
    {
      try await withEmulator { emulator in
        try await Self.fill(emulator, "club", 1...12)
        try await Self.fill(emulator, "choir", 1...2)
        let writes = Writes(emulator: emulator)
        try await emulator.commit([writes.conversation("empty", Self.members)])
        try await emulator.commit([
          writes.message("club-13", in: "club", from: "alice", to: Self.members)
        ])
        let found = Found()
        try await emulator.transport(for: "bob", newest: 4).withConnection(resumingAfter: nil) { connection in
          var served: [ConversationID: IncomingConversation] = [:]
          var order: [ConversationID] = []
          while !found.isDone("club-13") {
            guard case .items(let items, let cursor) = try await connection.receive() else { continue }
            for item in items {
              switch item {
              case .conversation(let conversation):
                served[conversation.id] = conversation
                order.append(conversation.id)
              case .message(let message): found.add(message.id)
              default: break
              }
            }
            if let cursor { found.place(cursor) }
          }
          #expect(order.map(\.rawValue) == ["empty", "choir", "club"])
          #expect(found.ids == Self.ids("choir", 1...2) + Self.ids("club", 10...13))
          #expect(order.map { served[$0]?.hasOlder } == [false, false, true])
          let before = try await connection.history(
            HistoryRequest(conversation: "club", before: served["club"]?.history, limit: 3))
          #expect(Self.ids(before) == Self.ids("club", 7...9))
        }
        // The place leads on: what is sent later is delivered, and nothing older than the overlap.
        try await emulator.commit([writes.message("club-14", in: "club", from: "alice", to: Self.members)])
        try await emulator.transport(for: "bob", newest: 4).withConnection(resumingAfter: found.cursor) {
          connection in
          while !found.ids.contains("club-14") {
            guard case .items(let items, _) = try await connection.receive() else { continue }
            for case .message(let message) in items { found.add(message.id) }
          }
        }
      }
    }
  }
#endif
