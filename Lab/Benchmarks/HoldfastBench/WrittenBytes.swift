import Foundation

/// How much this process has written: what its calls of write and pwrite have handed to the system since it
/// began, journal and checkpoints alike. What the file system adds for itself is not in it.
enum WrittenBytes {
  /// Throws where the system does not count.
  static func count() throws -> Int {
    let counters = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)
    let line = counters?.split(separator: "\n").first { $0.hasPrefix("wchar: ") }
    guard let count = line.flatMap({ Int($0.dropFirst(7)) }) else {
      throw BenchmarkFailure("This system does not report how much a process writes.")
    }
    return count
  }
}
