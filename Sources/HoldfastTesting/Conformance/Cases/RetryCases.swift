import Foundation
import Holdfast

/// Refusals, waits and attempts (rules O7, O8).
extension TransportConformance {
  static var retrying: [Case] {
    [
      Case(
        "a message that is refused for good fails at once, and the others go", ["O7.9", "O8.3"],
        needs: [.fault(.rejections)]
      ) { stage in
        let (alice, bob, chat) = try await stage.pair()
        try await stage.sees(try alice.say(in: chat), in: chat, bob)
        try await stage.backend.make(.rejections(1))
        let refused = try alice.say(in: chat)
        alice.ledger.withdrawn(refused)
        let row = try await stage.row(refused, in: chat, on: alice, is: "as failed") { $0.failure != nil }
        try require(row.failure?.code == .rejected, "A refusal for good has the code rejected.")
        try require(row.failure?.explanation.isEmpty == false, "A refusal for good says why.")
        let attempts = alice.transport.transmissions.count { $0.message == refused }
        try require(
          attempts == 1, "A message that is refused for good leaves once (it left \(attempts) times).")
        try await stage.sees(try alice.say(in: chat), in: chat, bob)
        try await alice.client.message(refused).cancel()
      },
      Case(
        "a message that is refused and sent again by its user arrives once", ["O7.9", "O8.2"],
        needs: [.fault(.rejections)]
      ) { stage in
        let (alice, bob, chat) = try await stage.pair()
        try await stage.sees(try alice.say(in: chat), in: chat, bob)
        try await stage.backend.make(.rejections(1))
        let refused = try alice.say(in: chat)
        try await stage.row(refused, in: chat, on: alice, is: "as failed") { $0.failure != nil }
        try await alice.relaunch()
        try await alice.client.message(refused).retry()
      },
      Case(
        "a fault of one message costs an attempt, and no order", ["O7.1", "O7.4", "O4.3"],
        needs: [.fault(.transientRefusals)]
      ) { stage in
        let (alice, bob, chat) = try await stage.pair()
        try await stage.sees(try alice.say(in: chat), in: chat, bob)
        try await stage.backend.make(.transientRefusals(2))
        let ids = try alice.say(times: 3, in: chat)
        try await stage.delivered(on: alice)
        let attempts = alice.transport.transmissions.filter { $0.message == ids[0] }
        try require(
          attempts.count == 3, "A message that fails twice leaves three times, not \(attempts.count).")
        try require(
          Set(attempts.map(\.connection)).count == 1, "A fault of one message leaves the connection as it is."
        )
      },
      Case(
        "a message that fails four times stops, with its text", ["O7.1", "O8.1"],
        needs: [.fault(.transientRefusals)]
      ) { stage in
        let (alice, bob, chat) = try await stage.pair()
        try await stage.sees(try alice.say(in: chat), in: chat, bob)
        try await stage.backend.make(.transientRefusals(4))
        let stopped = try alice.say(in: chat)
        let row = try await stage.row(stopped, in: chat, on: alice, is: "as failed") { $0.failure != nil }
        try require(row.failure?.code == .attemptsSpent, "A message that failed too often says so.")
        try await alice.relaunch()
        let text = try alice.rows(of: chat).first { $0.id == stopped }?.text
        try require(
          text == stage.ledger.text(of: stopped), "A failed message keeps its text across a launch.")
        try await alice.client.message(stopped).retry()
      },
      Case("a server that asks for patience gets it", ["O7.8"], needs: [.fault(.busy)]) { stage in
        let (alice, bob, chat) = try await stage.pair()
        try await stage.sees(try alice.say(in: chat), in: chat, bob)
        let before = stage.environment.uptime()
        try await stage.backend.make(.busy(.seconds(2)))
        let id = try alice.say(in: chat)
        try await stage.delivered(on: alice)
        let times = alice.transport.transmissions.filter { $0.message == id }.map { $0.at - before }
        try require(times.count == 2, "The message leaves again once (it left \(times.count) times).")
        // The server's clock and the phone's may be read a moment apart.
        try require(times[1] > .milliseconds(1900), "The message waits as long as the server asked.")
      },
      Case("a server that is down costs no message an attempt", ["O7.5"], needs: [.fault(.kill)]) { stage in
        let (alice, bob, chat) = try await stage.pair()
        try await stage.sees(try alice.say(in: chat), in: chat, bob)
        try await stage.killServer()
        let id = try alice.say(in: chat)
        try await stage.row(id, in: chat, on: alice, is: "as waiting for the server") {
          $0.status.connectionFailure != nil
        }
        try await stage.pass(.seconds(2))
        let row = try alice.rows(of: chat).first { $0.id == id }
        try require(row?.status.attempts == 0, "A server that is down costs no attempt.")
        try require(row?.status.state == .queued, "A server that is down fails no message.")
        try await stage.startServer()
      },
      Case("a tap ends the wait for the server", ["O7.3"], needs: [.fault(.kill)]) { stage in
        let alice = try await stage.phone("alice") { $0.retry.reconnectDelay = .seconds(1_000) }
        let bob = try await stage.phone("bob")
        let chat = try stage.chat(of: alice, with: [bob.user])
        try await stage.online(alice)
        try await stage.killServer()
        let id = try alice.say(in: chat)
        try await stage.row(id, in: chat, on: alice, is: "as waiting for the server") {
          $0.status.connectionFailure != nil
        }
        try await stage.startServer()
        await (try alice.client).reconnectNow()
        try await stage.delivered(on: alice)
      },
      Case(
        "expired credentials pause the outbox, and lose nothing", ["O7.10"],
        needs: [.fault(.expiredCredentials)]
      ) { stage in
        let (alice, bob, chat) = try await stage.pair()
        try await stage.sees(try alice.say(in: chat), in: chat, bob)
        try await stage.backend.make(.expiredCredentials(alice.user))
        alice.transport.cut()
        let id = try alice.say(in: chat)
        try await stage.row(id, in: chat, on: alice, is: "as signed out") { $0.status.code == .signedOut }
        let attempts = try alice.rows(of: chat).first { $0.id == id }?.status.attempts
        try require(attempts == 0, "Expired credentials cost no attempt.")
        try await stage.backend.behave()
        await (try alice.client).reconnectNow()
        try await stage.delivered(on: alice)
      },
      Case(
        "credentials expire while a file waits, and the message goes once they are renewed",
        ["O7.10", "O13.1"], needs: [.fault(.expiredCredentials), .attachments]
      ) { stage in
        let (alice, bob, chat) = try await stage.pair()
        try await stage.sees(try alice.say(in: chat), in: chat, bob)
        try await stage.backend.make(.expiredCredentials(alice.user))
        // The connection is blocked. If files have requests of their own, the server refuses that request.
        let first = try alice.sendFile(ConformanceFile.small, in: chat)
        let row = try await stage.row(first, in: chat, on: alice, is: "as sent, signed out or failed") {
          !$0.status.isUnsent || $0.status.code == .signedOut || $0.failure != nil
        }
        try require(row.failure == nil, "A file that needs new credentials waits for them.")
        alice.transport.cut()
        let second = try alice.sendFile(ConformanceFile.large, in: chat)
        try await stage.row(second, in: chat, on: alice, is: "as signed out") { $0.status.code == .signedOut }
        try await stage.backend.behave()
        await (try alice.client).reconnectNow()
        try await stage.delivered(on: alice)
      },
      Case(
        "credentials expire before a file is fetched, and it comes once they are renewed",
        ["O7.10", "O13"], needs: [.fault(.expiredCredentials), .attachments]
      ) { stage in
        let (alice, bob, chat) = try await stage.pair()
        guard let bob else { return }
        try await stage.sees(try alice.say(in: chat), in: chat, bob)
        try await stage.backend.make(.expiredCredentials(bob.user))
        let file = try alice.sendFile(ConformanceFile.small, in: chat)
        try await stage.delivered(on: alice)
        try await stage.until("the file, or that it is signed out", on: bob) { client in
          let rows = try bob.rows(of: stage.present(chat))
          let isHere = rows.contains { $0.id == file && $0.attachments.allSatisfy { $0.file != nil } }
          return isHere || client.needsCredentials ? true : nil
        }
        try await stage.backend.behave()
        await (try bob.client).reconnectNow()
        try await stage.row(file, in: chat, on: bob, is: "with its file") {
          $0.attachments.allSatisfy { $0.file != nil }
        }
      },
      Case("the longest text arrives whole, and a longer one is refused", ["O7.11"], needs: [.longestText]) {
        stage in
        let (alice, _, chat) = try await stage.pair()
        let most = stage.capabilities.maximumMessageBytes ?? 0
        // Two bytes each, so that a limit that counts characters is noticed.
        let longest = String(repeating: "é", count: most / 2)
        try alice.say(longest, in: chat)
        try refuses(.messageTooLong) { try alice.say(longest + "éé", in: chat) }
        try require(try alice.rows(of: chat).count == 1, "A refused message is not stored.")
      },
    ]
  }
}

extension MessageRow {
  /// The reason why the message has failed. Nil when it has not.
  package var failure: FailureReason? { status.failed }
}

extension MessageStatus {
  /// The reason why the operation has failed. Nil when it has not.
  package var failed: FailureReason? { state == .failed ? failure : nil }
}
