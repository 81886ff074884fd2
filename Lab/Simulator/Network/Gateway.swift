import ChatServer
import Foundation
import Holdfast
import HoldfastRelay
import HoldfastRescue
import Synchronization

/// The gateway in front of the server, as in a data centre. While a mood lasts, it answers some messages in the
/// server's place. Otherwise it passes everything.
///
/// It keeps the server's promises (`docs/wire.md`). It never refuses a message that the server has, and it gives the
/// copy of a refused message the same response. A refused sender therefore knows that its message was not accepted.
final class Gateway: Sendable {
  private struct Mood {
    var rejects = false
    var fails = false
    var isBusy = false
    /// The longest response time, in milliseconds.
    var slowness = 0

    var refuses: Bool { rejects || fails || isBusy }
  }

  let refusals: ConversationRefusals
  private let world: WorldState
  private let promises: Promises
  private let mood = Mutex(Mood())

  init(world: WorldState, promises: Promises, refusals: ConversationRefusals) {
    self.refusals = refusals
    self.world = world
    self.promises = promises
  }

  /// Changes its mood until the world heals.
  func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.change(.rejection, lasting: 200...4000, \.rejects) }
      group.addTask { await self.change(.serverError, lasting: 200...20_000, \.fails) }
      group.addTask { await self.change(.busyServer, lasting: 200...60_000, \.isBusy) }
      group.addTask { await self.slowDown() }
    }
  }

  private func change(
    _ fault: Fault, lasting span: ClosedRange<Int>, _ part: WritableKeyPath<Mood, Bool> & Sendable
  ) async {
    await world.episodes(of: fault, lasting: span) {
      world.trace(SimulatedServer.name, "begins to answer with \(fault.rawValue)")
      mood.withLock { $0[keyPath: part] = true }
    } end: {
      mood.withLock { $0[keyPath: part] = false }
      world.trace(SimulatedServer.name, "answers without \(fault.rawValue) again")
    }
  }

  private func slowDown() async {
    await world.episodes(of: .slowServer, lasting: 500...30_000) {
      // The slowest responses exceed a client's timeout.
      let slowness = world.scheduler.draw { Int.random(in: 100...30_000, using: &$0) }
      world.trace(SimulatedServer.name, "is slow")
      mood.withLock { $0.slowness = slowness }
    } end: {
      mood.withLock { $0.slowness = 0 }
      world.trace(SimulatedServer.name, "is as fast as before")
    }
  }

  /// Admits a connecting client. Throws when the connection is refused before the server sees it.
  func admit() throws {
    let mood = mood.withLock { $0 }
    if mood.isBusy, world.scheduler.draw({ $0.chance(0.5) }) {
      world.count(.busyServer)
      throw ConnectionFailure(.unavailable, retryAfter: wait(), detail: "503")
    }
  }

  /// Returns the part of a frame that reaches the server, and answers the rest. Nil when nothing is left of the
  /// frame.
  func pass(_ frame: Data, on channel: SimulatedChannel, to chat: ChatServer) async throws -> Data? {
    if let delay = delay() {
      world.count(.slowServer)
      try await world.scheduler.sleep(until: world.scheduler.now + delay)
    }
    let mood = mood.withLock { $0 }
    guard mood.refuses || refusals.isRefusing || channel.hasRefused, let send = Wire.Send(frame: frame) else {
      return frame
    }
    var passed: [Wire.Outgoing] = []
    for message in send.messages {
      let isStored = try await chat.hasAccepted(message.id)
      // A second copy of one transmission gets the response of the first copy.
      let known = channel.refusal(of: message.id, transmission: message.handover)
      if !isStored, let refusal = known ?? refusal(of: message, from: channel.user, mood) {
        world.trace(
          SimulatedServer.name, "answers \(message.id) with \(refusal.code ?? refusal.kind.rawValue)")
        channel.refuse(refusal)
      } else {
        passed.append(message)
      }
    }
    return try Wire.Send(messages: passed).frame
  }

  /// Does the same for a frame that arrives after its phone has disconnected. A message that was refused on the
  /// phone's connection is not accepted from a second copy of the transmission, because the phone knows that it was
  /// refused.
  func passLate(_ frame: Data, on channel: SimulatedChannel, to chat: ChatServer) async throws -> Data? {
    guard channel.hasRefused, let send = Wire.Send(frame: frame) else { return frame }
    var passed: [Wire.Outgoing] = []
    for message in send.messages {
      let isStored = try await chat.hasAccepted(message.id)
      if isStored || channel.refusal(of: message.id, transmission: message.handover) == nil {
        passed.append(message)
      }
    }
    return try Wire.Send(messages: passed).frame
  }

  private func delay() -> Duration? {
    let slowness = mood.withLock { $0.slowness }
    guard slowness > 0, world.scheduler.draw({ $0.chance(0.3) }) else { return nil }
    return world.scheduler.draw { $0.milliseconds(1...slowness) }
  }

  private func refusal(of message: Wire.Outgoing, from user: UserID, _ mood: Mood) -> Wire.Refused? {
    if let refusal = refusals.refusal(of: message, from: user) { return refusal }
    guard mood.refuses else { return nil }
    func refuse(_ fault: Fault, _ kind: Wire.Refused.Kind, after: Duration? = nil) -> Wire.Refused {
      world.count(fault)
      promises.noteRefusal(MessageID(rawValue: message.id), kind)
      return Wire.Refused(
        id: message.id, handover: message.handover, kind: kind,
        retryAfter: after.map { Int64($0 / .milliseconds(1)) },
        explanation: kind == .rejected ? "This cannot be said here." : nil)
    }
    let dice = world.scheduler.draw { $0.unit() }
    if mood.rejects, dice < 0.4 { return refuse(.rejection, .rejected) }
    if mood.fails, dice < 0.8 { return refuse(.serverError, .transient) }
    if mood.isBusy, dice < 0.9 { return refuse(.busyServer, .busy, after: wait()) }
    return nil
  }

  /// The delay that the server asks a client to wait. Nil when it asks for none.
  private func wait() -> Duration? {
    world.scheduler.draw { $0.chance(0.5) ? $0.milliseconds(0...3000) : nil }
  }
}
