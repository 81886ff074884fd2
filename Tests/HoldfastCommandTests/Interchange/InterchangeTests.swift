import CommandFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCommand
@testable import HoldfastCore
@testable import HoldfastStore

/// The command runs as a separate process.
@Suite(.timeLimit(.minutes(10))) struct InterchangeTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "holdfast-interchange-\(UUID().uuidString)")
  private var store: String { folder.appending(path: "alice").path }
  private var history: String { folder.appending(path: "history.json").path }

  private func write(_ text: String) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: history))
  }

  private let sample =
    #"{"conversations":[{"id":"c","title":"T","messages":[{"id":"m","role":"user","content":"x"}]}]}"#

  // H9.1, H9.2
  @Test func `import and export go through a file, for readers and for programs`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write(sample)
    #expect(
      try holdfast("import", history, "--store", store).status == 2, "Nobody knows whose the store would be.")
    let first = try holdfast("import", history, "--store", store, "--user", "alice")
    #expect(first.status == 0, "\(first.output)")
    #expect(first.output.contains("new          1 conversations, 1 messages"), "\(first.output)")
    let again = try holdfast("import", history, "--store", store, "--json")
    let report = try JSONSerialization.jsonObject(with: Data(again.output.utf8)) as? [String: Any]
    #expect((report?["messages"] as? Int, report?["alreadyHere"] as? Int) == (0, 1))
    let output = folder.appending(path: "out.json").path
    #expect(try holdfast("export", "--store", store, "--output", output).status == 0)
    #expect(try String(contentsOfFile: output, encoding: .utf8).contains(#""content":"x""#))
    #expect(
      try holdfast("export", "--store", store, "--output", output).status == 2, "Nothing is overwritten.")
    let text = folder.appending(path: "out.txt").path
    #expect(try holdfast("export", "--store", store, "--format", "text", "--output", text).status == 0)
    #expect(try String(contentsOfFile: text, encoding: .utf8).contains("alice: x"))
  }

  #if os(Linux)
    /// Sanitizers reserve more memory than any limit allows.
    private static let isSanitized = ["TSAN_OPTIONS", "ASAN_OPTIONS"].contains {
      ProcessInfo.processInfo.environment[$0] != nil
    }

    // H9.3
    @Test(.enabled(if: !isSanitized, "A sanitizer needs more memory than the limit."))
    func `a history that does not fit into memory is imported and exported`() throws {
      defer { try? FileManager.default.removeItem(at: folder) }
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let (megabytes, limit) = (72, 64)
      try writeHistory(messages: megabytes, eachOf: 1_000_000)
      let output = folder.appending(path: "out.json")
      for arguments in [
        ["import", history, "--store", store, "--user", "alice"],
        ["export", "--store", store, "--output", output.path],
      ] {
        let (status, said) = try limited(toMegabytes: limit, arguments)
        #expect(status == 0, "\(arguments) \(said)")
      }
      #expect(try FileStatus(of: output).byteCount > Int64(megabytes) * 1_000_000)
    }

    private func writeHistory(messages: Int, eachOf bytes: Int) throws {
      try Data(#"{"conversations":[{"id":"c","title":"T","messages":["#.utf8).write(
        to: URL(filePath: history))
      let file = try FileHandle(forWritingTo: URL(filePath: history))
      defer { try? file.close() }
      try file.seekToEnd()
      let text = Data(repeating: UInt8(ascii: "x"), count: bytes)
      for number in 0..<messages {
        let separator = number == 0 ? "" : ","
        try file.write(contentsOf: Data(#"\#(separator){"id":"m\#(number)","role":"user","content":""#.utf8))
        try file.write(contentsOf: text)
        try file.write(contentsOf: Data(#""}"#.utf8))
      }
      try file.write(contentsOf: Data("]}]}".utf8))
    }

    /// Runs the command in a process that gets no more memory than this for its data.
    private func limited(
      toMegabytes limit: Int, _ arguments: [String]
    ) throws -> (status: Int32, output: String) {
      let (process, output) = (Process(), Pipe())
      process.executableURL = URL(filePath: "/bin/bash")
      process.arguments =
        [
          "-c", "ulimit -d \(limit * 1_024); exec \"$0\" \"$@\"",
          Bundle.main.bundleURL.appending(path: "holdfast").path,
        ]
        + arguments
      process.standardOutput = output
      process.standardError = output
      try process.run()
      let data = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
  #endif

  // H13.11
  @Test(arguments: [
    ("PK\u{3}\u{4}", "This is a ZIP archive."), ("<html>", "This is a page in HTML."),
    (#"{"conversations":[{"id":"c","messages":[{"role":"user"}]}]}"#, "A required field is missing"),
  ])
  func `a file of which nothing can be read leaves no store behind`(_ text: String, _ words: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write(text)
    let (status, output) = try holdfast("import", history, "--store", store, "--user", "alice")
    #expect(status == (text.hasPrefix("{") ? 1 : 2))
    #expect(output.contains(words), "\(output)")
    #expect(!FileManager.default.fileExists(atPath: store))
  }

  // H9.4
  @Test func `a damaged file ends with 1 and a list, and another kind of file with 2`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write(String(sample.dropLast(6)))
    let cut = try holdfast("import", history, "--store", store, "--user", "alice")
    #expect(cut.status == 1, "\(cut.output)")
    #expect(cut.output.contains("conversations[0].messages[0] at byte"), "\(cut.output)")
    try write("hello")
    #expect(try holdfast("import", history, "--store", store).status == 2)
    #expect(try holdfast("import", history).status == 64)
    #expect(try holdfast("import", "--help").output.contains("holdfast import history.json --name alice"))
    #expect(
      try holdfast("export", "--help").output.contains("holdfast export --name alice --output history.json"))
  }
}
