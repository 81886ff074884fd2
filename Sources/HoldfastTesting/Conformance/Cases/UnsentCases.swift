import Foundation
import Holdfast

/// The user's acts on an unsent message (rules O9, O13, O14).
extension TransportConformance {
  static var unsent: [Case] {
    [
      Case("a cancelled message never leaves", ["O9.2"], needs: [.server]) { stage in
        let (alice, _, chat) = try await stage.pair()
        try await stage.offline(alice)
        let ids = try alice.say(times: 3, in: chat)
        try await alice.client.message(ids[1]).cancel()
        alice.ledger.withdrawn(ids[1])
        try require(try alice.rows(of: chat).map(\.id) == [ids[0], ids[2]], "A cancelled message is gone.")
        try await stage.online(alice)
        try await stage.delivered(on: alice)
        let left = alice.transport.transmissions.contains { $0.message == ids[1] }
        try require(!left, "A cancelled message is not handed to the transport.")
      },
      Case("a queued message goes back to the composer", ["O9.3"], needs: [.server]) { stage in
        let (alice, _, chat) = try await stage.pair()
        try await stage.offline(alice)
        let id = try alice.say(in: chat)
        try await alice.client.message(id).takeBack()
        alice.ledger.withdrawn(id)
        try require(try alice.draft(in: chat) == stage.ledger.text(of: id), "The text is in the composer.")
        try alice.say(in: chat)
      },
      Case("a queued message says why it waits", ["O9.1", "O9.4"], needs: [.server]) { stage in
        let (alice, _, chat) = try await stage.pair()
        try await stage.offline(alice)
        let explanation = try alice.client.message(try alice.say(in: chat)).explain()
        try require(explanation.code == .offline, "A message that waits offline says so.")
      },
      Case("a cancel that comes too late says so", ["O9.5"]) { stage in
        let (alice, bob, chat) = try await stage.pair()
        let id = try alice.say(in: chat)
        try await stage.delivered(on: alice)
        try await refuses(.tooLate) { try await alice.client.message(id).cancel() }
        try await stage.sees(id, in: chat, bob)
      },
      Case("a queued message is edited in place", ["O14.1"], needs: [.server]) { stage in
        let (alice, bob, chat) = try await stage.pair()
        try await stage.offline(alice)
        let ids = try alice.say(times: 3, in: chat)
        try alice.edit(ids[1])
        try await alice.relaunch()
        try await stage.online(alice)
        try await stage.delivered(on: alice)
        try await stage.sees(ids[1], in: chat, bob)
        let shown = try bob?.rows(of: stage.present(chat)).first { $0.id == ids[1] }
        try require(
          shown?.editedAt == nil, "A message that was edited before it left is not marked as edited.")
      },
      Case(
        "an edit of an unconfirmed message leaves behind it", ["O14.2"], needs: [.server, .operation(.edit)]
      ) { stage in
        let (alice, chat, id) = try await unconfirmed(on: stage)
        try alice.edit(id)
        try alice.say(in: chat)
      },
      Case(
        "a deletion of an unconfirmed message leaves behind it", ["O14.3"],
        needs: [.server, .operation(.delete)]
      ) { stage in
        let (alice, chat, id) = try await unconfirmed(on: stage)
        try alice.delete(id)
        try alice.say(in: chat)
      },
      Case(
        "a reaction to an unconfirmed message leaves behind it", ["O14.4"],
        needs: [.server, .operation(.react)]
      ) { stage in
        let (alice, chat, id) = try await unconfirmed(on: stage)
        try alice.react("👍", to: id)
        try alice.say(in: chat)
      },
      Case(
        "a file leaves before its message, and the messages behind it wait", ["O13.1", "O13.2", "O13.4"],
        needs: [.server, .attachments]
      ) { stage in
        let (alice, _, chat) = try await stage.pair()
        try await stage.offline(alice)
        try alice.say(in: chat)
        let file = try alice.sendFile(ConformanceFile.large, in: chat)
        let behind = try alice.say(in: chat)
        alice.transport.holdsUploads = true
        alice.path.set(isUp: true)
        try await stage.row(file, in: chat, on: alice, is: "on its way") { row in
          row.attachments.contains { $0.state == .uploading && ($0.fraction ?? 0) > 0 }
        }
        let left = Set(alice.transport.transmissions.map(\.message))
        try require(left.isDisjoint(with: [file, behind]), "Nothing overtakes a file that is on its way.")
        alice.transport.holdsUploads = false
      },
      Case("the same file twice arrives with both messages", ["O13.1"], needs: [.attachments]) { stage in
        let (alice, _, chat) = try await stage.pair()
        try alice.sendFile(ConformanceFile.small, in: chat)
        try alice.sendFile(ConformanceFile.small, in: chat)
      },
    ]
  }

  /// A message that was transmitted once, with an unknown outcome on the phone. The phone is offline.
  private static func unconfirmed(
    on stage: ConformanceStage
  ) async throws -> (alice: ConformancePhone, chat: ConversationID, message: MessageID) {
    let (alice, _, chat) = try await stage.pair()
    try await stage.online(alice)
    alice.transport.lose(.afterItLeft, at: .message) { alice.path.set(isUp: false) }
    let id = try alice.say(in: chat)
    try await stage.struck(on: alice)
    try await stage.offline(alice)
    return (alice, chat, id)
  }
}
