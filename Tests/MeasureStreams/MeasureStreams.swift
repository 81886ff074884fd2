import Foundation

/// Parses long answers of a model, and reports the costs. Compiled by scripts/measure-streams.sh together with the
/// parser's sources.
@main struct Measure {
  static func main() {
    let delta = Array(
      "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word \"},\"finish_reason\":null}]}\n\n"
        .utf8)
    let empty = Array("data:\n\n".utf8)
    let endless = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)
    let large = Array(repeating: delta, count: 700).flatMap(\.self)
    measure("2 GB of words", times: (2 << 30) / large.count, large[...])
    measure("16 MB of words, byte by byte", times: (16 << 20) / delta.count, delta[...], size: 1)
    measure("1,000,000 empty events", times: 1_000_000, empty[...])
    measure("2 GB in one line", times: (2 << 30) / endless.count, endless[...])
  }

  private static func measure(_ name: String, times: Int, _ piece: ArraySlice<UInt8>, size: Int? = nil) {
    var reading = BodyReading(.chatCompletions, status: 200, contentType: "text/event-stream")
    let (before, start) = (peak(), ContinuousClock.now)
    var parts = 0
    for _ in 0..<times where !reading.isOver {
      guard size != nil else {
        parts += reading.read(piece).count
        continue
      }
      for index in piece.indices { parts += reading.read(piece[index..<(index + 1)]).count }
    }
    let ending = reading.end(isComplete: true).1
    let time = (ContinuousClock.now - start) / .seconds(1)
    print(
      "\(name): \(parts) parts, \(ending), \(String(format: "%.1f", time)) s, \((peak() - before) >> 10) MB more"
    )
  }

  /// The process's peak memory, in KB.
  private static func peak() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    return status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
      .flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }
}
