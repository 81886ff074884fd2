#if Firestore
  import BackendServers
  import Foundation
  import Holdfast
  import Testing

  /// The security rules on the emulator, attacked past the transport. Alice and bob are in a club. Rita was removed from it:
  /// an old message still names her. Mallory never was a member.
  @Suite(.serialized, .timeLimit(.minutes(5))) struct RulesTests {
    static let club = ["alice", "bob"]

    /// An attempt that the rules must refuse.
    struct Attack: Sendable, CustomTestStringConvertible {
      enum Deed: Sendable {
        case write(@Sendable (Writes) -> Data)
        case get(String, String)
        /// A query of a collection: for documents that name an account, for those of a conversation, or for all.
        case list(String, naming: String? = nil, conversation: String? = nil)
      }

      var attacker: String
      var name: String
      var deed: Deed
      var testDescription: String { "\(attacker) \(name)" }

      static func write(
        _ attacker: String, _ name: String, _ write: @escaping @Sendable (Writes) -> Data
      ) -> Attack { Attack(attacker: attacker, name: name, deed: .write(write)) }

      static func read(_ attacker: String, _ name: String, _ deed: Deed) -> Attack {
        Attack(attacker: attacker, name: name, deed: deed)
      }
    }

    private static let stranger: [Attack] = [
      .read("mallory", "reads the conversation", .get("conversations", "club")),
      .read("mallory", "lists all conversations", .list("conversations")),
      .read("mallory", "lists alice's conversations", .list("conversations", naming: "alice")),
      .read("mallory", "reads a message", .get("messages", "m1")),
      .read("mallory", "lists all messages", .list("messages")),
      .read("mallory", "lists alice's messages", .list("messages", naming: "alice")),
      .read("mallory", "lists the club's messages", .list("messages", conversation: "club")),
      .read("mallory", "reads a read mark", .get("readMarks", "club~alice")),
      .write("mallory", "writes into the club") { $0.message("x1", in: "club", from: "mallory", to: club) },
      .write("mallory", "writes into the club and names herself") {
        $0.message("x2", in: "club", from: "mallory", to: club + ["mallory"])
      },
      .write("mallory", "writes where no conversation is") {
        $0.message("x3", in: "nowhere", from: "mallory", to: ["mallory"])
      },
      .write("mallory", "joins the club") {
        $0.write(
          "conversations", "club", ["members": .texts(club + ["mallory"])], mask: ["members"],
          times: ["changedAt"])
      },
      .write("mallory", "takes over the club's ID") { $0.conversation("club", ["mallory"]) },
      .write("mallory", "makes another form of the club's ID") { $0.conversation("clu%62", ["mallory"]) },
      .write("mallory", "makes a form of an ID that is not escaped") {
        $0.conversation("__club", ["mallory"])
      },
      .write("mallory", "makes a conversation of others") { $0.conversation("theirs", club) },
      .write("mallory", "edits alice's message") { $0.edit("m1", "mine now") },
      .write("mallory", "reacts") { $0.reaction("m1", from: "mallory") },
      .write("mallory", "removes a message") { $0.removal("messages", "m1") },
      .write("mallory", "marks the club as read") { $0.mark("club", "mallory", 9, to: club) },
    ]

    private static let removed: [Attack] = [
      .read("rita", "reads the conversation", .get("conversations", "club")),
      .read("rita", "reads a message that came later", .get("messages", "m2")),
      .read("rita", "reads an old message that names her", .get("messages", "old")),
      .read("rita", "lists the club's messages", .list("messages", conversation: "club")),
      .write("rita", "writes into the club") { $0.message("x4", in: "club", from: "rita", to: club) },
      .write("rita", "writes into the club and names herself") {
        $0.message("x5", in: "club", from: "rita", to: club + ["rita"])
      },
      .write("rita", "edits her own old message") { $0.edit("hers", "still here") },
      .write("rita", "deletes her own old message") { $0.deletion("hers") },
      .write("rita", "reacts to an old message") { $0.reaction("old", from: "rita") },
      .write("rita", "marks the club as read") { $0.mark("club", "rita", 9, to: club + ["rita"]) },
    ]

    private static let forger: [Attack] = [
      .write("bob", "writes in alice's name") { $0.message("x6", in: "club", from: "alice", to: club) },
      .write("bob", "writes in the name of alice's assistant") {
        $0.message("x7", in: "club", from: "alice/assistant/model", to: club)
      },
      .write("bob", "writes with a time of his own") {
        $0.message(
          "x8", in: "club", from: "bob", to: club, with: ["sentAt": .time("2020-01-01T00:00:00Z")],
          times: ["changedAt"])
      },
      .write("bob", "writes behind alice's back") { $0.message("x9", in: "club", from: "bob", to: ["bob"]) },
      .write("bob", "lets mallory read along") {
        $0.message("x10", in: "club", from: "bob", to: club + ["mallory"])
      },
      .write("bob", "writes a field that nobody knows") {
        $0.message("x11", in: "club", from: "bob", to: club, with: ["admin": .text("yes")])
      },
      .write("bob", "writes a text that is too long") {
        $0.message("x12", in: "club", from: "bob", to: club, String(repeating: "a", count: 100_001))
      },
      .write("bob", "writes with a role that nobody has") {
        $0.message("x13", in: "club", from: "bob", to: club, with: ["role": .text("owner")])
      },
      .write("bob", "sends his message again with a new time") {
        $0.message("m2", in: "club", from: "bob", to: club)
      },
      .write("bob", "edits alice's message") { $0.edit("m1", "I was wrong") },
      .write("bob", "writes another form of a message's ID") {
        $0.message("m%31", in: "club", from: "bob", to: club)
      },
      .write("bob", "writes an ID with an escape in small letters") {
        $0.message("m%2f1", in: "club", from: "bob", to: club)
      },
      .write("bob", "writes an ID with half an escape") {
        $0.message("m%", in: "club", from: "bob", to: club)
      },
      .write("bob", "deletes alice's message") { $0.deletion("m1") },
      .write("bob", "edits his message without a trace") {
        $0.edit("m2", "never said", times: ["changedAt"])
      },
      .write("bob", "edits his message and notifies nobody") {
        $0.write("messages", "m2", ["text": .text("quiet")], mask: ["text"])
      },
      .write("bob", "edits a deleted message") { $0.edit("gone", "back again") },
      .write("bob", "gives his message to alice") {
        $0.write("messages", "m2", ["sender": .text("alice")], mask: ["sender"], times: ["changedAt"])
      },
      .write("bob", "moves his message elsewhere") {
        $0.write(
          "messages", "m2", ["conversation": .text("other")], mask: ["conversation"], times: ["changedAt"])
      },
      .write("bob", "writes in a conversation that is closed") {
        $0.message("late", in: "closed", from: "bob", to: club)
      },
      .write("bob", "writes in a conversation that was removed") {
        $0.message("late", in: "removed", from: "bob", to: club)
      },
      .write("bob", "calls a conversation of his by another one's ID") {
        $0.write(
          "conversations", "trap", ["members": .texts(club), "earlierIDs": .texts(["club"])],
          times: ["createdAt", "changedAt"])
      },
      .write("bob", "closes the conversation") {
        $0.write("conversations", "club", ["refusal": .text("no")], mask: ["refusal"], times: ["changedAt"])
      },
      .write("bob", "shows an old message to mallory") {
        $0.write(
          "messages", "m2", ["members": .texts(club + ["mallory"])], mask: ["members"], times: ["changedAt"])
      },
      .write("bob", "reacts in alice's name") { $0.reaction("m2", from: "alice") },
      .write("bob", "takes back alice's reaction") {
        $0.write("messages", "m2", [:], mask: [], times: ["changedAt"], removes: ("reactions.alice", "🎉"))
      },
      .write("bob", "removes all reactions") {
        $0.write("messages", "m1", [:], mask: ["reactions"], times: ["changedAt"])
      },
      .write("bob", "removes his message for good") { $0.removal("messages", "m2") },
      .write("bob", "removes the conversation") { $0.removal("conversations", "club") },
      .write("bob", "throws alice out") {
        $0.write(
          "conversations", "club", ["members": .texts(["bob"])], mask: ["members"], times: ["changedAt"])
      },
      .write("bob", "reads in alice's name") { $0.mark("club", "alice", 99, to: club) },
      .write("bob", "hides alice's read mark behind his") {
        $0.mark("club", "bob", 99, to: club, id: "club~alice")
      },
      .write("bob", "moves his read mark back") { $0.mark("club", "bob", 1, to: club) },
      .read("bob", "reads a conversation of others", .get("conversations", "other")),
      .read("bob", "reads a message of others", .get("messages", "theirs")),
    ]

    // B9.1
    @Test func `a stranger, a removed member and a forger are refused, and members are not`() async throws {
      try await withEmulator { emulator in
        let writes = Writes(emulator: emulator)
        try await Self.prepare(writes)
        let before = try await Self.everything(on: emulator)
        let attacks =
          Self.stranger + Self.removed + Self.forger + Self.oversized + Self.oversizedEdits + Self.reactions
          + Self.crowds + Self.ended + Self.fullDeletions + Self.marks + Self.stale
        #expect(attacks.count >= 200)
        for attack in attacks {
          let refused = await #expect(throws: FirestoreEmulator.Refused.self, "\(attack.testDescription)") {
            try await Self.carryOut(attack, writes)
          }
          #expect(refused?.status == 403, "\(attack.testDescription)")
        }
        #expect(
          try await Self.everything(on: emulator) == before, "An attack that was refused changes nothing.")
        try await Self.membersAreServed(writes)
        print("\(attacks.count) attempts, all refused")
      }
    }

    private static func prepare(_ writes: Writes) async throws {
      let emulator = writes.emulator
      // Past the rules, as the app's own administration would.
      try await emulator.commit([
        writes.conversation("club", club + ["rita"]), writes.conversation("other", ["carol", "dave"]),
        writes.write(
          "conversations", "closed", ["members": .texts(club), "refusal": .text("It is closed.")],
          times: ["createdAt", "changedAt"]),
        writes.write(
          "conversations", "removed", ["members": .texts(club)],
          times: ["createdAt", "changedAt", "removedAt"]),
      ])
      try await emulator.commit([
        writes.message("old", in: "club", from: "alice", to: club + ["rita"]),
        writes.message("hers", in: "club", from: "rita", to: club + ["rita"]),
        writes.message("theirs", in: "other", from: "carol", to: ["carol", "dave"]),
      ])
      try await emulator.commit([
        writes.write(
          "conversations", "club", ["members": .texts(club)], mask: ["members"], times: ["changedAt"])
      ])
      try await emulator.commit([
        writes.message("m1", in: "club", from: "alice", to: club),
        writes.message("m2", in: "club", from: "bob", to: club),
        writes.message("gone", in: "club", from: "bob", to: club),
        writes.mark("club", "alice", 5, to: club), writes.mark("club", "bob", 5, to: club),
      ])
      try await emulator.commit([
        writes.deletion("gone"), writes.reaction("m2", from: "alice", "🎉"),
        writes.reaction("m1", from: "alice"),
      ])
      try await prepareFields(writes)
    }

    private static func membersAreServed(_ writes: Writes) async throws {
      let emulator = writes.emulator
      func served(_ account: UserID, _ write: Data, _ name: String = "") async {
        await #expect(throws: Never.self, "\(account) writes \(name)") {
          try await emulator.commit([write], as: account)
        }
      }
      for (account, name, write) in allowed(writes) {
        await served(UserID(rawValue: account), write, name)
      }
      // What was changed after rita's removal names her no longer.
      #expect(try await list("messages", naming: "rita", emulator, as: "rita").map(\.id) == ["hers"])
      await served("carol", writes.conversation("new", ["carol", "alice"], title: "A title"))
      await served("alice", writes.message("n1", in: "club", from: "alice", to: club))
      await served("alice", writes.message("n2", in: "club", from: "alice/assistant/model", to: club))
      await served("alice", writes.edit("n1", "edited"))
      await served("bob", writes.reaction("n1", from: "bob"))
      await served("alice", writes.deletion("n1"))
      await served("bob", writes.mark("club", "bob", 6, to: club))
      #expect(try await list("messages", naming: "bob", emulator, as: "bob").count >= 4)
      let named = try await list("conversations", naming: "bob", emulator, as: "bob").map(\.id)
      #expect(Set(named).isSuperset(of: ["closed", "club", "removed"]) && !named.contains("other"))
    }

    private static func carryOut(_ attack: Attack, _ writes: Writes) async throws {
      let (emulator, account) = (writes.emulator, UserID(rawValue: attack.attacker))
      switch attack.deed {
      case .write(let write): try await emulator.commit([write(writes)], as: account)
      case .get(let collection, let id):
        _ = try await emulator.request("GET", "/v1/\(emulator.name(collection, id))", as: account)
      case .list(let collection, let naming, let conversation):
        _ = try await list(collection, naming: naming, conversation: conversation, emulator, as: account)
      }
    }

    private static func list(
      _ collection: String, naming: String? = nil, conversation: String? = nil, _ emulator: FirestoreEmulator,
      as account: UserID
    ) async throws -> [FirestoreDocument] {
      var query: [String: Any] = ["from": [["collectionId": collection]]]
      let filter =
        naming.map { ("members", "ARRAY_CONTAINS", $0) } ?? conversation.map { ("conversation", "EQUAL", $0) }
      if let (field, op, value) = filter {
        query["where"] = [
          "fieldFilter": ["field": ["fieldPath": field], "op": op, "value": ["stringValue": value]]
        ]
      }
      return try await emulator.query(query, as: account)
    }

    /// Every document, with the time of its last change.
    private static func everything(on emulator: FirestoreEmulator) async throws -> [String] {
      var all: [String] = []
      for collection in ["conversations", "messages", "readMarks"] {
        all += try await emulator.query(["from": [["collectionId": collection]]]).map {
          "\($0.id) \($0.updatedAt)"
        }
      }
      return all.sorted()
    }
  }
#endif
