import Foundation
import Holdfast
import HoldfastWebSocket
import HoldfastTransport

/// The promise to the user of a chat: a message is in the timeline, and durable, within 10 ms of the tap, offline and
/// online (rule O2). Online, a relay in another process takes each message.
struct TapTrial: Trial {
  static let name = "tap within 10 ms"
  private static let conversation: ConversationID = "taps"

  static func run(on bench: Workbench) async throws -> Findings {
    let relay = try RelayProcess(
      data: bench.folder.appendingPathComponent("tap-relay"), messagesPerSecond: 1_000_000)
    defer { relay.stop() }
    let online = WebSocketTransport(url: URL(string: "ws://127.0.0.1:\(relay.port)/v1/connect")!) {
      RelayProcess.token
    }
    let transports: [(String, any Transport)] = [
      ("offline", Backend(isReachable: false)), ("online", online),
    ]
    var findings = Findings()
    for (state, transport) in transports {
      findings.outcomes.append(
        Outcome(
          name: "tap, \(state)",
          summary:
            "from the tap until the row is in ConversationModel.snapshot and the message is on disk, with 10,000 "
            + "other messages stored",
          engine: try await times(over: transport, on: bench), aim: .tail(10)))
    }
    return findings
  }

  private static func times(over transport: any Transport, on bench: Workbench) async throws -> Samples {
    let place = bench.folder.appendingPathComponent("taps")
    defer { try? FileManager.default.removeItem(at: place) }
    try FileManager.default.copyItem(at: try await bench.template(of: 10_000), to: place)
    let client = try Rig.open(place, transport)
    try client.createConversation(conversation, members: [Rig.user, "bob"])
    let (composer, timeline) = (ComposerModel(client, conversation), ConversationModel(client, conversation))
    return try await bench.withRunning(client) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await timeline.run() }
        group.addTask { await composer.run() }
        defer { group.cancelAll() }
        return try await taps(composer, timeline, count: bench.samples ?? 400)
      }
    }
  }

  private static func taps(
    _ composer: ComposerModel, _ timeline: ConversationModel, count: Int
  ) async throws -> Samples {
    var times = Samples()
    for number in 0..<count {
      composer.edit(typedText(number))
      // The one before is on its way meanwhile.
      try await Task.sleep(for: .milliseconds(5))
      let start = ContinuousClock.now
      guard let id = composer.send() else {
        throw BenchmarkFailure("not sent: \(composer.snapshot.problem ?? "")")
      }
      while timeline.snapshot.rows.last?.id != id { await timeline.nextSnapshot() }
      times.append(start.duration(to: .now))
    }
    return times
  }
}
