import CMemory
import Foundation

/// The resident memory of this process in kilobytes, as Linux reports it.
enum Memory {
  /// Forgets the peak so far, and gives what is in memory now. Memory that was freed goes back to the system first, or
  /// its reuse would not count.
  static func forgetPeak() throws -> Double {
    give_memory_back()
    try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    return try read("VmRSS:")
  }

  static func peak() throws -> Double { try read("VmHWM:") }

  private static func read(_ field: String) throws -> Double {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix(field) }
    guard let number = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Double($0) })
    else {
      throw BenchmarkFailure("The system does not report what is in memory.")
    }
    return number
  }
}
