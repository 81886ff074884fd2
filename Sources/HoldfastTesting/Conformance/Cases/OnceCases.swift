import Foundation
import Holdfast
import HoldfastTransport
import Synchronization

/// Exactly once, by the server's record (rule O6).
extension TransportConformance {
  static var once: [Case] {
    [
      Case(
        "a message that is sent again under its ID exists once", ["O6.1", "O6.2", "O6.5"],
        needs: [.server, .lastingIDs]
      ) { stage in
        let (message, transport, chat) = try await outgoing(on: stage)
        for transmission in 1...3 {
          try await connect(over: transport, on: stage, "An answer to hand-over \(transmission)") {
            try await $0.deliver(message(Int64(transmission)))
          }
          if transmission == 2, stage.backend.faults.contains(.kill) {
            try await stage.killServer()
            try await stage.startServer()
          }
        }
        let copies = try await stage.backend.record(of: chat).count
        try require(copies == 1, "The server has one copy of three (it has \(copies)).")
      },
      Case("the message in the server's events settles it without a receipt", ["O6.4"], needs: [.server]) {
        stage in
        let (alice, _, chat) = try await stage.pair()
        alice.transport.withholdsReceipts = true
        try alice.say(times: 3, in: chat)
        try await stage.delivered(on: alice)
      },
      Case("an answer about the outcome of a message is right", ["O6.6", "O6.7"], needs: [.server]) { stage in
        let (message, transport, chat) = try await outgoing(on: stage)
        let (sent, never) = (message(1), MessageID(rawValue: stage.environment.makeID()))
        try await connect(over: transport, on: stage, "An answer to the message") {
          try await $0.deliver(sent)
        }
        let found = Mutex<[MessageID: OutgoingMessage.DeliveryOutcome]>([:])
        try await connect(over: transport, on: stage, "An answer about two messages") { connection in
          let outcomes = try await connection.outcomes(of: [sent.id, never], in: chat)
          found.withLock { $0 = outcomes }
        }
        let (known, unknown) = found.withLock { ($0[sent.id] ?? .unknown, $0[never] ?? .unknown) }
        try require(known != .absent, "A message that the server has is not called absent.")
        if case .accepted = unknown {
          throw ConformanceFailure("A message that the server does not have is called accepted.")
        }
        if known == .unknown, unknown == .unknown {
          throw ConformanceSkip("The transport looks up nothing.")
        }
      },
      Case(
        "a confirmed message survives a kill of the server", ["O6.3", "O11.3"], needs: [.fault(.kill)]
      ) { stage in
        let (alice, bob, chat) = try await stage.pair()
        try alice.say(times: 5, in: chat)
        try await stage.delivered(on: alice)
        try await stage.killServer()
        try alice.say(times: 5, in: chat)
        try await stage.startServer()
        // A second phone of bob's requests everything from the beginning.
        _ = try await stage.phone("bob-2", of: bob?.user)
      },
      Case(
        "answers that the server loses are made good", ["O6.2"], needs: [.fault(.lostAnswers)]
      ) { stage in
        let (alice, _, chat) = try await stage.pair()
        try await stage.online(alice)
        try await stage.backend.make(.lostAnswers(2))
        try alice.say(times: 5, in: chat)
        try await stage.delivered(on: alice)
      },
    ]
  }

  /// A message for a transport without a client. Its ID is the same in each transmission.
  private static func outgoing(
    on stage: ConformanceStage
  ) async throws -> (@Sendable (Int64) -> OutgoingMessage, any Transport, ConversationID) {
    let (alice, bob) = (try await stage.account("alice"), try await stage.account("bob"))
    let chat = ConversationID(rawValue: "chat-\(stage.environment.makeID())")
    let (id, date) = (MessageID(rawValue: stage.environment.makeID()), stage.environment.now())
    return (
      { transmission in
        OutgoingMessage(
          id: id, conversation: chat, members: [alice, bob], content: MessageContent("alice 1"),
          createdAt: date, transmission: transmission)
      }, try stage.backend.transport(for: alice), chat
    )
  }

  /// Makes one connection without a client, and calls `body` once the server answers.
  ///
  /// - Parameter what: what `body` waits for.
  private static func connect(
    over transport: any Transport, on stage: ConformanceStage, _ what: String,
    _ body: @escaping @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    let (environment, patience) = (stage.environment, stage.patience)
    try await environment.value(until: environment.uptime() + patience) {
      throw ConformanceFailure("\(what) did not come in time.")
    } of: {
      try await transport.withConnection(of: "conformance", resumingAfter: nil) { connection in
        while try await connection.receive() != .ready {}
        try await body(connection)
      }
    }
  }
}

extension TransportConnection {
  /// Sends a message, and waits for its acknowledgement.
  fileprivate func deliver(_ message: OutgoingMessage) async throws {
    try await send([message])
    while true {
      switch try await receive() {
      case .receipts(let receipts) where receipts.contains { $0.id == message.id }: return
      case .refused(message.id, _, let refusal):
        throw ConformanceFailure("The server refused a copy of a message: \(refusal).")
      default: continue
      }
    }
  }
}
