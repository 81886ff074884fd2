import Foundation
import Holdfast
import Testing

/// An assistant on this device only, as a separate process.
@Suite(.timeLimit(.minutes(10))) struct LocalAssistantTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "holdfast-assistant-\(ChatEnvironment().makeID())")

  private func launch() throws -> (process: Process, input: Pipe, output: Pipe) {
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = Bundle.main.bundleURL.appending(path: "LocalAssistant")
    process.arguments = [folder.path]
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    return (process, input, output)
  }

  /// The program's output, once it contains `end`.
  private func read(_ output: Pipe, until end: String) -> String {
    var text = ""
    while !text.contains(end) {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { break }
      text += String(decoding: data, as: UTF8.self)
    }
    return text
  }

  /// The program's output when it is launched and has no more input.
  private func history() throws -> [String] {
    let launch = try launch()
    try launch.input.fileHandleForWriting.close()
    let text = String(decoding: launch.output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    launch.process.waitUntilExit()
    return text.split(separator: "\n").map(String.init)
  }

  // L1.1, L3.1, U21.1
  @Test func `a chat with an assistant survives a kill in the middle of its answer`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try launch()
    first.input.fileHandleForWriting.write(Data("one two three four five six seven eight\n".utf8))
    #expect(read(first.output, until: "seven\n").hasPrefix("one\ntwo\n"))
    #expect(kill(first.process.processIdentifier, SIGKILL) == 0)
    first.process.waitUntilExit()

    let lines = try history()
    #expect(lines.count == 2)
    #expect(lines.first == "me one two three four five six seven eight ")
    #expect(lines.last?.hasPrefix("me/assistant/echo one two ") == true)
    #expect(lines.last?.hasSuffix("Interrupted") == true)

    let second = try launch()
    second.input.fileHandleForWriting.write(Data("again\n".utf8))
    try second.input.fileHandleForWriting.close()
    // The history is printed when the program's buffer is flushed, which may be after the answer.
    #expect(read(second.output, until: "again\n").split(separator: "\n").contains("again"))
    second.process.waitUntilExit()
    #expect(try history().last == "me/assistant/echo again  ")
  }

  @Test func `the program has at most 20 lines`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let program = try String(
      contentsOf: root.appending(path: "examples/LocalAssistant/Sources/main.swift"), encoding: .utf8)
    #expect(program.split(separator: "\n").count <= 20)
  }
}
