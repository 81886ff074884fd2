import EngineFixtures
import HoldfastTesting
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// The text of an Info sheet, and its updates. On the real clock, because a view's model is on the main actor, which
/// no simulated world controls.
@MainActor @Suite(.timeLimit(.minutes(10))) struct ExplanationModelTests {
  private let scratch: ScratchFolder
  private let transport = ScriptedTransport(TransportCapabilities(window: 1, idempotency: .forever))
  private let path = NetworkPath(isUp: false)

  init() throws { scratch = try ScratchFolder() }

  /// Runs the client and the model of one message while `body` runs.
  private func explaining(
    _ body: @MainActor @Sendable (ChatClient, ExplanationModel, MessageID) async throws -> Void
  ) async throws {
    let client = try ChatClient(
      storage: .folder(scratch.url), transport: transport, user: eg.user,
      configuration: ChatConfiguration(
        // This is short enough to wait for, and long enough to be seen.
        retry: ChatConfiguration.RetryPolicy(
          delays: [.seconds(600)], reconnectDelay: .milliseconds(50),
          longestReconnectDelay: .milliseconds(400)),
        path: path))
    try client.createConversation(eg.conversation, members: [eg.user, eg.other])
    let model = ExplanationModel(client)
    let id = try client.send("secret", in: eg.conversation)
    model.show(id)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await client.run() }
      group.addTask { await model.run() }
      defer { group.cancelAll() }
      try await body(client, model, id)
    }
  }

  /// Returns once the model has the expected answer.
  private func hold(
    _ model: ExplanationModel, _ condition: @escaping @MainActor @Sendable (Explanation?) -> Bool
  ) async {
    await Shown.hold { condition(model.explanation) }
  }

  // O9.4, O17.1, O17.2
  @Test func `the answer follows the network, the server and the message, without being asked for`()
    async throws
  {
    try await explaining { client, model, id in
      await hold(model) { $0?.code == .offline }
      #expect(model.explanation?.sentence == "This message will send automatically when you're back online.")
      transport.refuse(ConnectionFailure(.unavailable))
      path.set(isUp: true)
      await hold(model) { $0?.connectionFailure == .unavailable && $0?.nextAttempt != nil }
      let first = try #require(model.explanation?.nextAttempt)
      // Another attempt has failed meanwhile, and the next one is later.
      await hold(model) { ($0?.nextAttempt).map { $0 > first } ?? false }
      transport.refuse(nil)
      transport.say(.ready)
      let message = await transport.transmission(1)
      await hold(model) { $0?.code == .awaitingAnswer }
      transport.say(.refused(id, transmission: message.transmission, .failed(after: nil)))
      await hold(model) { $0?.code == .waitsForRetry && $0?.nextAttempt != nil }
      try await client.message(id).retry()
      await transport.transmission(2)
      transport.say(.receipts([eg.receipt(id)]))
      await hold(model) { $0?.code == .delivered }
    }
  }

  // O17
  @Test func `another message has another explanation, and no message has none`() async throws {
    try await explaining { _, model, _ in
      await hold(model) { $0?.code == .offline }
      model.show("nobody")
      #expect(model.explanation == nil, "What was said of the other one is not said of this one.")
      await hold(model) { $0?.code == .unknown }
      model.show(nil)
      #expect(model.explanation == nil)
    }
  }

  // O17.3
  @Test func `the outbox reports its status after each change`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        var changes = client.outbox.healthChanges().makeAsyncIterator()
        let empty = try await changes.next()
        #expect(empty?.waiting == 0)
        let first = try client.send("1", in: eg.conversation)
        try await bench.pass(.seconds(1))
        _ = try client.send("2", in: eg.conversation)
        let both = try await changes.next()
        #expect(both?.waiting == 2)
        #expect(both?.oldest == first)
        bench.transport.say(.ready)
        await bench.transport.transmission(1)
        bench.transport.say(.receipts([eg.receipt(first)]))
        try await bench.rest()
        let next = try await changes.next()
        #expect(next?.waiting == 1)
        #expect(next?.oldest != first)
      }
    }
  }
}
