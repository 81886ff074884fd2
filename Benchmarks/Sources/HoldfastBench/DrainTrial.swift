import Foundation
import Holdfast
import HoldfastWebSocket

/// A thousand messages were written offline, and the network comes back.
struct DrainTrial: Trial {
  static let name = "drain 1,000 queued"
  private static let count = 1_000
  private static let roundTrip: Duration = .milliseconds(50)

  static func run(on bench: Workbench) async throws -> Findings {
    var trips = Samples()
    for number in 0..<min(bench.samples ?? 5, 5) {
      let place = bench.folder.appendingPathComponent("drain-\(number)")
      defer { try? FileManager.default.removeItem(at: place) }
      trips.append(try await drain(in: place) / roundTrip)
    }
    return Findings(outcomes: [
      Outcome(
        name: name,
        summary: "from run(), connecting included, until the last receipt is stored; WebSocket, a relay in "
          + "another process, and 25 ms each way between them",
        unit: "trips", engine: trips, aim: .value(10))
    ])
  }

  private static func drain(in place: URL) async throws -> Duration {
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
    // The list shows how many wait, so that it looks again after each commit that settles some.
    for await list in client.conversations() where list.rows.first?.unsentCount == 0 { break }
    let time = start.duration(to: .now)
    running.cancel()
    await running.value
    return time
  }
}
