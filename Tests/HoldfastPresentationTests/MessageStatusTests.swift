import EngineFixtures
import Foundation
import GRDB
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// The row of a message and its explanation, which have one value for the status of the message.
@Suite(.timeLimit(.minutes(10))) struct MessageStatusTests {
  /// A state of a message, the steps that lead to it, and the text of its row.
  private struct Case: Sendable {
    let code: MessageStatus.Code
    let tone: MessageStatus.Tone
    let status: String?
    var policy = ChatConfiguration.RetryPolicy()
    /// Performs the steps, and returns the message of the row.
    let arrange: @Sendable (ChatClient) throws -> MessageID

    init(
      _ code: MessageStatus.Code, _ tone: MessageStatus.Tone, _ status: String?,
      afterFailure: ChatConfiguration.RetryPolicy.AfterFailure = .continue,
      _ arrange: @escaping @Sendable (ChatClient) throws -> MessageID
    ) {
      (self.code, self.tone, self.status, self.arrange) = (code, tone, status, arrange)
      policy.afterFailure = afterFailure
    }
  }

  private static let offline = "Queued - Will send when online"

  private static let cases = [
    Case(.delivered, .delivered, nil) { try $0.delivered("hi") },
    Case(.streaming, .delivered, nil) { try streaming($0) },
    Case(.interrupted, .delivered, "Interrupted") { client in
      let id = try streaming(client)
      client.sharedStates.replies.set(nil, for: id)
      return id
    },
    Case(.awaitingAnswer, .sending, "Sending...") { client in
      let id = try online(client)
      fly(id, client)
      return id
    },
    Case(.sending, .sending, "Sending...") { try online($0) },
    Case(.failed, .failed, "Failed - Tap to retry") { client in
      let id = try online(client)
      try client.fail(id)
      return id
    },
    Case(.failed, .failed, "Unknown - Tap to decide") { client in
      let id = try online(client)
      try client.fail(id, because: FailureReason(.outcomeUnknown))
      return id
    },
    Case(.held, .queued, "Held - Tap to decide") { client in
      let id = try online(client)
      try client.hold()
      return id
    },
    Case(.notRunning, .queued, offline) { try $0.send("hi", in: eg.conversation) },
    Case(.offline, .queued, offline) { try sent($0, .offline) },
    Case(.reconnecting, .queued, offline) { try sent($0, .reconnecting) },
    Case(.anotherProcessSends, .queued, "Queued - Another part of the app sends it") {
      try sent($0, .otherProcess)
    },
    Case(.signedOut, .queued, "Queued - Will send when signed in") {
      try lost($0, ConnectionFailure(.unauthorized))
    },
    Case(.storageFull, .queued, "Queued - The disk is full") {
      try lost($0, ConnectionFailure(.storage, detail: "storageFull"))
    },
    Case(.storageLocked, .queued, "Queued - Will send when the device is unlocked") {
      try lost($0, ConnectionFailure(.storage, detail: "storageLocked"))
    },
    Case(.storageFailed, .queued, "Queued - The store on this device fails") {
      try lost($0, ConnectionFailure(.storage, detail: "storageBusy"))
    },
    Case(.waitsForRetry, .queued, "Waiting to retry") { client in
      let id = try online(client)
      let lane = OutboxLane(notBefore: client.environment.uptime() + .seconds(3))
      show(lane, client)
      return id
    },
    Case(.uploading, .sending, "Uploading...") { client in
      _ = client.sharedStates.link.set(.online)
      try client.conversation(eg.conversation).attach(Data("picture".utf8), name: "a.png")
      return try client.conversation(eg.conversation).sendDraft()
    },
    Case(.waitsForAnother, .sending, "Waiting for an earlier message") { client in
      fly(try online(client), client)
      return try client.send("behind", in: eg.conversation)
    },
    Case(.waitsForFailed, .queued, "Queued - Waits for the message that failed", afterFailure: .block) {
      client in
      try client.fail(try online(client))
      return try client.send("behind", in: eg.conversation)
    },
    Case(.conversationRefused, .queued, "Queued - The conversation takes no messages") { client in
      let id = try online(client)
      try client.refuse()
      return id
    },
    Case(.conversationRefused, .queued, "Queued - Not known yet for whom") { client in
      let id = try online(client)
      try client.refuse(because: FailureReason(.membersUnknown))
      return id
    },
    Case(.checking, .sending, "Checking with the server...") { client in
      let id = try online(client)
      show(OutboxLane(asked: [id]), client)
      return id
    },
  ]

  private static func sent(_ client: ChatClient, _ link: Connectivity) throws -> MessageID {
    _ = client.sharedStates.link.set(link)
    return try client.send("hi", in: eg.conversation)
  }

  private static func online(_ client: ChatClient) throws -> MessageID { try sent(client, .online) }

  private static func lost(_ client: ChatClient, _ failure: ConnectionFailure) throws -> MessageID {
    var link = LinkState(isPathUp: true)
    link.lost(to: failure, policy: ChatConfiguration.RetryPolicy(), now: client.environment.uptime(), dice: 0)
    client.sharedStates.link.set(isRunning: true)
    _ = client.sharedStates.link.set(link, connectsAt: eg.date)
    return try client.send("hi", in: eg.conversation)
  }

  private static func show(_ lane: OutboxLane, _ client: ChatClient) {
    client.sharedStates.outbox.set(lanes: [(eg.conversation.key, lane)], date: client.context.date(of:))
  }

  private static func fly(_ id: MessageID, _ client: ChatClient) {
    let flight = OutboxLane.Flight(position: 1, id: id, transmission: 1, sentAt: client.environment.uptime())
    show(OutboxLane(flights: [flight]), client)
  }

  /// A message that is being written in this process.
  private static func streaming(_ client: ChatClient) throws -> MessageID {
    try client.takeIn(eg.piece(0, "so far"))
    client.sharedStates.replies.set(Replies.SharedState.Stream(text: "so far", reasoning: ""), for: "answer")
    return "answer"
  }

  // O3.1, O3.2, O3.4, O3.7, O17.1
  @Test(arguments: cases.indices)
  func `state -> one value, in the row and in the explanation`(index: Int) async throws {
    let eg = Self.cases[index]
    let client = try Bench(carriesAttachments: true).client(.init(retry: eg.policy))
    let id = try eg.arrange(client)
    let row = try client.row(id)
    #expect(row.status.code == eg.code)
    #expect(row.status.tone == eg.tone)
    #expect(row.status.text == eg.status)
    let explanation = try client.message(id).explain()
    #expect(explanation.status == row.status)
    #expect(!explanation.sentence.isEmpty)
  }

  /// The explanation of an operation has the same value as its row. Only the line under the row names the operation.
  private func expectExplained(_ operation: MessageID, _ shown: MessageStatus, by client: ChatClient) throws {
    var explained = try client.message(operation).explain().status
    explained.text = shown.text
    #expect(explained == shown)
  }

  // O14, O17.1
  @Test func `state of an operation -> one value, in the row's change and in the explanation`() async throws {
    let client = try Bench().client()
    let own = try client.delivered("one")
    let operation = try #require(try client.message(own).edit(to: "two"))
    func look(_ id: MessageID, _ code: MessageStatus.Code, _ status: String) async throws {
      let change = try #require(try client.row(own).operation)
      #expect(change.status.code == code)
      #expect(change.status.text == status)
      try expectExplained(id, change.status, by: client)
    }
    try await look(operation, .notRunning, "Edit queued - Will send when online")
    _ = client.sharedStates.link.set(.online)
    try await look(operation, .sending, "Edit sending...")
    let lane = OutboxLane(notBefore: client.environment.uptime() + .seconds(3))
    Self.show(lane, client)
    try await look(operation, .waitsForRetry, "Edit waiting to retry")
    try client.fail(operation)
    try await look(operation, .failed, "Edit failed - Tap to retry")
  }

  // O14, O17.1
  @Test func `failed message -> its operations wait for it, and say so`() async throws {
    let client = try Bench().client()
    let id = try Self.online(client)
    try client.transmit(id)
    let reaction = try #require(try client.message(id).react("👍"))
    try client.fail(id)
    let change = try #require(try client.row(id).operation)
    #expect((change.status.code, change.status.waitsFor) == (.waitsForItsMessage, id))
    #expect(change.status.text == "Reaction waits for its message")
    try expectExplained(reaction, change.status, by: client)
  }

  @Test func `every code is looked at`() throws {
    let codes = try SourceFile.declaring("MessageStatus").text.matches(of: /Code\(rawValue: "(\w+)"\)/)
    let seen = Set(Self.cases.map(\.code.rawValue))
    // An unknown message has no row, and only operations wait for their message.
    let others: Set = ["unknown", "waitsForItsMessage"]
    #expect(Set(codes.map { String($0.1) }) == seen.union(others))
  }

  // O3.1, O3.7, O17.1, O17.2
  @Test func `online, refused for now -> the row waits for its retry, and says so until it leaves again`()
    throws
  {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.send("hi", in: eg.conversation)
        let behind = try client.send("behind", in: eg.conversation)
        let message = await bench.transport.transmission(1)
        try await bench.rest()
        var shown = client.conversation(eg.conversation).timeline().makeAsyncIterator()
        #expect(
          try await shown.next()?.rows.map(\.status.text) == ["Sending...", "Waiting for an earlier message"])
        bench.transport.say(.refused(id, transmission: message.transmission, .failed(after: .seconds(7))))
        let waiting = try #require(try await shown.next())
        #expect(waiting.rows.map(\.status.text) == ["Waiting to retry", "Waiting for an earlier message"])
        #expect(waiting.rows.map(\.status.state) == [.queued, .queued])
        #expect(waiting.rows[0].status.attempts == 1)
        let next = bench.environment.now().addingTimeInterval(7)
        #expect(waiting.rows[0].status.nextAttempt == next)
        #expect(waiting.rows[1].status.waitsFor == id)
        for row in waiting.rows {
          #expect(try client.message(row.id).explain().status == row.status)
        }
        #expect(
          try await shown.next()?.rows.map(\.status.text) == ["Sending...", "Waiting for an earlier message"])
        #expect(bench.scheduler.now > .seconds(7), "Nothing was shown twice.")
        bench.transport.say(.receipts([eg.receipt(id)]))
        await bench.transport.transmission(3)
        try await bench.rest()
        #expect(try await shown.next()?.rows.map(\.status.text) == [nil, "Sending..."])
        #expect(try client.message(behind).explain().code == .awaitingAnswer)
      }
    }
  }

  // O7, O17.2
  @Test func `reconnecting -> the row has the reason and the time of the next attempt, and follows both`()
    throws
  {
    try Bench.simulate { bench in
      bench.transport.refuse(ConnectionFailure(.unavailable))
      try await bench.running { client in
        let id = try client.send("hi", in: eg.conversation)
        try await bench.rest()
        var shown = client.conversation(eg.conversation).timeline().makeAsyncIterator()
        var attempts: [Date] = []
        while attempts.count < 3, let row = try await shown.next()?.rows.first {
          #expect(row.status.text == Self.offline)
          #expect(row.status.connectionFailure == .unavailable)
          #expect(try client.message(id).explain().status == row.status)
          if let next = row.status.nextAttempt, next != attempts.last { attempts.append(next) }
        }
        #expect(attempts == attempts.sorted())
      }
    }
  }

  // O17.2
  @Test func `the clock is set -> row and explanation keep the time of the next attempt`() async throws {
    let bench = try Bench()
    let client = try bench.client()
    let id = try Self.online(client)
    Self.show(OutboxLane(notBefore: client.environment.uptime() + .seconds(3)), client)
    let row = try client.row(id)
    bench.dateError.withLock { $0 = 86_400 }
    #expect(try client.row(id) == row)
    #expect(try client.message(id).explain().status == row.status)
  }

  // O13.4
  @Test func `half of the files uploaded -> the row has the progress of its message`() async throws {
    let client = try Bench(carriesAttachments: true).client()
    _ = client.sharedStates.link.set(.online)
    let picture = try client.conversation(eg.conversation).attach(Data(count: 300), name: "a.png")
    try client.conversation(eg.conversation).attach(Data(count: 100), name: "b.png")
    let id = try client.conversation(eg.conversation).sendDraft()
    #expect(try client.row(id).status.progress == 0)
    _ = client.sharedStates.transfers.set(100, of: picture.checksum)
    #expect(try client.row(id).status.progress == 0.25)
    try client.store.writeUnsynced {
      try $0.attachments.noteUpload(picture.checksum, bytes: 300, serverID: "f1")
    }
    #expect(try client.row(id).status.progress == 0.75)
    #expect(try client.message(id).explain().status.progress == 0.75)
  }

  // H7
  @Test func `a timeline costs as many statements for many unsent rows as for one`() throws {
    let client = try Bench().client(.init(retry: .init(afterFailure: .block)))
    func statements() throws -> Int {
      let count = Mutexed(0)
      try client.store.read { reading in
        reading.database.trace { _ in count.withLock { $0 += 1 } }
        defer { reading.database.trace(nil) }
        _ = try reading.messages.timelineReading(
          of: eg.conversation.key, in: TimelineSpan(), afterFailure: .block)
      }
      return count.withLock { $0 }
    }
    _ = try client.delivered("there")
    let delivered = try statements()
    try client.send("1", in: eg.conversation)
    let one = try statements()
    #expect(one > delivered, "Delivered rows need no facts about the queue.")
    for number in 2...50 { try client.send("\(number)", in: eg.conversation) }
    #expect(try statements() == one)
  }
}
