import Foundation
import ImportFuzzing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Imports damaged files: `fuzz-import FILES FROM` imports this many files, from that number on. An import that does
/// not end ends the process after a minute. `fuzz-import --seconds SECONDS` imports for this long, and begins at a
/// number derived from the time. `fuzz-import show NUMBER` writes one file out.
@main struct FuzzImport {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "show", let number = arguments.last.flatMap({ UInt64($0) }) {
      return FileHandle.standardOutput.write(ImportFuzz.file(number).bytes)
    }
    let numbers = arguments.compactMap { UInt64($0) }
    if arguments.first == "--seconds", let seconds = numbers.first {
      // Repeating yesterday's files finds nothing new. The store of a hundred files begins with the first.
      let first = UInt64(Date().timeIntervalSince1970) * 10_000
      exit(try run(.max - first, from: first, within: .seconds(seconds)) == 0 ? 0 : 1)
    }
    exit(try run(numbers.first ?? 10_000, from: numbers.dropFirst().first ?? 0) == 0 ? 0 : 1)
  }

  private static func run(
    _ files: UInt64, from first: UInt64, within time: Duration? = nil
  ) throws -> Int {
    let folder = ProcessInfo.processInfo.environment["HOLDFAST_FUZZ_FOLDER"] ?? NSTemporaryDirectory()
    let place = URL(fileURLWithPath: folder).appendingPathComponent("fuzz-import-\(getpid())")
    let fuzz = try ImportFuzz(in: place, from: first)
    defer { fuzz.end() }
    let (clock, start) = (ContinuousClock(), ContinuousClock().now)
    var (found, done) = (0, UInt64(0))
    for number in first..<(first + files) {
      if let time, start.duration(to: clock.now) >= time { break }
      alarm(60)
      if number % 10_000 == 0 { say("at \(number)") }
      for finding in try fuzz.run(number) {
        found += 1
        say("\(finding)")
      }
      done += 1
    }
    let seconds = start.duration(to: clock.now) / .seconds(1)
    say(
      "\(done) files from \(first), \(Int(Double(done) / seconds)) in a second: \(found) faults. Counted apart: "
        + "\(fuzz.validFiles) reports. Not recognized: \(fuzz.unrecognizedFiles). The slowest import: \(fuzz.slowest)."
        + (peak.map { " At most \($0) MB." } ?? "")
    )
    return found
  }

  /// The process's peak memory, in MB. Nil where the system has no file with it.
  private static var peak: Int? {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
    return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 / 1024 }
  }

  private static func say(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}
