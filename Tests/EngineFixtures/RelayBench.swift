import ChatServer
import ChatServerTesting
import Foundation
import Holdfast
import HoldfastCore
import HoldfastRelay
import HoldfastTesting
import Synchronization
import Testing

/// Phones and the real server on one virtual clock. The test decides which frames the network loses, duplicates or
/// cuts.
package final class RelayBench: Sendable {
  /// The delivery outcome of a frame on its way to the server.
  package enum Outcome: Sendable { case arrives, arrivesTwice, isLost, cutsTheLink }

  package let scheduler = SeededScheduler(seed: 1)
  package let scratch: ScratchFolder
  package let server: ChatServer
  private let ids = Mutex(0)
  private let outcome = Mutex<@Sendable (Wire.ClientFrame) -> Outcome>({ _ in .arrives })
  private let heard = Mutex<[Wire.ClientFrame]>([])
  private let line = Mutex(Line())

  private struct Line {
    /// The time that a frame takes in each direction, in parallel with earlier frames. If it is nil, a frame to the
    /// server blocks the phone for 10 ms, and one from the server takes no time.
    var travelTime: Duration?
    var isUp = true
    var connectedAt: Duration = .zero
    var links: [Link] = []
  }

  private init(limits: Limits) throws {
    scratch = try ScratchFolder()
    var environment = ChatEnvironment()
    let scheduler = scheduler
    environment.uptime = { scheduler.now }
    environment.executor = SeededSerialExecutor(scheduler: scheduler)
    server = try ChatServer(
      folder: scratch.url.appendingPathComponent("server"), limits: limits, environment: environment)
  }

  package static func simulate(
    limits: Limits = Limits(), _ body: @escaping @Sendable (RelayBench) async throws -> Void
  ) throws {
    let bench = try RelayBench(limits: limits)
    let result = try bench.scheduler.run { () -> Result<Void, any Error> in
      do {
        for user in ["alice", "bob", "carol"] {
          try await bench.server.register(UserID(rawValue: user), token: user)
        }
        return .success(try await body(bench))
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  /// Every frame that a phone has sent.
  package var frames: [Wire.ClientFrame] { heard.withLock { $0 } }
  package var pieces: [Wire.Upload] {
    frames.compactMap { if case .upload(let upload) = $0, upload.data != nil { upload } else { nil } }
  }

  package func decide(_ outcome: @escaping @Sendable (Wire.ClientFrame) -> Outcome) {
    self.outcome.withLock { $0 = outcome }
  }

  /// Sets the travel time of frames in each direction. From now on a new connection also takes a round trip.
  package func setTravelTime(_ time: Duration) { line.withLock { $0.travelTime = time } }

  /// Cuts all connections and blocks new ones, or allows new ones again.
  package func setLine(isUp: Bool) {
    let links = line.withLock { line in
      line.isUp = isUp
      defer { line.links = [] }
      return line.links
    }
    for link in links { link.deliver(.close) }
  }

  /// The time at which a phone began its last successful attempt to connect.
  package var connectedAt: Duration { line.withLock { $0.connectedAt } }

  package func folder(of user: UserID) -> URL { scratch.url.appendingPathComponent(user.rawValue) }

  package var serverFolder: URL { scratch.url.appendingPathComponent("server") }

  package func client(
    _ user: UserID, attachments: ChatConfiguration.AttachmentLimits = ChatConfiguration.AttachmentLimits()
  ) throws -> ChatClient {
    let (scheduler, number) = (
      scheduler,
      ids.withLock { number in
        number += 1
        return number
      }
    )
    let counter = Mutexed(0)
    var environment = ChatEnvironment()
    environment.uptime = { scheduler.now }
    environment.sleep = { try await scheduler.sleep(until: $0) }
    environment.random = { 0 }
    environment.executor = SeededSerialExecutor(scheduler: scheduler)
    environment.makeID = {
      counter.withLock {
        $0 += 1
        return "\(user)-\(number)-\($0)"
      }
    }
    let client = try ChatClient(
      storage: .folder(folder(of: user)),
      transport: FrameTransport(
        connector: Connector(bench: self, token: user.rawValue), environment: environment), user: user,
      configuration: ChatConfiguration(attachments: attachments, environment: environment))
    try client.createConversation(EngineExample.conversation, members: ["alice", "bob"])
    return client
  }

  /// Launches a phone, runs it while `body` runs, and ends it.
  package func running(
    _ user: UserID, attachments: ChatConfiguration.AttachmentLimits = ChatConfiguration.AttachmentLimits(),
    _ body: @Sendable (ChatClient) async throws -> Void
  ) async throws {
    let client = try client(user, attachments: attachments)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await client.run() }
      defer { group.cancelAll() }
      try await body(client)
    }
  }

  /// Uploads a file from another device of the user.
  package func bring(_ bytes: Data, as user: UserID) async throws {
    let id = try await server.connect(token: user.rawValue) { _ in }
    let checksum = ChatAttachment.Checksum(SHA256Sum(of: bytes)).rawValue
    let upload = Wire.Upload(checksum: checksum, total: Int64(bytes.count), data: bytes)
    for frame in [Wire.ClientFrame.hello(.init(after: nil)), .upload(upload)] {
      await server.receive(try JSONEncoder().encode(frame), on: id)
    }
    await server.disconnect(id)
  }

  package func pass(_ time: Duration) async throws { try await scheduler.sleep(until: scheduler.now + time) }

  private struct Connector: FrameConnector {
    let bench: RelayBench
    let token: String

    func withChannel(_ body: @Sendable (any FrameChannel) async throws -> Void) async throws {
      let (isUp, travelTime, now) = bench.line.withLock { ($0.isUp, $0.travelTime, bench.scheduler.now) }
      guard isUp else { throw ConnectionFailure(.unreachable) }
      if let travelTime { try await bench.pass(travelTime * 2) }
      let link = Link(bench: bench, travelTime: travelTime)
      let id = try await bench.server.connect(token: token) { link.deliver($0) }
      bench.line.withLock {
        $0.connectedAt = now
        $0.links.append(link)
      }
      let channel = MemoryChannel(send: { try await link.send($0, on: id) }, receive: link.receive)
      do {
        if travelTime == nil { try await body(channel) } else { try await carrying(link, id, channel, body) }
      } catch {
        await bench.server.disconnect(id)
        throw error
      }
      await bench.server.disconnect(id)
    }

    private func carrying(
      _ link: Link, _ id: ConnectionID, _ channel: MemoryChannel,
      _ body: @Sendable (any FrameChannel) async throws -> Void
    ) async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await link.carry(on: id) }
        defer { group.cancelAll() }
        try await body(channel)
      }
    }
  }

  /// The frames of one connection on their way, each with the time at which it arrives.
  private struct Link {
    let bench: RelayBench
    let travelTime: Duration?
    let up = MemoryQueue<(due: Duration, data: Data)>()
    let down = MemoryQueue<(due: Duration, data: Data)>()

    private var due: Duration { bench.scheduler.now + (travelTime ?? .zero) }

    func deliver(_ output: ServerOutput) {
      switch output {
      case .frame(let data): try? down.put((due, data))
      case .close:
        for queue in [up, down] {
          queue.end(ConnectionFailure(.unreachable, detail: "cut"))
          _ = queue.removeAll()
        }
      }
    }

    func send(_ frame: Data, on id: ConnectionID) async throws {
      guard travelTime == nil else { return try up.put((due, frame)) }
      if let failure = up.failure { throw failure }
      // A round trip takes time, so time passes.
      try await bench.pass(.milliseconds(10))
      try await arrive(frame, on: id)
    }

    /// Delivers frames to the server, each when it is due, until the connection ends.
    func carry(on id: ConnectionID) async throws {
      while true {
        let next = try await up.next()
        try await bench.scheduler.sleep(until: next.due)
        if up.failure == nil { try await arrive(next.data, on: id) }
      }
    }

    private func arrive(_ frame: Data, on id: ConnectionID) async throws {
      let decoded = try JSONDecoder().decode(Wire.ClientFrame.self, from: frame)
      bench.heard.withLock { $0.append(decoded) }
      switch bench.outcome.withLock({ $0(decoded) }) {
      case .arrives: await bench.server.receive(frame, on: id)
      case .arrivesTwice:
        await bench.server.receive(frame, on: id)
        await bench.server.receive(frame, on: id)
      case .isLost: break
      case .cutsTheLink:
        deliver(.close)
        throw ConnectionFailure(.unreachable, detail: "cut")
      }
    }

    func receive() async throws -> Data {
      let frame = try await down.next()
      if frame.due > bench.scheduler.now { try await bench.scheduler.sleep(until: frame.due) }
      return frame.data
    }
  }
}

extension RelayBench {
  /// A file of five pieces.
  package static let picture = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

  /// Waits until `isTrue` returns true, for at most two minutes of the virtual clock.
  package func until(_ isTrue: () throws -> Bool) async throws {
    for _ in 0..<12_000 {
      if try isTrue() { return }
      try await pass(.milliseconds(10))
    }
    Issue.record("it did not come to pass")
  }
}

extension ChatClient {
  @discardableResult
  package nonisolated func sendFile(
    _ bytes: Data, _ text: String = "", name: String = "a.png"
  ) throws -> (id: MessageID, attachment: ChatAttachment) {
    let chat = conversation(EngineExample.conversation)
    let attachment = try chat.attach(bytes, name: name)
    drafts.edit(text, in: chat.id)
    return (try chat.sendDraft(), attachment)
  }

  package nonisolated func bytes(of attachment: ChatAttachment) -> Data? {
    attachmentFile(attachment.checksum).flatMap { try? Data(contentsOf: $0) }
  }

  package nonisolated func isDelivered() throws -> Bool { try outbox.unsentCount() == 0 }
}
