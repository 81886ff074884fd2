import Foundation
import ImportFuzzing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Imports damaged files for as long as it is let: `fuzz-import FILES FROM` imports so many files, from that number on. An
/// import that does not end ends the process after a minute. `fuzz-import show NUMBER` writes one file out.
@main struct FuzzImport {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "show", let number = arguments.last.flatMap({ UInt64($0) }) {
      return FileHandle.standardOutput.write(ImportFuzz.file(number).bytes)
    }
    let numbers = arguments.compactMap { UInt64($0) }
    exit(try run(numbers.first ?? 10_000, from: numbers.dropFirst().first ?? 0) == 0 ? 0 : 1)
  }

  private static func run(_ files: UInt64, from first: UInt64) throws -> Int {
    let folder = ProcessInfo.processInfo.environment["HOLDFAST_FUZZ_FOLDER"] ?? NSTemporaryDirectory()
    let place = URL(fileURLWithPath: folder).appendingPathComponent("fuzz-import-\(getpid())")
    let fuzz = try ImportFuzz(in: place, from: first)
    defer { fuzz.end() }
    let (clock, start) = (ContinuousClock(), ContinuousClock().now)
    var found = 0
    for number in first..<(first + files) {
      alarm(60)
      if number % 10_000 == 0 { say("at \(number)") }
      for finding in try fuzz.run(number) {
        found += 1
        say("\(finding)")
      }
    }
    let seconds = start.duration(to: clock.now) / .seconds(1)
    say(
      "\(files) files from \(first), \(Int(Double(files) / seconds)) in a second: \(found) faults. Counted apart: "
        + "\(fuzz.validFiles) reports. Not recognized: \(fuzz.unrecognizedFiles). The slowest import: \(fuzz.slowest)."
    )
    return found
  }

  private static func say(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}
