import EngineFixtures
import Foundation
import HoldfastTesting
import HoldfastTransport
import Synchronization
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// A transport of one closure. On the real clock, because the closure represents an app's requests.
@Suite(.timeLimit(.minutes(10))) struct RequestTransportTests {
  /// An app's own server, which keeps the messages that it accepts.
  private final class Server: Sendable {
    struct State {
      var taken: [OutgoingMessage] = []
      var asked: [MessageID] = []
      var underWay: Set<ConversationID> = []
      var mostUnderWay = 0
      var isDoubled = false
    }
    let state = Mutex(State())

    func begin(_ message: OutgoingMessage) {
      state.withLock { state in
        state.asked.append(message.id)
        state.isDoubled = state.isDoubled || state.underWay.contains(message.conversation)
        state.underWay.insert(message.conversation)
        state.mostUnderWay = max(state.mostUnderWay, state.underWay.count)
      }
    }

    func end(_ message: OutgoingMessage, takes: Bool) {
      state.withLock { state in
        state.underWay.remove(message.conversation)
        if takes { state.taken.append(message) }
      }
    }

    var asked: [MessageID] { state.withLock(\.asked) }
    var taken: [OutgoingMessage] { state.withLock(\.taken) }
  }

  private let scratch: ScratchFolder
  private let server = Server()

  init() throws { scratch = try ScratchFolder() }

  private func running(
    _ capabilities: TransportCapabilities = TransportCapabilities(idempotency: .forever),
    answering answer: @escaping @Sendable (OutgoingMessage) async throws -> RequestTransport.Answer,
    _ body: @escaping @Sendable (ChatClient) async throws -> Void
  ) async throws {
    let transport = RequestTransport(capabilities) { [server] message in
      server.begin(message)
      do {
        let answer = try await answer(message)
        server.end(message, takes: answer == .accepted())
        return answer
      } catch {
        server.end(message, takes: false)
        throw error
      }
    }
    let client = try ChatClient(
      storage: .folder(scratch.url), transport: transport, user: eg.user,
      configuration: ChatConfiguration(
        retry: .init(
          delays: [.zero, .zero, .zero], reconnectDelay: .milliseconds(5),
          longestReconnectDelay: .milliseconds(10), answerTimeout: .seconds(3_600))))
    try client.createConversation(eg.conversation, members: [eg.user, eg.other])
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await client.run() }
      defer { group.cancelAll() }
      try await body(client)
    }
  }

  /// Returns once the newest message meets this condition.
  private func hold(
    _ client: ChatClient, _ condition: @Sendable (MessageRow?) -> Bool
  ) async {
    for await timeline in client.conversation(eg.conversation).timeline(limit: 100)
    where condition(timeline.rows.last) { return }
  }

  // A7.1, O4.1
  @Test func `messages go in order, one of a conversation at a time, and conversations beside each other`()
    async throws
  {
    let (first, other) = (Signal(), Signal())
    try await running(answering: { [server] message in
      // The first messages of both conversations are in flight at once, whichever is sent first.
      if message.text == "1" {
        first.raise()
        await other.wait()
      }
      if message.conversation == "other" {
        other.raise()
        await first.wait()
      }
      return server.taken.count > 100 ? .refused(.failed(after: nil)) : .accepted()
    }) { client in
      try client.createConversation("other")
      for number in 1...20 { try client.send("\(number)", in: eg.conversation) }
      try client.send("beside", in: "other")
      await hold(client) { $0?.status.state == .delivered }
      let here = server.taken.filter { $0.conversation == eg.conversation }
      #expect(here.map(\.text) == (1...20).map(String.init))
      #expect(server.state.withLock(\.isDoubled) == false)
      #expect(server.state.withLock(\.mostUnderWay) == 2)
    }
  }

  // A7.1, O8.1
  @Test func `a typed refusal ends the message, with the reason, and the next one goes`() async throws {
    try await running(answering: { message in
      message.text == "bad" ? .refused(.rejected(FailureReason(.rejected, "Not here."))) : .accepted()
    }) { client in
      let bad = try client.send("bad", in: eg.conversation)
      try client.send("good", in: eg.conversation)
      await hold(client) { $0?.text == "good" && $0?.status.state == .delivered }
      #expect(try client.message(bad).explain().failure == FailureReason(.rejected, "Not here."))
    }
  }

  // A7.1, O7
  @Test(arguments: [
    ConnectionFailure(.unreachable) as any Error, NSError(domain: "NSURLErrorDomain", code: -1009),
  ])
  func `a request that never left costs the message nothing, and is made again`(_ error: any Error)
    async throws
  {
    let attempts = Mutex(0)
    try await running(
      TransportCapabilities(),
      answering: { _ in
        let attempt = attempts.withLock { attempts in
          attempts += 1
          return attempts
        }
        if attempt < 9 { throw error }
        return .accepted()
      }
    ) { client in
      try client.send("hi", in: eg.conversation)
      await hold(client) { $0 != nil && $0?.status.state != .queued && $0?.status.state != .sending }
      #expect(try client.rows().map(\.status.state) == [.delivered])
      #expect(server.asked.count == 9)
    }
  }

  // A7.1, B4.4, O6.8
  @Test func `an error of a request leaves open whether it arrived: a server without IDs is not asked twice`()
    async throws
  {
    struct Lost: Error {}
    try await running(TransportCapabilities(), answering: { _ in throw Lost() }) { client in
      try client.send("hi", in: eg.conversation)
      await hold(client) { $0?.status.failure != nil }
      #expect(try client.rows().first?.status.failure?.code == .outcomeUnknown)
      #expect(server.asked.count == 1)
    }
  }

  // A7.1, O6.1
  @Test func `an error of a request, where the server keeps IDs: it is made again under the same ID`()
    async throws
  {
    struct Lost: Error {}
    try await running(answering: { [server] message in
      if server.asked.count < 3 { throw Lost() }
      return .accepted()
    }) { client in
      let id = try client.send("hi", in: eg.conversation)
      await hold(client) { $0?.status.state == .delivered }
      #expect(server.asked == [id, id, id])
    }
  }

  // B7.2
  @Test func `what is not declared is refused before it is stored`() async throws {
    try await running(answering: { _ in .accepted() }) { client in
      let id = try client.send("hi", in: eg.conversation)
      await hold(client) { $0?.status.state == .delivered }
      #expect(
        await failureCode { _ = try client.send("x", in: eg.conversation, replyTo: id) }
          == .repliesUnsupported)
      #expect(await failureCode { _ = try client.message(id).edit(to: "x") } == .unsupported)
      #expect(server.taken.count == 1)
    }
  }

  // A7.1, B4.1
  /// The status codes of RFC 9110, section 15.
  @Test(
    arguments: [
      (200, .accepted()), (204, .accepted()), (400, .refused(.rejected(FailureReason(.rejected, "No.")))),
      (403, .refused(.rejected(FailureReason(.rejected, "No.")))),
      (408, .refused(.notNow(after: .seconds(9)))),
      (429, .refused(.notNow(after: .seconds(9)))), (503, .refused(.notNow(after: .seconds(9)))),
      (500, .refused(.outcomeUnknown(after: .seconds(9)))),
      (502, .refused(.outcomeUnknown(after: .seconds(9)))),
      (409, .refused(.outcomeUnknown(after: .seconds(9)))),
      (412, .refused(.outcomeUnknown(after: .seconds(9)))),
      (422, .refused(.rejected(FailureReason(.rejected, "No.")))),
      (302, .refused(.outcomeUnknown(after: .seconds(9)))),
      (nil, .refused(.outcomeUnknown(after: .seconds(9)))),
    ] as [(Int?, RequestTransport.Answer)])
  func `an HTTP status means an answer`(_ status: Int?, _ answer: RequestTransport.Answer) throws {
    #expect(try .status(status, retryAfter: .seconds(9), explanation: "No.") == answer)
  }

  // A7.1
  @Test(arguments: [401, 407]) func `a status of 401 and of 407 is the connection's`(status: Int) {
    #expect(throws: ConnectionFailure(.unauthorized)) { try RequestTransport.Answer.status(status) }
  }

  // A7.1, B4.4, O6.8
  @Test(arguments: [409, 412], [true, false])
  func `a conflict behind a lost answer leaves the message in doubt, and never says that it is refused`(
    status: Int, isForgotten: Bool
  ) async throws {
    try await running(answering: { [server] message in
      // The first copy is accepted, and its answer is lost. Each later one conflicts with it, until the server
      // reports what it has.
      if server.asked.count == 1 { return try .status(nil) }
      return try .status(isForgotten || server.asked.count < 3 ? status : 200)
    }) { client in
      try client.send("hi", in: eg.conversation)
      await hold(client) { $0?.status.failure != nil || $0?.status.state == .delivered }
      let row = try #require(try client.rows().first)
      #expect(row.status.failure?.code == (isForgotten ? .outcomeUnknown : nil))
      #expect(server.asked.count == (isForgotten ? 4 : 3))
    }
  }

  private final class FallenServer: Sendable {
    let asked = Mutex<[Duration]>([])
    let isUp = Mutex(false)
    let shown = Mutex<[Connectivity]>([])
  }

  // N1.1, N3.1
  @Test
  func `a server that is down is asked less and less often, and is not shown as there until it answers`()
    throws
  {
    try Bench.simulate { bench in
      let server = FallenServer()
      let scheduler = bench.scheduler
      let transport = RequestTransport(TransportCapabilities(idempotency: .forever)) { _ in
        server.asked.withLock { $0.append(scheduler.now) }
        guard server.isUp.withLock(\.self) else { throw ConnectionFailure(.unreachable) }
        return .accepted()
      }
      var configuration = ChatConfiguration()
      (configuration.path, configuration.environment) = (bench.path, bench.environment)
      configuration.environment.executor = SeededSerialExecutor(scheduler: scheduler)
      let client = try ChatClient(
        storage: .folder(bench.scratch.url.appending(path: "down")), transport: transport, user: eg.user,
        configuration: configuration)
      try client.createConversation(eg.conversation, members: [eg.user, eg.other])
      let message = try client.send("hi", in: eg.conversation)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await client.run() }
        defer { group.cancelAll() }
        for _ in 0..<750 {
          try await bench.pass(.milliseconds(100))
          server.shown.withLock { $0.append(client.connectivity) }
        }
        let asked = server.asked.withLock(\.self)
        #expect((4...12).contains(asked.count), "\(asked)")
        let waits = zip(asked, asked.dropFirst()).map { $1 - $0 }
        #expect(waits.last.map { $0 > .seconds(15) } == true, "\(waits)")
        #expect(server.shown.withLock { $0.allSatisfy { $0 == .reconnecting } })
        server.isUp.withLock { $0 = true }
        try await bench.pass(.seconds(60))
        #expect(client.connectivity == .online)
        #expect(try client.conversation(eg.conversation).messages(last: 1).first?.status.state == .delivered)
        #expect(try client.conversation(eg.conversation).messages(last: 1).first?.id == message)
      }
    }
  }
}
