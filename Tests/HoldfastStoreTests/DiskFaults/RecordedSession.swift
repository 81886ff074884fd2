import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// Every kind of intent, one after the other. The IDs and dates are the same in every run, so that runs with
/// different faults can be compared.
struct RecordedSession: Sendable {
  typealias Step = @Sendable (ChatClient, Notes) async throws -> Void

  /// Values that a step leaves for a later step.
  final class Notes: Sendable {
    private let ids = Mutexed<[String: MessageID]>([:])
    private let discarded = Mutexed<DiscardedDraft?>(nil)

    subscript(name: String) -> MessageID {
      get { ids.withLock { $0[name] } ?? "missing" }
      set { ids.withLock { $0[name] = newValue } }
    }

    func keep(_ draft: DiscardedDraft) { discarded.withLock { $0 = draft } }
    func draft() throws -> DiscardedDraft { try #require(discarded.withLock { $0 }) }
  }

  static let steps: [Step] = drafts + sending + changing + receiving + windows + deleting

  private static let second: ConversationID = "second"

  private static let drafts: [Step] = [
    { client, _ in
      client.drafts.edit("half a thought", in: eg.conversation)
      try client.hardSave()
    },
    { client, _ in
      client.drafts.edit("another thought altogether", in: eg.conversation)
      try client.hardSave()
    },
    { client, _ in
      let version = try #require(try client.drafts.versions(eg.key).first)
      try client.drafts.restoreVersion(version.id, eg.key)
    },
    { client, _ in _ = try client.conversation(eg.conversation).attach(Data("a file".utf8), name: "a.txt") },
    { client, notes in notes.keep(try client.drafts.discard(in: eg.conversation)) },
    { client, notes in
      var draft = try notes.draft()
      try client.drafts.restore(&draft, in: eg.conversation)
    },
    { client, notes in notes["with file"] = try client.conversation(eg.conversation).sendDraft() },
    { client, _ in
      client.drafts.edit(String(repeating: "long ", count: 20_000), in: eg.conversation)
      try client.hardSave()
    },
    { client, _ in _ = try client.drafts.discard(in: eg.conversation) },
  ]

  private static let sending: [Step] = [
    { client, notes in notes["one"] = try client.send("one", in: eg.conversation) },
    { client, notes in notes["two"] = try client.send("two", in: eg.conversation) },
    { client, _ in _ = try client.conversation(eg.conversation).sendOnce("three", id: "bot-1") },
    { client, notes in
      try client.store.writeUnsynced { try $0.outbox.countTransmission(of: notes["one"]) }
    },
    { client, notes in
      try client.store.write {
        try $0.messages.confirm(notes["one"], in: eg.conversation.key, order: 1, createdAt: eg.date)
      }
    },
    { client, notes in
      try client.store.write {
        try $0.outbox.fail(notes["two"], in: eg.conversation.key, reason: eg.rejection)
      }
    },
    { client, notes in try await client.message(notes["two"]).retry() },
    { client, notes in _ = try await client.message(notes["two"]).takeBack() },
    { client, notes in notes["four"] = try client.conversation(eg.conversation).sendDraft() },
    { client, _ in try await client.message("bot-1").cancel() },
  ]

  private static let changing: [Step] = [
    { client, notes in _ = try client.message(notes["four"]).edit(to: "vier") },
    { client, notes in notes["edit"] = try #require(try client.message(notes["one"]).edit(to: "eins")) },
    { client, notes in
      notes["reaction"] = try #require(try client.message(notes["one"]).react("👍"))
    },
    { client, notes in
      try client.store.write { transaction in
        let pending = try #require(try transaction.operations.pending(notes["edit"]))
        try transaction.operations.accept(pending, eg.receipt(notes["edit"], revision: 1), by: eg.user)
      }
    },
    { client, notes in _ = try client.message(notes["one"]).unreact("👍") },
    { client, notes in _ = try client.message(notes["one"]).delete() },
    { client, notes in
      _ = try client.drafts.beginEdit(notes["four"], in: eg.conversation.key, by: eg.user)
      let key = DraftKey(conversation: eg.conversation.key, slot: .edit)
      client.drafts.edit(key, DraftContent("vier und mehr"))
      try client.hardSave()
    },
  ]

  private static let receiving: [Step] = [
    { client, _ in
      try client.store.write { transaction in
        for number in 1...5 {
          _ = try transaction.messages.apply(
            eg.incoming(MessageID(rawValue: "theirs \(number)"), "hi \(number)", order: Int64(number + 10)),
            now: eg.date)
        }
      }
    },
    { client, _ in
      try client.store.write {
        _ = try $0.messages.apply(
          eg.incoming(
            "theirs 1", "hello", order: 11, revision: 2, editedAt: eg.date,
            reactions: [IncomingMessage.Reaction("🎉", from: eg.other)]), now: eg.date)
      }
    },
    { client, notes in
      notes["answer"] = try await client.conversation(eg.conversation).beginReply().id
      try await client.reply(notes["answer"]).append("Once upon a time", reasoning: "hm")
    },
    { client, notes in try await client.reply(notes["answer"]).finish() },
    { client, _ in try client.conversation(eg.conversation).setTitle("Alice and Bob") },
    { client, _ in try client.setActiveConversation(eg.conversation) },
    { client, _ in try client.createConversation(second, title: "Second", members: [eg.user, eg.other]) },
    { client, notes in notes["elsewhere"] = try client.send("elsewhere", in: second) },
    { client, _ in try await client.conversation(second).replaceID(with: "third") },
  ]

  private static let windows: [Step] = [
    { client, _ in
      let opened: OpenedScene<SceneExample.Route, SceneExample.Sheet> = client.reader.openScene(
        SceneExample.scene, version: 1, migrations: [])
      _ = client.scenes.change(
        SceneExample.scene, to: SceneContent(SceneExample.full), opening: opened.opening)
      try client.hardSave()
    },
    { client, _ in try await client.suspend() },
    { client, _ in try await client.resume() },
    { client, _ in try client.closeScene(SceneExample.scene) },
  ]

  private static let deleting: [Step] = [
    { client, _ in try await client.conversation("third").delete() },
    { client, _ in try await client.conversation("third").undoDeletion() },
    { client, _ in try client.resetWindowsAndDrafts() },
    { client, _ in
      let question = try client.deletionQuestion()
      try await client.deleteAllConversations(confirmedBy: question)
    },
    { client, _ in
      try client.createConversation("last", title: nil, members: [eg.user, eg.other])
      _ = try client.send("after all", in: "last")
    },
  ]
}
