import Foundation
import Holdfast

/// Conversations that get another ID, and conversations that are removed (rules D15, R5).
extension TransportConformance {
  static var places: [Case] {
    [
      Case("a conversation keeps everything under the ID that the app gives it", ["D15.1", "D15.2", "D15.3"])
      {
        stage in
        let (alice, _, chat) = try await stage.pair()
        try await stage.offline(alice)
        try alice.say(times: 3, in: chat)
        try alice.client.drafts.edit("half a text", in: chat)
        try alice.client.drafts.save(in: chat)
        let new = ConversationID(rawValue: "chat-\(stage.environment.makeID())")
        try await alice.client.conversation(chat).replaceID(with: new)
        try await alice.relaunch()
        try alice.say(in: chat)
        try require(try alice.draft(in: new) == "half a text", "The draft follows the conversation.")
        try require(try alice.rows(of: new).count == 4, "The timeline follows the conversation.")
        try await stage.online(alice)
        try await stage.delivered(on: alice)
        // A server that assigns conversation IDs has given it another one by now.
        let store = try alice.client.store
        try require(store.key(of: new) == store.key(of: chat), "Both IDs mean the same conversation.")
        if !stage.hasServer { try require(stage.present(chat) == new, "The conversation has the new ID.") }
      },
      Case(
        "a conversation keeps everything when the server gives it an ID",
        ["D15.1", "D15.2", "D15.3", "B5.1"],
        needs: [.fault(.renamedConversation)]
      ) { stage in
        let (alice, bob, chat) = try await stage.pair()
        try await stage.sees(try alice.say(in: chat), in: chat, bob)
        try alice.client.drafts.edit("half a text", in: chat)
        try alice.client.drafts.save(in: chat)
        let old = stage.present(chat)
        let new = ConversationID(rawValue: "chat-\(stage.environment.makeID())")
        try await stage.backend.make(.renamedConversation(old, to: new))
        try await stage.until("the server's ID", on: alice) {
          $0.store.names.name(of: $0.store.key(of: old)) == old ? nil : true
        }
        try alice.say(in: chat)
        try require(try alice.draft(in: stage.present(chat)) == "half a text", "The draft follows.")
      },
      Case("a conversation that was deleted here is not found, and does not come back", ["R5.1"]) { stage in
        let (alice, bob, chat) = try await stage.pair()
        let id = try alice.say(in: chat)
        try await stage.delivered(on: alice)
        try await stage.sees(id, in: chat, bob)
        PlainScene(try alice.client, "window").open(chat)
        try alice.client.hardSave()
        try await alice.client.conversation(chat).delete()
        try await alice.relaunch()
        let window = PlainScene(try alice.client, "window")
        try require(window.notice?.kind == .conversationNotFound, "The window says that it was not found.")
        try require(window.conversation == nil, "The window shows the list.")
        try await stage.online(alice)
        try await stage.pass(.seconds(1))
        let rows = try alice.client.reader.list(limit: 10).rows
        try require(!rows.contains { $0.id == chat }, "The server's events do not bring it back.")
        if stage.hasServer { stage.ledger.left(chat, by: alice.user) } else { stage.ledger.removed(chat) }
      },
      Case(
        "a conversation that the server has removed is not found", ["R5.1", "B5.2"],
        needs: [.fault(.removedConversation)]
      ) { stage in
        let (alice, bob, chat) = try await stage.pair()
        try await stage.sees(try alice.say(in: chat), in: chat, bob)
        // A message without an acknowledgement could still be one that only this phone has.
        try await stage.delivered(on: alice)
        try await announced(of: chat, alice, by: bob, on: stage)
        PlainScene(try alice.client, "window").open(chat)
        try alice.client.hardSave()
        let present = stage.present(chat)
        await alice.kill()
        try await stage.backend.make(.removedConversation(present))
        stage.ledger.removed(chat)
        try alice.launch()
        try await stage.until("that the conversation is gone", on: alice) {
          try $0.reader.conversation(chat, limit: 1).exists ? nil : true
        }
        try await alice.relaunch()
        let window = PlainScene(try alice.client, "window")
        try require(window.notice?.kind == .conversationNotFound, "The window says that it was not found.")
      },
      Case(
        "what its user has written and not sent stays when the server removes a conversation",
        ["R5.1", "B5.2", "D1"], needs: [.fault(.removedConversation)]
      ) { stage in
        let (alice, bob, chat) = try await stage.pair()
        try await stage.sees(try alice.say(in: chat), in: chat, bob)
        try await stage.delivered(on: alice)
        try await announced(of: chat, alice, by: bob, on: stage)
        try await stage.offline(alice)
        let waiting = try alice.say(in: chat)
        try alice.client.drafts.edit("half a text", in: chat)
        try alice.client.drafts.save(in: chat)
        try await stage.backend.make(.removedConversation(stage.present(chat)))
        stage.ledger.removed(chat)
        try await stage.online(alice)
        let refusal = try await stage.until("that the conversation takes nothing", on: alice) {
          try $0.reader.conversation(chat, limit: 1).refusal
        }
        try require(refusal.code == .conversationRefused, "The user gets the reason.")
        // The message may be refused before the removal is announced.
        try await stage.until("that what was sent is gone", on: alice) {
          try $0.reader.conversation(chat, limit: ConformanceStage.limit).rows.count == 1 ? true : nil
        }
        try await alice.relaunch()
        try require(
          try alice.rows(of: chat).map(\.id) == [waiting], "The unsent message stays, and no other.")
        try require(try alice.draft(in: chat) == "half a text", "The draft stays.")
        // Its user deletes it, and nothing waits afterwards.
        try await alice.client.conversation(chat).delete()
      },
    ]
  }

  /// Waits until the server has announced to a phone the conversation that it created. A server without replay
  /// announces no removal of any other one.
  private static func announced(
    of chat: ConversationID, _ creator: ConformancePhone, by bob: ConformancePhone?,
    on stage: ConformanceStage
  ) async throws {
    guard let bob else { return }
    try await stage.sees(try bob.say(in: stage.present(chat), noted: chat), in: chat, creator)
  }
}
