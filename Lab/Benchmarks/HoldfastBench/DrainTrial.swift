import Foundation
import Holdfast
import HoldfastWebSocket

/// Messages were written offline, and the network comes back (rule O5).
@MainActor private enum Drain {
  static let roundTrip: Duration = .milliseconds(50)
  static let summary =
    "from run(), connecting included, until the last receipt is stored; WebSocket, a relay in another process, and "
    + "25 ms each way between them"

  /// The times of a few drains of so many messages.
  static func times(of count: Int, on bench: Workbench) async throws -> [Duration] {
    var times: [Duration] = []
    for number in 0..<min(bench.samples ?? 5, 5) {
      let place = bench.folder.appendingPathComponent("drain-\(count)-\(number)")
      defer { try? FileManager.default.removeItem(at: place) }
      times.append(try await time(of: count, in: place))
    }
    return times
  }

  private static func time(of count: Int, in place: URL) async throws -> Duration {
    let relay = try RelayProcess(data: place.appendingPathComponent("relay"))
    defer { relay.stop() }
    let link = try SlowLink(to: relay.port, roundTrip: roundTrip)
    defer { link.close() }
    let transport = WebSocketTransport(url: URL(string: "ws://127.0.0.1:\(link.port)/v1/connect")!) {
      RelayProcess.token
    }
    let client = try Rig.openEmpty(in: place.appendingPathComponent("store"), transport)
    for number in 0..<count { try client.send(typedText(number), in: Rig.conversation) }
    let start = ContinuousClock.now
    let running = Task { await client.run() }
    // The list shows how many wait, so that it looks again after each commit that confirms some.
    for await list in client.conversations() where list.rows.first?.unsentCount == 0 { break }
    let time = start.duration(to: .now)
    running.cancel()
    await running.value
    return time
  }
}

/// The queue of somebody who comes out of a tunnel: 10 messages in under 2 s, 20 in under 5 s.
struct ShortDrainTrial: Trial {
  static let name = "drain 10 and 20 queued"

  static func run(on bench: Workbench) async throws -> Findings {
    var findings = Findings()
    for (count, seconds) in [(10, 2.0), (20, 5.0)] {
      var times = Samples()
      for time in try await Drain.times(of: count, on: bench) { times.append(time / .seconds(1)) }
      findings.outcomes.append(
        Outcome(
          name: "drain \(count) queued", summary: Drain.summary, unit: "s", engine: times, aim: .tail(seconds)
        ))
    }
    return findings
  }
}

struct DrainTrial: Trial {
  static let name = "drain 1,000 queued"

  static func run(on bench: Workbench) async throws -> Findings {
    var trips = Samples()
    for time in try await Drain.times(of: 1_000, on: bench) { trips.append(time / Drain.roundTrip) }
    return Findings(outcomes: [
      Outcome(name: name, summary: Drain.summary, unit: "trips", engine: trips, aim: .value(10))
    ])
  }
}
