import Foundation

/// `holdfast relay` as a process of its own, with an empty store and two accounts. The build puts it beside
/// this command.
final class RelayProcess {
  static let token = "eg-token"
  let port: UInt16
  private let process = Process()
  /// The relay ends with it, also when this process is killed.
  private let input = Pipe()

  init(data: URL, messagesPerSecond: Int = 500) throws {
    let program = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("holdfast")
    guard FileManager.default.isExecutableFile(atPath: program.path) else {
      throw BenchmarkFailure("There is no relay at \(program.path): build the whole package.")
    }
    let output = Pipe()
    process.executableURL = program
    process.arguments = [
      "relay", "--data", data.path, "--account", "alice:\(Self.token)", "--account", "bob:eg-other",
      "--exit-with-input", "--messages-per-second", "\(messagesPerSecond)",
    ]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var line = ""
    while !line.hasSuffix("\n") {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw BenchmarkFailure("The relay ended before it listened.") }
      line += String(decoding: more, as: UTF8.self)
    }
    guard let address = URL(string: line.trimmingCharacters(in: .whitespacesAndNewlines)),
      let port = address.port
    else { throw BenchmarkFailure("The relay said '\(line)' instead of its address.") }
    self.port = UInt16(port)
  }

  func stop() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
