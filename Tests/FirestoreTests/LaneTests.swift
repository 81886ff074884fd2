#if Firestore
  import BackendServers
  import Foundation
  import Holdfast
  import HoldfastFirestore
  import HoldfastTransport
  import Testing

  /// What the transport answers to messages that leave.
  @Suite(.serialized, .timeLimit(.minutes(5))) struct LaneTests {
    private static let date = Date(timeIntervalSince1970: 1_790_000_000)

    private static func message(
      _ id: MessageID, behind predecessor: MessageID? = nil, _ transmission: Int64 = 1,
      in conversation: ConversationID = "club",
      to members: [UserID] = ["alice", "bob"], operation: MessageOperation? = nil, _ text: String = "hello"
    ) -> OutgoingMessage {
      OutgoingMessage(
        id: id, conversation: conversation, members: members, content: MessageContent(text), createdAt: date,
        operation: operation, predecessor: predecessor, transmission: transmission)
    }

    /// Sends on one connection, step by step, and returns the answers.
    private static func answers(
      _ emulator: FirestoreEmulator, as account: UserID = "alice", port: Int? = nil,
      _ steps: [[OutgoingMessage]],
      beforeSending: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> Answers {
      let answers = Answers()
      let transport = emulator.transport(for: account, port: port, newest: nil)
      try await transport.withConnection(resumingAfter: nil) { connection in
        // The emulator mixes up what it sends on a stream when something changes while the stream begins.
        while !answers.isCurrent { answers.add(try await connection.receive()) }
        try await beforeSending()
        for step in steps {
          try await connection.send(step)
          let wanted = answers.count + step.count
          while answers.count < wanted { answers.add(try await connection.receive()) }
        }
      }
      return answers
    }

    // B4.2, B4.3
    @Test func `a message whose answer does not come is no refusal, and is there`() async throws {
      try await withEmulator { emulator in
        let log = FileManager.default.temporaryDirectory.appending(
          path: "proxy-\(ChatEnvironment().makeID()).log")
        let proxy = ProxyProcess(log: log)
        try await proxy.start(to: emulator.port)
        defer { proxy.end() }
        let silent = try await Self.answers(emulator, port: proxy.port, [[Self.message("m1")]]) {
          try await proxy.make(.lostAnswerThenSilent)
        }
        #expect(silent.refusals.map(\.refusal) == [.outcomeUnknown()])
        // The conversation was created, and its answer was lost.
        try await proxy.behave()
        let again = try await Self.answers(emulator, port: proxy.port, [[Self.message("m1", 2)]])
        #expect(again.receipts.map(\.id) == ["m1"])
        #expect(try await emulator.messages(in: "club").map(\.id) == ["m1"])
      }
    }

    // B9.3
    @Test func `the second copy of a message gets the receipt of the first`() async throws {
      try await withEmulator { emulator in
        let first = try await Self.answers(emulator, [[Self.message("m1")]])
        let again = try await Self.answers(
          emulator, [[Self.message("m1"), Self.message("m2", behind: "m1")]])
        #expect(first.receipts.map(\.id) == ["m1"])
        #expect(again.receipts.map(\.id) == ["m1", "m2"])
        #expect(again.receipts.first == first.receipts.first)
        #expect(try await emulator.messages(in: "club").map(\.id) == ["m1", "m2"])
      }
    }

    @Test func `an ID that is somebody else's is refused, and nothing overtakes it`() async throws {
      try await withEmulator { emulator in
        let writes = Writes(emulator: emulator)
        try await emulator.commit([writes.conversation("other", ["alice", "carol"])])
        try await emulator.commit([
          writes.message("taken", in: "other", from: "carol", to: ["alice", "carol"])
        ])
        let answers = try await Self.answers(
          emulator,
          [
            [Self.message("taken"), Self.message("m2", behind: "taken")],
            // Handed over again before the engine has heard the refusal.
            [Self.message("m2", behind: "taken", 2)],
            [Self.message("m2", 3)],
          ])
        #expect(answers.refusals.map(\.id) == ["taken", "m2", "m2"])
        #expect(answers.refusals.dropFirst().allSatisfy { $0.refusal == .predecessorMissing })
        #expect(answers.receipts.map(\.id) == ["m2"])
      }
    }

    @Test func `many messages leave in few commits, in order`() async throws {
      try await withEmulator { emulator in
        let ids = (0..<250).map { MessageID(rawValue: "m\($0)") }
        var answers = Answers()
        var transmission: Int64 = 0
        // A busy emulator answers some of the commits too late. They are sent again, as the engine does.
        repeat {
          transmission += 1
          let messages = zip(ids, [nil] + ids.map(Optional.some)).map { id, predecessor in
            Self.message(id, behind: predecessor, transmission)
          }
          answers = try await Self.answers(emulator, [messages])
          let rejected = answers.refusals.filter { if case .rejected = $0.refusal { true } else { false } }
          try #require(rejected.isEmpty)
        } while answers.receipts.count < ids.count
        #expect(answers.receipts.map(\.id) == ids)
        let orders = answers.receipts.compactMap(\.order)
        #expect(orders == orders.sorted() && Set(orders).count == ids.count)
        #expect(Set(answers.receipts.map(\.createdAt)).count <= 5, "a hundred in a commit")
        #expect(try await emulator.messages(in: "club").map(\.id) == ids)
      }
    }

    @Test func `who is no member is refused as such, and so is who writes where nothing is`() async throws {
      try await withEmulator { emulator in
        _ = try await Self.answers(emulator, [[Self.message("m1")]])
        let mallory = try await Self.answers(
          emulator, as: "mallory",
          [
            [Self.message("x1", to: [])], [Self.message("x2", in: "nowhere", to: [])],
            [Self.message("x3", to: ["mallory"])],
            [Self.message("x4", to: [], operation: MessageOperation(.edit, of: "m1"))],
          ])
        #expect(mallory.refusals.count == 4)
        for (id, refusal) in mallory.refusals {
          guard case .rejected(let reason) = refusal else {
            Issue.record("\(id): \(refusal)")
            continue
          }
          #expect(reason.code == .conversationRefused, "\(id)")
        }
      }
    }

    private static let otherMembers = Refusal.rejected(
      FailureReason(.rejected, "Another conversation has this ID. See who is in it before you send again."))

    // B9.1
    @Test(arguments: [["mallory", "alice", "bob"], ["bob", "alice", "carol"], ["alice"]])
    func `what is meant for some members is not sent to a conversation of others`(members: [String])
      async throws
    {
      try await withEmulator { emulator in
        let writes = Writes(emulator: emulator)
        // Whoever is first chooses the members. The phone hears of it before it sends, or when it sends.
        let creator = UserID(rawValue: members[0])
        try await emulator.commit([writes.conversation("club", members)], as: creator)
        let known = try await Self.answers(
          emulator, [[Self.message("m1"), Self.message("m2", behind: "m1")]])
        #expect(known.refusals.map(\.id) == ["m1", "m2"])
        #expect(known.refusals.allSatisfy { $0.refusal == Self.otherMembers })
        let unknown = try await Self.answers(emulator, [[Self.message("m3", in: "late")]]) {
          try await emulator.commit([writes.conversation("late", members)], as: creator)
        }
        #expect(unknown.refusals.map(\.refusal) == [Self.otherMembers])
        #expect(try await emulator.messages(in: "club").isEmpty)
        #expect(try await emulator.messages(in: "late").isEmpty)
      }
    }

    @Test func `members are the same in another order, and named twice`() async throws {
      try await withEmulator { emulator in
        let first = try await Self.answers(
          emulator, [[Self.message("m1", to: ["bob", "alice", "bob"]), Self.message("m2", behind: "m1")]])
        #expect(first.receipts.map(\.id) == ["m1", "m2"])
        let again = try await Self.answers(emulator, [[Self.message("m3", to: ["alice", "alice", "bob"])]])
        #expect(again.receipts.map(\.id) == ["m3"])
      }
    }

    @Test func `a message that is there is no refusal, whatever became of the members`() async throws {
      try await withEmulator { emulator in
        let writes = Writes(emulator: emulator)
        _ = try await Self.answers(emulator, [[Self.message("m1")]])
        try await emulator.commit([writes.members("club", ["alice", "bob", "carol"])])
        let again = try await Self.answers(
          emulator, [[Self.message("m1"), Self.message("m2", behind: "m1")], [Self.message("m3", to: [])]])
        #expect(again.receipts.map(\.id) == ["m1", "m3"])
        #expect(again.refusals.map(\.id) == ["m2"])
        #expect(again.refusals.map(\.refusal) == [Self.otherMembers])
      }
    }

    // B9.1
    @Test func `a change names the members of its time`() async throws {
      try await withEmulator { emulator in
        let writes = Writes(emulator: emulator)
        let all = ["alice", "bob", "rita"]
        try await emulator.commit([writes.conversation("club", all)])
        try await emulator.commit(
          ["m1", "m2", "m3", "m4"].map { writes.message($0, in: "club", from: "alice", to: all) })
        func operation(
          _ kind: MessageOperation.Kind, _ target: MessageID, _ text: String = ""
        ) -> OutgoingMessage {
          Self.message(
            MessageID(rawValue: "\(kind) \(target)"), to: [], operation: MessageOperation(kind, of: target),
            text)
        }
        let answers = try await Self.answers(
          emulator,
          [[operation(.edit, "m1", "secret"), operation(.react, "m2", "👍"), operation(.delete, "m3")]]
        ) { try await emulator.commit([writes.members("club", ["alice", "bob"])]) }
        #expect(answers.receipts.count == 3)
        #expect(try await emulator.messageIDs(naming: "rita") == ["m4"])
        #expect(try await emulator.messageIDs(naming: "bob") == ["m1", "m2", "m3", "m4"])
      }
    }

    // B9.1
    @Test func `in a closed conversation nothing is changed, and reading goes on`() async throws {
      try await withEmulator { emulator in
        let writes = Writes(emulator: emulator)
        try await emulator.commit([writes.conversation("club", ["alice", "bob"])])
        try await emulator.commit([writes.message("m1", in: "club", from: "alice", to: ["alice", "bob"])])
        try await emulator.commit([
          writes.write("conversations", "club", ["refusal": .text("It is closed.")], mask: ["refusal"])
        ])
        try await emulator.transport(for: "alice", newest: nil).withConnection(resumingAfter: nil) {
          connection in
          let answers = Answers()
          while !answers.isCurrent { answers.add(try await connection.receive()) }
          let kinds: [MessageOperation.Kind] = [.edit, .react, .unreact, .delete]
          try await connection.send(
            kinds.map {
              Self.message(
                MessageID(rawValue: "\($0)"), to: [], operation: MessageOperation($0, of: "m1"), "👍")
            })
          while answers.count < kinds.count { answers.add(try await connection.receive()) }
          #expect(answers.receipts.isEmpty)
          for (id, refusal) in answers.refusals {
            guard case .rejected(let reason) = refusal else {
              Issue.record("\(id): \(refusal)")
              continue
            }
            #expect(reason.code == .conversationRefused, "\(id)")
          }
          let mark = IncomingItem.ReadMark(conversation: "club", reader: "alice", message: "m1", order: 7)
          try await connection.send(mark)
          while true {
            guard case .items(let items, _) = try await connection.receive() else { continue }
            if items.contains(.readMark(mark)) { break }
          }
        }
      }
    }

    @Test func `what a deletion makes pointless is answered, and what it forbids is refused`() async throws {
      try await withEmulator { emulator in
        func operation(_ id: MessageID, _ kind: MessageOperation.Kind, _ text: String = "")
          -> [OutgoingMessage]
        {
          [Self.message(id, to: [], operation: MessageOperation(kind, of: "m1"), text)]
        }
        let answers = try await Self.answers(
          emulator,
          [
            [Self.message("m1")], operation("o1", .react, "👍"), operation("o2", .react, "👍"),
            operation("o3", .delete), operation("o4", .delete), operation("o5", .unreact, "👍"),
            operation("o6", .edit, "again"), operation("o7", .react, "👍"),
          ])
        #expect(answers.receipts.map(\.id) == ["m1", "o1", "o2", "o3", "o4", "o5"])
        #expect(answers.refusals.map(\.id) == ["o6", "o7"])
        let revisions = answers.receipts.compactMap(\.revision)
        #expect(revisions == revisions.sorted())
      }
    }
  }
#endif
