import ArgumentParser
import ChatServer
import Foundation
import Holdfast
import HoldfastCommand
import HoldfastTesting
import HoldfastWebSocket
import Processes
import Simulator

/// Runs the relay, the phones and the links between them, from the first launch to the comparison of the stores.
struct TortureStage: Sendable {
  struct Plan: Sendable {
    /// The duration of the faults.
    var rage: Duration
    var phones: Int
    var seed: UInt64
    /// The longest time for everything to come to rest afterwards.
    var patience: Duration = .seconds(180)
  }

  let plan: Plan
  /// An empty folder that no other user can read.
  let folder: URL
  /// The `holdfast` program. Nil means this process's own.
  var program: URL?
  let environment: ChatEnvironment
  let tally = TortureTally()
  let relayAddress = RelayAddress()
  /// Opens when the users should stop writing.
  private let bedtime = Latch()
  /// Opens when the faults should end early.
  private let hurry = Latch()
  /// Opens when all waiting should end.
  private let impatience = Latch()

  init(plan: Plan, folder: URL, program: URL? = nil, environment: ChatEnvironment) {
    self.plan = plan
    self.folder = folder
    self.program = program
    self.environment = environment
  }

  var names: [String] { (1...plan.phones).map { "phone\($0)" } }

  /// - Parameters:
  ///   - signals: the first one ends the faults, the second one the wait for rest.
  ///   - progress: called every second.
  func run(
    until signals: AsyncStream<Int32>, progress: @escaping @Sendable (TortureProgress) -> Void
  ) async throws -> TortureReport {
    let start = environment.uptime()
    let tokens = try makeAccounts()
    let relay = makeRelay()
    var phones: [TorturedPhone] = []
    for name in names { phones.append(try makePhone(name, token: tokens[name] ?? "")) }
    let all = phones
    try await withThrowingTaskGroup(of: Void.self) { machinery in
      machinery.addTask { await relay.run() }
      for phone in all {
        machinery.addTask { await phone.handset.process.run() }
        machinery.addTask { try await phone.link.run() }
      }
      machinery.addTask { await listen(to: signals) }
      machinery.addTask { try await report(since: start, all, progress) }
      defer { machinery.cancelAll() }
      try await relay.launch()
      guard let address = await relay.wait(for: { RelayAddress.parse($0) }) else {
        throw Complaint(.failed, "The relay did not start. See \(folder.path)/relay.log.")
      }
      relayAddress.set(address)
      for phone in all { await phone.link.isListening() }
      await live(relay, all)
      await reachQuiescence(all)
      await stop(all.map(\.handset.process))
      await stop([relay])
    }
    return try await compare(all, since: start)
  }

  private func live(_ relay: HostedProcess, _ phones: [TorturedPhone]) async {
    await withTaskGroup(of: Void.self) { users in
      for (index, phone) in phones.enumerated() {
        var user = TortureUser(
          phone: phone, tally: tally, environment: environment, bedtime: bedtime, dice: dice(3 * index + 1))
        users.addTask { await user.use() }
      }
      await rage(relay, phones)
      await relay.resume()
      // The relay is running, unless it was killed a moment ago.
      try? await relay.launch()
      for phone in phones { await phone.heal() }
      bedtime.ring()
      await users.waitForAll()
    }
    // A phone that was down when its network came back has been launched with the network since.
    for phone in phones { await phone.heal() }
  }

  private func rage(_ relay: HostedProcess, _ phones: [TorturedPhone]) async {
    let faults = TortureFaults(tally: tally, environment: environment)
    await withTaskGroup(of: Void.self) { group in
      for (index, phone) in phones.enumerated() {
        group.addTask { await faults.befall(phone, dice: dice(3 * index + 2)) }
        group.addTask { await faults.befall(phone.link, dice: dice(3 * index + 3)) }
      }
      group.addTask { await faults.befall(relay: relay, dice: dice(0)) }
      await hurry.wait(until: environment.uptime() + plan.rage, in: environment)
      group.cancelAll()
    }
  }

