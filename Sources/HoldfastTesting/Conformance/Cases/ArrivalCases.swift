import Foundation
import Holdfast

/// Incoming messages and changes (rule H11).
extension TransportConformance {
  static var arriving: [Case] {
    [
      Case("what is told twice is shown once", ["H11.1"], needs: [.server]) { stage in
        let (alice, bob, chat) = try await stage.pair()
        bob?.transport.repeatsEvents = true
        bob?.transport.forgetsPlace = true
        let ids = try alice.say(times: 5, in: chat)
        try await stage.sees(ids[4], in: chat, bob)
        bob?.transport.cut()
        try await stage.sees(try alice.say(in: chat), in: chat, bob)
      },
      Case("every phone has the server's order", ["H11.2", "O4.1"], needs: [.server]) { stage in
        let (alice, bob, chat) = try await stage.pair()
        guard let bob else { return }
        try await stage.sees(try alice.say(in: chat), in: chat, bob)
        for _ in 0..<10 {
          try alice.say(in: chat)
          try bob.say(in: stage.present(chat), noted: chat)
        }
      },
      Case(
        "messages that were written at the same time offline stand alike on every phone", ["H11.2"],
        needs: [.server]
      ) {
        stage in
        let (alice, bob, chat) = try await stage.pair()
        guard let bob else { return }
        try await stage.sees(try alice.say(in: chat), in: chat, bob)
        try await stage.offline(alice)
        try await stage.offline(bob)
        for _ in 0..<5 {
          try alice.say(in: chat)
          try bob.say(in: stage.present(chat), noted: chat)
        }
        try await stage.online(bob)
        try await stage.delivered(on: bob)
      },
      Case("a second phone of an account is told everything", ["H11.1", "H11.2"], needs: [.server]) { stage in
        let (alice, bob, chat) = try await stage.pair()
        let ids = try alice.say(times: 10, in: chat)
        try await stage.sees(ids[9], in: chat, bob)
        let second = try await stage.phone("alice-2", of: alice.user)
        try await stage.sees(ids[9], in: chat, second)
        try second.say(in: stage.present(chat), noted: chat)
      },
      Case(
        "an answer that was given again arrives whole, with what belongs to it", ["L10.6"],
        needs: [.server, .operation(.edit)]
      ) { stage in
        let (alice, bob, chat) = try await stage.pair()
        let id = try await alice.answer(in: chat)
        try await stage.delivered(on: alice)
        try await stage.sees(id, in: chat, bob)
        let again = try await alice.answerAgain(id)
        try await stage.delivered(on: alice)
        for phone in [alice, bob].compactMap(\.self) {
          try await stage.row(id, in: chat, on: phone, is: "what was answered again") { $0.content == again }
        }
      },
      Case("what has arrived is read offline, after a launch", ["H11.3"], needs: [.server]) { stage in
        let (alice, bob, chat) = try await stage.pair()
        guard let bob else { return }
        let ids = try alice.say(times: 120, in: chat)
        try await stage.delivered(on: alice)
        try await stage.sees(ids[119], in: chat, bob)
        bob.path.set(isUp: false)
        try await bob.relaunch()
        let shown = try bob.rows(of: stage.present(chat)).map(\.id)
        try require(shown == ids, "All \(ids.count) messages are read offline (\(shown.count) are).")
      },
      Case(
        "what was said while a phone was away comes later, in order", ["H11.2", "O11.2"], needs: [.server]
      ) {
        stage in
        let (alice, bob, chat) = try await stage.pair()
        guard let bob else { return }
        try await stage.sees(try alice.say(in: chat), in: chat, bob)
        await bob.kill()
        try alice.say(times: 30, in: chat)
        try await stage.delivered(on: alice)
        try bob.launch()
      },
    ]
  }
}
