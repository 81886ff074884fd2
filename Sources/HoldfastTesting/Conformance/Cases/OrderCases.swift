import Foundation
import Holdfast

/// The order, and the handling of a queue (rules O4, O5, O10 to O12).
extension TransportConformance {
  static var order: [Case] {
    [
      Case("messages arrive in the order in which they were sent", ["O4.1", "O5.1"]) { stage in
        let (alice, _, chat) = try await stage.pair()
        try await stage.offline(alice)
        try alice.say(times: 20, in: chat)
      },
      Case("the order holds across a kill and a launch", ["O4.2", "O11.1", "O11.2"]) { stage in
        let (alice, _, chat) = try await stage.pair()
        try await stage.offline(alice)
        try alice.say(times: 5, in: chat)
        try await alice.relaunch()
        try alice.say(times: 5, in: chat)
      },
      Case("the order holds when the connection is lost inside a queue", ["O4.3", "O5.5"], needs: [.server]) {
        stage in
        let (alice, _, chat) = try await stage.pair()
        try await stage.offline(alice)
        for passing in [2, 3] { alice.transport.lose(.afterItLeft, at: .message, passing: passing) }
        alice.transport.lose(.withItsAnswer, at: .message)
        try alice.say(times: 12, in: chat)
        alice.path.set(isUp: true)
        try await stage.struck(3, on: alice)
      },
      Case("a long queue drains in order", ["O4.1", "O5.1", "O12.3"]) { stage in
        let (alice, _, chat) = try await stage.pair()
        try await stage.offline(alice)
        try alice.say(times: 300, in: chat)
      },
      Case(
        "a refused conversation does not block another one", ["O4.4", "O8.6"],
        needs: [.fault(.refusedConversations)]
      ) { stage in
        let (alice, bob, refused) = try await stage.pair()
        let other = try stage.chat(of: alice, with: [bob].compactMap { $0?.user })
        try await stage.sees(try alice.say(in: refused), in: refused, bob)
        try await stage.backend.make(.refusedConversations(1))
        let stopped = try alice.say(times: 3, in: refused)
        try await stage.until("that the conversation is refused", on: alice) {
          try $0.reader.conversation(refused, limit: 1).refusal
        }
        try await stage.sees(try alice.say(in: other), in: other, bob)
        try require(
          try alice.rows(of: refused).filter { stopped.contains($0.id) }.allSatisfy {
            $0.status.state == .queued
          }, "Messages of a refused conversation wait as queued.")
        try await alice.client.conversation(refused).retry()
      },
      Case(
        "a file on its way does not block another conversation", ["O4.4", "O13.1"],
        needs: [.server, .attachments]
      ) { stage in
        let (alice, bob, files) = try await stage.pair()
        let other = try stage.chat(of: alice, with: [bob].compactMap { $0?.user })
        try await stage.sees(try alice.say(in: other), in: other, bob)
        alice.transport.holdsUploads = true
        let file = try alice.sendFile(ConformanceFile.large, in: files)
        try await stage.row(file, in: files, on: alice, is: "on its way") { row in
          row.attachments.contains { $0.state == .uploading && ($0.fraction ?? 0) > 0 }
        }
        try await stage.sees(try alice.say(in: other), in: other, bob)
        alice.transport.holdsUploads = false
      },
      Case("a network that flaps drains the queue once", ["O10.1"], needs: [.server]) { stage in
        let (alice, _, chat) = try await stage.pair()
        try await stage.offline(alice)
        try alice.say(times: 30, in: chat)
        for flap in 0..<8 {
          alice.path.set(isUp: flap.isMultiple(of: 2))
          try await stage.pass(.milliseconds(130))
        }
      },
      Case("a flicker of the network is ignored", ["O10.2"], needs: [.server]) { stage in
        let (alice, _, chat) = try await stage.pair()
        try await stage.online(alice)
        let connections = alice.transport.connections
        for isUp in [false, true, false, true] { alice.path.set(isUp: isUp) }
        try alice.say(in: chat)
        try await stage.delivered(on: alice)
        try require(
          alice.transport.connections == connections, "A flicker leaves the connection as it is.")
      },
      Case("a full outbox refuses a message before it is stored", ["O12.1"], needs: [.server]) { stage in
        let alice = try await stage.phone("alice") { $0.outbox.perConversation = 3 }
        let bob = try await stage.phone("bob")
        let chat = try stage.chat(of: alice, with: [bob.user])
        try await stage.offline(alice)
        try alice.say(times: 3, in: chat)
        try refuses(.outboxFull) { try alice.say(in: chat) }
        try require(try alice.rows(of: chat).count == 3, "A refused message is not stored.")
        try await stage.online(alice)
        try await stage.delivered(on: alice)
        try alice.say(in: chat)
      },
    ]
  }
}
