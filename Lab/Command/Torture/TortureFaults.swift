import Foundation
import Holdfast
import HoldfastTesting
import Processes

/// The faults of phones, links and the relay. Each has its own random generator, and continues until the task is
/// cancelled. The caller that cancels restores whatever is stopped or silent at that moment.
struct TortureFaults: Sendable {
  let tally: TortureTally
  let environment: ChatEnvironment

  /// Kills and stops one phone, and flaps its network.
  func befall(_ phone: TorturedPhone, dice: SeededRandom) async {
    var dice = dice
    try? await repeatedly(every: 300...4000, &dice) { dice in
      guard phone.isRunning else { return }
      switch dice.unit() {
      case ..<0.4: await phone.kill()
      case ..<0.65:
        await phone.pause()
        try await wait(span(&dice))
        if dice.chance(0.2) { await phone.kill() } else { await phone.resume() }
      default:
        for _ in 0..<Int.random(in: 1...4, using: &dice) {
          tally.count(\.flaps)
          _ = await phone.handset.setAirplane(true)
          try await wait(dice.milliseconds(20...1500))
          _ = await phone.handset.setAirplane(false)
          try await wait(dice.milliseconds(20...800))
        }
      }
    }
  }

  /// Cuts and silences one phone's link to the relay. A silent link keeps its connections open and accepts new ones,
  /// but delivers nothing: only a heartbeat detects that. Bytes in flight continue when the silence ends, as after a
  /// tunnel, or are lost when the link is cut meanwhile.
  func befall(_ link: ProxiedNetwork, dice: SeededRandom) async {
    var dice = dice
    try? await repeatedly(every: 500...8000, &dice) { dice in
      if dice.chance(0.5) {
        tally.count(\.cuts)
        return await link.obey(.reset)
      }
      tally.count(\.silences)
      await link.obey(.hole)
      try await wait(span(&dice))
      if dice.chance(0.3) { await link.obey(.reset) }
      await link.obey(.pass)
    }
  }

  /// Kills and stops the relay.
  func befall(relay: HostedProcess, dice: SeededRandom) async {
    var dice = dice
    try? await repeatedly(every: 1000...12_000, &dice) { dice in
      if dice.chance(0.65) {
        tally.count(\.relayKills)
        await relay.kill()
        try await wait(dice.milliseconds(0...3000))
        try await relay.launch()
      } else {
        tally.count(\.relayStops)
        await relay.pause()
        try await wait(span(&dice))
        await relay.resume()
      }
    }
  }

  private func repeatedly(
    every gap: ClosedRange<Int>, _ dice: inout SeededRandom,
    _ strike: (inout SeededRandom) async throws -> Void
  ) async throws {
    while !Task.isCancelled {
      try await wait(dice.milliseconds(gap))
      try await strike(&dice)
    }
  }

  /// A random duration: mostly a moment, sometimes longer than a client's timeout.
  private func span(_ dice: inout SeededRandom) -> Duration {
    dice.milliseconds(dice.chance(0.8) ? 100...2500 : 2500...25_000)
  }

  private func wait(_ span: Duration) async throws {
    try await environment.sleep(environment.uptime() + span)
  }
}
