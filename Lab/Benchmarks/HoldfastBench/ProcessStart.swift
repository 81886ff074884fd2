import Foundation
import Holdfast

/// An app is launched, from before its process is there until the newest rows are: beside a process that does nothing.
@MainActor enum ProcessStart {
  static func measure(_ store: URL, named name: String, samples: Int) throws -> [Outcome] {
    let arguments = [store.path, Rig.conversation.rawValue]
    var (opened, loaded, empty) = (Samples(), Samples(), Samples())
    var (beyond, peaks) = (Samples(), Samples())
    for number in 0..<samples + 5 {
      let nothing = try start("empty-process", [])
      let libraries = try start("open-process", [])
      let rows = try start("open-process", arguments)
      guard rows.line == "100" else { throw BenchmarkFailure("A process showed \(rows.line) rows, not 100.") }
      // The first ones bring the files into memory.
      guard number >= 5 else { continue }
      empty.append(nothing.time)
      loaded.append(libraries.time)
      opened.append(rows.time)
      beyond.append(rows.time - nothing.time)
      peaks.append((Double(rows.rest) ?? 0) / 1_024)
    }
    return [
      Outcome(
        name: "process start, \(name)",
        summary: "from before the process is made until it has opened the store and has the last 100 rows; "
          + "under C stands a process of Swift that does nothing", engine: opened, raw: empty),
      Outcome(
        name: "  beyond an empty process", summary: "the same, less the empty process beside it",
        engine: beyond,
        aim: .value(4)),
      Outcome(
        name: "  libraries alone",
        summary:
          "the process of an app until its first line: Foundation and what else the engine is linked with",
        engine: loaded, raw: empty),
      Outcome(name: "  peak memory", summary: "resident, of that process", unit: "MB", engine: peaks),
    ]
  }

  /// Starts a program that the build puts beside this command, and returns when it had said its first line.
  private static func start(
    _ name: String, _ arguments: [String]
  ) throws -> (time: Duration, line: String, rest: String) {
    let program = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent(name)
    guard FileManager.default.isExecutableFile(atPath: program.path) else {
      throw BenchmarkFailure("There is no \(program.path): build the whole package.")
    }
    let (process, output) = (Process(), Pipe())
    process.executableURL = program
    process.arguments = arguments
    process.standardOutput = output
    let start = ContinuousClock.now
    try process.run()
    let first = output.fileHandleForReading.availableData
    let time = start.duration(to: .now)
    let rest = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let lines = String(decoding: first + rest, as: UTF8.self).split(separator: "\n").map(String.init)
    guard process.terminationStatus == 0, let line = lines.first else {
      throw BenchmarkFailure("\(name) ended with \(process.terminationStatus).")
    }
    return (time, line, lines.last ?? "")
  }
}