  /// Waits until every phone is online, no message waits, and all phones show the same last message.
  private func reachQuiescence(_ phones: [TorturedPhone]) async {
    let deadline = environment.uptime() + plan.patience
    var calm = 0
    // At rest five times in a row, so that changes in flight to a screen have time to arrive.
    while environment.uptime() < deadline, !impatience.hasRung, calm < 5 {
      let screens = phones.map(\.screen)
      let isCalm =
        screens.allSatisfy { $0?.link == .online && $0?.unsent == 0 }
        && Set(screens.map { $0?.conversation?.rows.last?.id }).count == 1
      calm = isCalm ? calm + 1 : 0
      for phone in phones { await retryFailed(on: phone) }
      await impatience.wait(until: environment.uptime() + .milliseconds(200), in: environment)
    }
    guard calm < 5 else { return }
    for phone in phones {
      let screen = phone.screen
      tally.fail(
        Violation(
          promise: "everything comes to rest",
          expected: "\(phone.name) online, with nothing that waits, after \(plan.patience / .seconds(1)) s",
          found: "\(screen?.link.rawValue ?? "no picture"), \(screen?.unsent ?? 0) waiting"))
    }
  }

  /// Retries failed messages. A message may have failed because its phone was killed too often while it was in
  /// flight.
  private func retryFailed(on phone: TorturedPhone) async {
    for row in phone.screen?.failed ?? [] {
      tally.retried(row.content.text)
      _ = await phone.handset.perform(PhoneIntent(type: .retry, message: row.id))
    }
  }

  private func stop(_ processes: [HostedProcess]) async {
    await withTaskGroup { group in
      for process in processes {
        group.addTask { await process.stop(grace: .seconds(10), environment: environment) }
      }
    }
  }

  private func listen(to signals: AsyncStream<Int32>) async {
    for await _ in signals { if hurry.hasRung { impatience.ring() } else { hurry.ring() } }
  }

  private func report(
    since start: ChatEnvironment.Instant, _ phones: [TorturedPhone],
    _ progress: @Sendable (TortureProgress) -> Void
  ) async throws {
    for number in 1... {
      try await environment.sleep(start + .seconds(number))
      progress(
        TortureProgress(
          number: number, elapsed: environment.uptime() - start, counts: tally.counts,
          waiting: phones.reduce(0) { $0 + ($1.screen?.unsent ?? 0) }))
    }
  }

  /// The random generator of one participant. Each participant has its own, so that the draws of one do not change
  /// another's.
  private func dice(_ number: Int) -> SeededRandom {
    var seeds = SeededRandom(seed: plan.seed)
    for _ in 0..<number { _ = seeds.next() }
    return SeededRandom(seed: seeds.next())
  }
}

/// The comparison of the stores.
extension TortureStage {
  private func compare(
    _ phones: [TorturedPhone], since start: ChatEnvironment.Instant
  ) async throws -> TortureReport {
    let server = try ChatServer(folder: relayFolder)
    let served = try await server.messages(in: TortureUser.conversation)
    await server.stop()
    let places = try phones.map { phone in
      let stored = try stored(by: phone)
      phone.checkDraft(stored.draft)
      return TortureOutcome.Place(name: phone.name, rows: stored.rows)
    }
    let verdict = TortureOutcome(
      sent: tally.messages, restored: tally.restored,
      server: .init(
        name: "the server", rows: served.map { .init(id: $0.id, sender: $0.sender, text: $0.text) }),
      phones: places
    ).judge()
    return TortureReport(
      seed: plan.seed, seconds: Int((environment.uptime() - start) / .seconds(1)), phones: plan.phones,
      counts: tally.counts, delivered: served.count, lost: verdict.lost, doubled: verdict.doubled,
      outOfOrder: verdict.outOfOrder, violations: (tally.violations + verdict.violations).map(\.description))
  }

  /// Reads a phone's store, opened as its app would open it. Nothing is sent.
  private func stored(by phone: TorturedPhone) throws -> (rows: [TortureOutcome.Row], draft: String) {
    var environment = environment
    environment.logger.logLevel = .error
    guard let nowhere = URL(string: "ws://127.0.0.1:1/v1/connect") else {
      throw CocoaError(.coderInvalidValue)
    }
    let client = try ChatClient(
      storage: .folder(phone.folder),
      transport: WebSocketTransport(url: nowhere, environment: environment) { "" },
      user: UserID(rawValue: phone.name), configuration: ChatConfiguration(environment: environment))
    let rows = try client.reader.conversation(TortureUser.conversation, limit: .max).rows
    let drafts = try client.drafts.stored(in: TortureUser.conversation)
    return (
      rows.map {
        .init(
          id: $0.id.rawValue, sender: $0.sender.rawValue, text: $0.text,
          isDelivered: !$0.status.isUnsent)
      }, drafts.first ?? ""
    )
  }
}
