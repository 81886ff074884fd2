import Foundation
import Holdfast

/// What one more message costs, the more messages are stored: beside C, and beside one JSON file.
struct HistoryGrowthTrial: Trial {
  static let name = "growth of the history"
  static let seriesName = "saved message"
  static let sizes = [100, 1_000, 10_000, 100_000]

  static func run(on bench: Workbench) async throws -> Findings {
    var points: [GrowthSeries.Point] = []
    for size in sizes {
      points.append(try await bench.withRig(history: size, isOnline: true) { try await point($0, bench) })
    }
    return Findings(growth: [GrowthSeries(name: seriesName, counted: "history", points: points)])
  }

  private static func point(_ rig: Rig, _ bench: Workbench) async throws -> GrowthSeries.Point {
    let messages = Rig.messages(1...rig.history).map(JSONMessage.init)
    let json = JSONFile(file: rig.folder.appendingPathComponent("history.json"), elements: messages)
    return try await GrowthSeries.Point.measure(rig.history, rounds: bench.samples ?? 100, json) { round in
      try await rig.append(1, sample: round)
    } raw: { round in
      try rig.appendRaw(1, sample: round)
    }
  }
}

/// What one more unsent message costs, the more of them wait: beside C, and beside one JSON queue.
struct QueueGrowthTrial: Trial {
  static let name = "growth of the queue"
  static let sizes = [10, 100, 1_000, 10_000]

  static func run(on bench: Workbench) async throws -> Findings {
    let points = try await bench.withRig(isOnline: false) { rig in
      var points: [GrowthSeries.Point] = []
      var queued = 0
      for size in sizes {
        while queued < size {
          _ = try (send(queued, rig), sendRaw(queued, rig))
          queued += 1
        }
        let json = JSONFile(file: rig.folder.appendingPathComponent("queue.json"), elements: queue(size))
        let rounds = bench.samples ?? 50
        points.append(
          try await GrowthSeries.Point.measure(size, rounds: rounds, json) { round in
            try send(round, rig)
          } raw: { round in
            try sendRaw(round, rig)
          })
        queued += rounds
      }
      return points
    }
    return Findings(growth: [GrowthSeries(name: "queued message", counted: "queue", points: points)])
  }

  private static func send(_ number: Int, _ rig: Rig) throws -> Duration {
    let start = ContinuousClock.now
    try rig.client.send(typedText(number), in: rig.conversation)
    return start.duration(to: .now)
  }

  private static func sendRaw(_ number: Int, _ rig: Rig) throws -> Duration {
    try rig.raw.sendWithoutDraft(typedText(number), in: rig.conversation, from: Rig.user)
  }

  private static func queue(_ count: Int) -> [JSONQueued] {
    (1...count).map { number in
      JSONQueued(
        id: RawStore.makeID(), chatID: Rig.conversation.rawValue, text: typedText(number),
        timestamp: Date(timeIntervalSince1970: 1_760_000_000 + Double(number)), retryCount: 0)
    }
  }
}

extension GrowthSeries.Point {
  /// All four in turn. A large file is rewritten only as often as its median needs.
  @MainActor fileprivate static func measure(
    _ count: Int, rounds: Int, _ json: JSONFile<some Codable>,
    engine: (Int) async throws -> Duration, raw: (Int) throws -> Duration
  ) async throws -> GrowthSeries.Point {
    let rewrites = max(3, min(rounds, 100_000 / count))
    var (engines, raws, synced, unsynced) = (Samples(), Samples(), Samples(), Samples())
    for round in 0..<rounds {
      engines.append(try await engine(round))
      raws.append(try raw(round))
      guard round < rewrites else { continue }
      synced.append(try json.saveSynced())
      unsynced.append(try json.save())
    }
    return GrowthSeries.Point(
      count: count, engine: engines.percentile(0.5), raw: raws.percentile(0.5),
      jsonSynced: synced.percentile(0.5), json: unsynced.percentile(0.5))
  }
}
