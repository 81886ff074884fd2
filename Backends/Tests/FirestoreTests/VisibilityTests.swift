#if Firestore
  import BackendServers
  import Foundation
  import Holdfast
  import HoldfastFirestore
  import HoldfastTransport
  import Testing

  /// What the emulator tells a transport.
  @Suite(.serialized, .timeLimit(.minutes(5))) struct VisibilityTests {
    // B9.2
    @Test func `a change that became visible while the phone was away is told, although its time is earlier`()
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

    @Test func `a token that names nobody, and a server that is none, are typed failures`() async throws {
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
