import ChatServerTesting
import Holdfast
import HoldfastTransport
import Synchronization
import Testing

@testable import HoldfastTesting
@testable import Simulator

/// The suite passes on the transports that need no separate process, and finds faults that are planted in one.
@Suite(.timeLimit(.minutes(10))) struct TransportConformanceTests {
  private func run(
    _ parts: String..., on backend: (any ConformanceBackend)? = nil,
    planting wrap: @escaping @Sendable (any Transport) -> any Transport = { $0 }
  ) async throws -> TransportConformance.Report {
    var suite = TransportConformance()
    if !parts.isEmpty {
      suite.cases = suite.cases.filter { next in parts.contains { next.name.contains($0) } }
      #expect(!suite.cases.isEmpty)
    }
    return try await suite.run(on: PlantedBackend(base: backend ?? SimulatedBackend(), wrap: wrap))
  }

  private func plant(
    _ change: @escaping @Sendable (inout PlantedTransport) -> Void
  ) -> @Sendable (any Transport) -> any Transport {
    { base in
      var planted = PlantedTransport(base)
      change(&planted)
      return planted
    }
  }

  // B12.1, B12.2, B12.3, O4, O6, O7, O9, O10, O11, O12, O13, O14, H11, D15, R5
  @Test func `the relay's transport passes over the simulated server`() async throws {
    let report = try await run()
    #expect(report.isPassed, "\(report)")
    #expect((report.lost, report.doubled, report.reordered) == (0, 0, 0))
    let reasons = Set(report.skipped.map(\.reason))
    #expect(
      reasons == [
        "The transport declares every operation, every field, and attachments.",
        "The transport looks up nothing.",
        "The server has no names of its own.",
        // Frames are passed within this process, without a network.
        "The backend cannot make the network fail.",
      ])
  }

  // B1, B2, B3, B12.1
  @Test func `a server that names messages, sends events and numbers nothing passes`() async throws {
    let report = try await run(on: EventsBackend())
    #expect(report.isPassed, "\(report)")
    #expect((report.lost, report.doubled, report.reordered) == (0, 0, 0))
    #expect(report.passed.contains("the server's names are kept and given back"))
    #expect(report.passed.contains("a change that comes before its message is not lost"))
  }

  // B1.3, B12
  @Test func `an echo without our ID is found, and the case is named`() async throws {
    let report = try await run(
      "settles it without a receipt", on: EventsBackend(),
      planting: plant { planted in
        planted.incoming = { event in
          guard case .items(let items, let cursor) = event else { return [event] }
          return [.items(items.map(\.underItsName), cursor: cursor)]
        }
      })
    #expect(
      report.failures.map(\.name) == [
        "the message in the server's events settles it without a receipt"
      ])
  }

  // B12.1, L1, D15, R5
  @Test func `conversations on this device pass what needs no server`() async throws {
    let report = try await TransportConformance().run(on: DeviceBackend())
    #expect(report.isPassed, "\(report)")
    #expect((report.lost, report.doubled, report.reordered) == (0, 0, 0))
    #expect(report.passed.contains("a file arrives once, when the app is killed while it waits"))
    #expect(report.skipped.contains { $0.reason == "The transport has no server." })
  }

  // B7.2, B7.3, B12
  @Test func `a transport with no abilities passes, and what it lacks is refused by name`() async throws {
    let report = try await run(
      planting: plant { $0.capabilities = TransportCapabilities(idempotency: .none) })
    #expect(report.isPassed, "\(report)")
    #expect((report.lost, report.doubled, report.reordered) == (0, 0, 0))
    #expect(report.passed.contains("what is declared unsupported is refused by name, and nothing is stored"))
    #expect(
      report.skipped.contains {
        $0 == ("an edit arrives once, when its answer is lost", "The transport declares no edit.")
      })
  }

  // B12
  @Test func `a transport without numbers passes`() async throws {
    let report = try await run(
      planting: plant { planted in
        (planted.capabilities.window, planted.capabilities.placesByEvents) = (1, true)
        planted.incoming = { [$0.withoutNumbers] }
      })
    #expect(report.isPassed, "\(report)")
    #expect((report.lost, report.doubled, report.reordered) == (0, 0, 0))
  }

  // B12
  @Test func `a server that is gone behind a case that failed runs again for the next one`() async throws {
    let cases: [TransportConformance.Case] = [
      .init("the server goes", []) { stage in
        try await stage.backend.kill()
        throw ConformanceFailure("It was killed behind the suite's back.")
      }
    ]
    let passing = TransportConformance.allCases.filter { $0.name == "a long queue drains in order" }
    let suite = TransportConformance(cases: cases + passing)
    let report = try await suite.run(on: SimulatedBackend())
    #expect(report.failures.map(\.name) == ["the server goes"])
    #expect(report.passed == passing.map(\.name))
  }

  // B12
  @Test func `the cases behind ten that failed are left out and counted`() async throws {
    let failing = (1...20).map { number in
      TransportConformance.Case("number \(number)", []) { _ in throw ConformanceFailure("It fails.") }
    }
    let report = try await TransportConformance(cases: failing).run(on: SimulatedBackend())
    #expect((report.entries.count, report.leftOut) == (10, 10))
    #expect("\(report)".hasSuffix("  10 cases were left out: the ten in front of them had all failed."))
    #expect("\(report.entries[9])" == "  failed   number 10 (0.0 s): It fails.")
  }

  // B12
  @Test func `a virtual run is the same each time`() async throws {
    let reports = [try await run("a message arrives once"), try await run("a message arrives once")]
    #expect(reports[0].duration == reports[1].duration)
    #expect(reports[0].duration > .zero)
  }

  // B12
  @Test func `a new ID on each retry is found, and the case is named`() async throws {
    let seen = Mutex<[MessageID: Int]>([:])
    let report = try await run(
      "a message arrives once",
      planting: plant { planted in
        planted.capabilities.window = 1
        planted.outgoing = { messages in
          messages.map { message in
            var message = message
            let attempt = seen.withLock { seen in
              seen[message.id, default: 0] += 1
              return seen[message.id, default: 0]
            }
            if attempt > 1 { message.id = MessageID(rawValue: "\(message.id)-\(attempt)") }
            return message
          }
        }
      })
    #expect(report.failures.map(\.name).contains("a message arrives once, when its answer is lost"))
    #expect(report.doubled > 0)
    #expect("\(report)".contains("The server has 'alice 2' 2 times."))
  }

  // B12
  @Test func `a refusal that is swallowed is found, and the case is named`() async throws {
    let report = try await run(
      "refused for good", "costs an attempt",
      planting: plant { planted in
        planted.incoming = { event in if case .refused = event { [] } else { [event] } }
      })
    #expect(
      report.failures.map(\.name) == [
        "a message that is refused for good fails at once, and the others go",
        "a fault of one message costs an attempt, and no order",
      ])
  }

  // B12
  @Test func `messages that change places are found, and the case is named`() async throws {
    let report = try await run(
      "in the order in which",
      planting: plant { planted in
        planted.outgoing = { messages in
          messages.reversed().map { message in
            var message = message
            message.predecessor = nil
            return message
          }
        }
      })
    #expect(report.failures.map(\.name) == ["messages arrive in the order in which they were sent"])
    #expect(report.reordered > 0)
    #expect(report.lost == 0)
  }

  // B12
  @Test func `a receipt before the server has the message is found, and the case is named`() async throws {
    let report = try await run(
      "survives a kill of the server", "a message arrives once, when the server",
      planting: plant { planted in
        planted.invented = { messages in
          [
            .receipts(
              messages.filter { $0.operation == nil }.map {
                Receipt(id: $0.id, conversation: $0.conversation, order: nil, createdAt: $0.createdAt)
              })
          ]
        }
        // Nothing is sent after the first message of a conversation.
        planted.outgoing = { messages in messages.filter { $0.predecessor == nil && !$0.members.isEmpty } }
      })
    #expect(report.lost > 0)
    #expect(report.failures.map(\.name).contains("a confirmed message survives a kill of the server"))
  }

  // B12, O6.6
  @Test func `an answer about a message's outcome is checked, and a wrong one is found`() async throws {
    let receipt = Receipt(id: "?", conversation: "?", order: nil, createdAt: .distantPast)
    let outcomes: [(OutgoingMessage.DeliveryOutcome, String)] = [
      (.absent, "A message that the server has is not called absent."),
      (.accepted(receipt), "A message that the server does not have is called accepted."),
    ]
    for (outcome, sentence) in outcomes {
      let report = try await run(
        "the outcome of a message", planting: plant { $0.outcome = { _ in outcome } })
      #expect("\(report)".contains(sentence))
    }
  }

  // B12
  @Test func `a declaration that is not kept is found, and the case is named`() async throws {
    let report = try await run(
      "a reaction arrives once, when its answer", "the longest text",
      planting: plant { planted in
        planted.capabilities.maximumMessageBytes = 200_000
        planted.outgoing = { messages in
          messages.map { message in
            guard message.operation?.kind == .react else { return message }
            var message = message
            message.content.text = "?"
            return message
          }
        }
      })
    #expect(
      Set(report.failures.map(\.name)) == [
        "a reaction arrives once, when its answer is lost",
        "the longest text arrives whole, and a longer one is refused",
      ])
    #expect("\(report)".contains("The server does not have the reaction 🎉"))
  }

  // B12
  @Test func `a case says that it begins, and one that hangs is ended and named`() async throws {
    var suite = TransportConformance()
    suite.cases = Array(suite.cases.filter { $0.name.contains("a message arrives once") }.prefix(2))
    let isFirst = Atomic(true)
    let backend = PlantedBackend(base: try SimulatedBackend(), wrap: { $0 }) {
      if isFirst.exchange(false, ordering: .relaxed) { await Signal().wait() }
    }
    let reported = Mutex<[String]>([])
    let report = try await suite.run(on: backend) { entry in
      reported.withLock { $0.append("\(entry.name) \(entry.outcome == .passed)") }
    } beginning: { next in
      reported.withLock { $0.append(next.name) }
    }
    let names = suite.cases.map(\.name)
    #expect(reported.withLock(\.self) == [names[0], "\(names[0]) false", names[1], "\(names[1]) true"])
    #expect("\(report)".contains("nothing happened for 300 s. It was reading the server's record."))
    #expect(report.duration < .seconds(600))
  }

  @Test func `no two cases have the same name, and each names its rules`() {
    let cases = TransportConformance.allCases
    #expect(Set(cases.map(\.name)).count == cases.count)
    #expect(cases.allSatisfy { !$0.rules.isEmpty })
  }
}

extension IncomingItem {
  /// The item as sent by a server that keeps none of our IDs.
  fileprivate var underItsName: IncomingItem {
    guard case .message(var message) = self, let name = message.serverID else { return self }
    message.id = MessageID(rawValue: name)
    return .message(message)
  }
}

extension TransportEvent {
  /// The event as sent by a server without its own orders and revisions.
  fileprivate var withoutNumbers: TransportEvent {
    switch self {
    case .items(let items, let cursor):
      .items(
        items.map { item in
          switch item {
          case .message(var message):
            message.order = nil
            return .message(message)
          case .readMark(var mark):
            mark.order = nil
            return .readMark(mark)
          case .conversation, .operation, .removed: return item
          }
        }, cursor: cursor)
    case .receipts(let receipts):
      .receipts(
        receipts.map { receipt in
          var receipt = receipt
          receipt.order = nil
          return receipt
        })
    default: self
    }
  }
}
