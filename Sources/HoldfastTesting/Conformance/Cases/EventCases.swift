import Foundation
import Holdfast
import HoldfastTransport

/// The server's own names, changes that arrive as events, and a server without numbers (rules B1 to B3). A server
/// that sends states, or numbers, passes the same cases.
extension TransportConformance {
  static var events: [Case] {
    [
      Case(
        "the server's names are kept and given back", ["B1.1", "B1.2"],
        needs: [.server, .operation(.edit)]
      ) { stage in
        let (alice, bob, chat) = try await stage.pair()
        let id = try alice.say(in: chat)
        try await stage.delivered(on: alice)
        try await stage.sees(id, in: chat, bob)
        guard let name = bob?.transport.name(of: id) else {
          throw ConformanceSkip("The server has no names of its own.")
        }
        try await stage.until("the server's name", on: alice) { _ in
          alice.transport.name(of: id) == name ? true : nil
        }
        try await alice.relaunch()
        try alice.edit(id)
        try await stage.delivered(on: alice)
        try require(
          alice.transport.transmissions.last?.serverIDs.target == name,
          "An edit of a message carries the server's name of it.")
      },
      Case(
        "a change that comes before its message is not lost", ["B2.1"],
        needs: [.server, .operation(.edit)]
      ) { stage in
        let (alice, bob, chat) = try await stage.pair()
        guard let bob else { return }
        try await stage.sees(try alice.say(in: chat), in: chat, bob)
        try await stage.offline(alice)
        let id = try alice.say(in: chat)
        bob.transport.swapEvents(about: id)
        try await stage.online(alice)
        try await stage.delivered(on: alice)
        try alice.edit(id)
        try await stage.delivered(on: alice)
        try await stage.struck(on: bob)
      },
      Case(
        "a reaction that comes after it was taken back stays away", ["B2.1"],
        needs: [.server, .operation(.react), .operation(.unreact)]
      ) { stage in
        let (alice, bob, chat) = try await stage.pair()
        guard let bob else { return }
        let id = try alice.say(in: chat)
        try await stage.delivered(on: alice)
        try await stage.sees(id, in: chat, bob)
        bob.transport.swapEvents(about: id)
        try alice.react("👍", to: id)
        try await stage.delivered(on: alice)
        try alice.unreact("👍", to: id)
        try await stage.delivered(on: alice)
        try await stage.struck(on: bob)
      },
      Case("only its sender's edit changes a message", ["B2.2"], needs: [.server, .operation(.edit)]) {
        stage in
        let (alice, bob, chat) = try await stage.pair()
        guard let bob else { return }
        let id = try alice.say(in: chat)
        try await stage.delivered(on: alice)
        try await stage.sees(id, in: chat, bob)
        let forged = IncomingOperation(
          MessageOperation(.edit, of: id), MessageContent("forged"), in: stage.present(chat), by: bob.user,
          at: stage.environment.now() + 3_600, serverID: "forged-\(stage.environment.makeID())")
        bob.transport.inject([.operation(forged)])
        try await stage.sees(try alice.say(in: chat), in: chat, bob)
      },
      Case(
        "two edits at the same time end alike on every phone", ["B2.3"],
        needs: [.server, .operation(.edit)]
      ) { stage in
        let (alice, bob, chat) = try await stage.pair()
        let id = try alice.say(in: chat)
        try await stage.delivered(on: alice)
        let second = try await stage.phone("alice-2", of: alice.user)
        for phone in [second, bob] { try await stage.sees(id, in: chat, phone) }
        for phone in [alice, second] {
          try await stage.offline(phone)
          try phone.edit(id)
        }
        for phone in [second, alice] { try await stage.online(phone) }
        for phone in [second, alice] { try await stage.delivered(on: phone) }
        // Either edit may be the newest one on the server.
        let text = try await stage.record(of: chat).first { $0.id == id }?.text ?? ""
        try require(stage.ledger[chat]?.entries[0].texts.contains(text) == true, "The server has an edit.")
        stage.ledger.edited(id, to: text)
      },
      Case(
        "a message that is confirmed before its event stands where the server has it", ["B3.1", "B3.2"],
        needs: [.server]
      ) { stage in
        let (alice, bob, chat) = try await stage.pair()
        guard let bob else { return }
        try await stage.sees(try alice.say(in: chat), in: chat, bob)
        alice.transport.withholdsItems = true
        try alice.say(times: 2, in: chat)
        try await stage.delivered(on: alice)
        for _ in 0..<2 { try bob.say(in: stage.present(chat), noted: chat) }
        try await stage.delivered(on: bob)
        try alice.say(in: chat)
        try await stage.delivered(on: alice)
        alice.transport.withholdsItems = false
      },
    ]
  }
}
