#if Firestore
  import BackendServers
  import Foundation
  import Holdfast
  import HoldfastTransport
  import Synchronization
  import Testing

  @testable import HoldfastFirestore

  /// What the emulator sends a transport.
  @Suite(.serialized, .timeLimit(.minutes(5))) struct VisibilityTests {
    // B9.2
    @Test
    func `a change that became visible while the phone was away is delivered, although its time is earlier`()
      async throws
    {
      try await withEmulator { emulator in
        let writes = Writes(emulator: emulator)
        try await emulator.commit([writes.conversation("club", ["alice", "bob"])])
        try await emulator.commit([writes.message("m1", in: "club", from: "alice", to: ["alice", "bob"])])
        let transport = emulator.transport(for: "bob")
        let (first, place) = try await Self.messages(over: transport, after: nil, until: "m1")
        #expect(first == ["m1"])
        // Two minutes before the place of the phone, by the server's clock.
        let earlier = ISO8601DateFormatter().string(from: ChatEnvironment().now().addingTimeInterval(-120))
        try await emulator.commit([
          writes.message(
            "late", in: "club", from: "alice", to: ["alice", "bob"],
            with: ["sentAt": .time(earlier), "changedAt": .time(earlier)], times: [])
        ])
        let (second, _) = try await Self.messages(over: transport, after: place, until: "late")
        #expect(second.contains("late"))
      }
    }

    private struct Done: Error {}

    // B9.1
    @Test func `a removed member gets no later change, and keeps what he has`() async throws {
      try await withEmulator { emulator in
        let writes = Writes(emulator: emulator)
        let (all, rest) = (["alice", "bob", "rita"], ["alice", "bob"])
        try await emulator.commit([
          writes.conversation("club", all), writes.conversation("pair", ["alice", "rita"]),
        ])
        try await emulator.commit(
          ["m1", "m2", "m3"].map { writes.message($0, in: "club", from: "alice", to: all) })
        let answers = Mutex<(all: String, items: [IncomingItem])>(("", []))
        let hasBegun = Mutex(false)
        let listening = Mutex(FirestoreListening(after: nil))
        let database = FirestoreDatabase(
          project: emulator.project, name: "(default)",
          server: URL(string: "http://127.0.0.1:\(emulator.port)"))
        let (requests, continuation) = AsyncStream.makeStream(of: FSListenRequest.self)
        let place = FirestorePlace(bound: nil, read: 0, token: nil)
        continuation.yield(
          FirestoreListening.Target.messages.request(for: "rita", after: place, in: database))
        // What comes on the wire is looked at, and what the transport makes of it.
        await #expect(throws: Done.self) {
          try await FirestoreClient.with(
            database, keepalive: .seconds(30), token: { emulator.token(of: "rita") }
          ) {
            client in
            try await client.listen(requests) { response in
              let steps = try listening.withLock { try $0.apply(response) }
              answers.withLock { answers in
                answers.all += "\(response)"
                for case .event(.items(let items, _)) in steps { answers.items += items }
              }
              switch response.responseType {
              case .targetChange(let change) where change.targetChangeType == .current:
                // The emulator says it again when something changes.
                guard
                  hasBegun.withLock({ hasBegun in
                    defer { hasBegun = true }
                    return !hasBegun
                  })
                else { break }
                try await emulator.commit([writes.members("club", rest)])
                for write in [
                  writes.write(
                    "messages", "m1", ["text": .text("secret"), "members": .texts(rest)],
                    mask: ["text", "members"],
                    times: ["editedAt", "changedAt"]),
                  writes.reactions("m2", of: "alice", .texts(["secret"]), members: rest),
                  writes.write(
                    "messages", "m3", ["text": .text(""), "members": .texts(rest)],
                    mask: ["text", "members"],
                    times: ["deletedAt", "changedAt"]),
                  writes.message("done", in: "pair", from: "alice", to: ["alice", "rita"]),
                ] { try await emulator.commit([write], as: "alice") }
              case .documentChange(let change) where change.document.id.rawValue == "done": throw Done()
              default: break
              }
            }
          }
        }
        let (text, items) = answers.withLock { $0 }
        #expect(text.contains("hello") && !text.contains("secret"))
        let messages = items.compactMap { item -> IncomingMessage? in
          if case .message(let message) = item { message } else { nil }
        }
        #expect(messages.count == items.count && messages.allSatisfy { $0.deletedAt == nil })
        #expect(Set(messages.map(\.id.rawValue)).isSuperset(of: ["m1", "m2", "m3"]))
      }
    }

    @Test func `a token that names nobody, and a server that is no Firestore, are typed failures`()
      async throws
    {
      let nobody = FirestoreTransport(project: "p", server: URL(string: "http://127.0.0.1:1")) { "a.b.c" }
      #expect(await Self.failure(of: nobody)?.reason == .unauthorized)
      try await withEmulator { emulator in
        let token = emulator.token(of: "alice")
        let absent = FirestoreTransport(project: "p", server: URL(string: "http://127.0.0.1:1")) { token }
        #expect(await Self.failure(of: absent)?.reason == .unreachable)
        let strange = FirestoreTransport(project: "p", server: URL(string: "ftp://127.0.0.1")) { token }
        #expect(await Self.failure(of: strange)?.reason == .incompatible)
      }
    }

    private static func failure(of transport: FirestoreTransport) async -> ConnectionFailure? {
      do {
        try await transport.withConnection(resumingAfter: nil) { connection in
          while true { _ = try await connection.receive() }
        }
        return nil
      } catch {
        return error as? ConnectionFailure
      }
    }

    /// The messages that come, up to one, and the place after the first whole snapshot with it.
    private static func messages(
      over transport: FirestoreTransport, after cursor: SyncCursor?, until last: MessageID
    ) async throws -> (ids: [MessageID], place: SyncCursor?) {
      let found = Found()
      try await transport.withConnection(resumingAfter: cursor) { connection in
        while !found.isDone(last) {
          guard case .items(let items, let cursor) = try await connection.receive() else { continue }
          for case .message(let message) in items { found.add(message.id) }
          if let cursor { found.place(cursor) }
        }
      }
      return (found.ids, found.cursor)
    }
  }
#endif
