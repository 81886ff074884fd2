import Foundation
import Holdfast

/// The result of a run.
struct TortureReport: Sendable, Codable {
  var seed: UInt64
  var seconds: Int
  var phones: Int
  var counts: TortureTally.Counts
  /// The number of messages in the server's database.
  var delivered: Int
  var lost: Int
  var doubled: Int
  var outOfOrder: Int
  /// One sentence for each broken promise.
  var violations: [String]
  /// The folder with the stores and logs. Nil when they were deleted.
  var folder: String?

  /// The report as text for a reader.
  var text: String {
    var lines = [
      "seed \(seed): \(phones) phones for \(seconds) s",
      "survived: \(counts.kills) killed phones, \(counts.relayKills) killed relays, \(counts.stops) stopped phones, "
        + "\(counts.relayStops) stopped relays, \(counts.flaps) flaps, \(counts.cuts) cut connections, "
        + "\(counts.silences) silent links",
      "sent: \(counts.sent), and \(counts.unanswered) whose phone died before it could say so; on the server: "
        + "\(delivered)",
      "drafts: \(counts.drafts) typed and not sent, \(counts.restores) launches compared",
    ]
    if !violations.isEmpty {
      lines.append("broken:")
      lines += violations.prefix(50).map { "  \($0)" }
      if violations.count > 50 { lines.append("  and \(violations.count - 50) more") }
    }
    if let folder { lines.append("stores and logs: \(folder)") }
    lines.append("\(lost) lost, \(doubled) doubled, \(outOfOrder) out of order")
    return lines.joined(separator: "\n")
  }
}

/// The progress of a run.
struct TortureProgress: Sendable {
  /// Counted from 1, one a second.
  var number: Int
  var elapsed: Duration
  var counts: TortureTally.Counts
  /// The number of messages that a phone accepted and the server has not confirmed.
  var waiting: Int

  var line: String {
    let seconds = Int(elapsed / .seconds(1))
    let clock = "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
    return "\(clock)  sent \(counts.sent)  delivered \(max(0, counts.sent - waiting))  "
      + "kills \(counts.kills + counts.relayKills)  stops \(counts.stops + counts.relayStops)  "
      + "flaps \(counts.flaps + counts.cuts + counts.silences)"
  }
}
