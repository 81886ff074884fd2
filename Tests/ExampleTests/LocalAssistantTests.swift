import Foundation
import Holdfast
import Testing

/// The README's assistant on this device alone, as a process of its own.
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

  /// Returns once another process sees this in the store.
  private func shown(_ condition: ([MessageRow]) -> Bool) async throws {
    let environment = ChatEnvironment()
    while true {
      if let client = try? ChatClient(storage: .folder(folder), transport: DeviceTransport(), user: "me") {
        for await timeline in client.conversation("assistant").timeline() {
          if condition(timeline.rows) { return }
          break
        }
      }
      try await environment.sleep(environment.uptime() + .milliseconds(50))
    }
  }

  /// What the program prints when it is launched and has no more input.
  private func history() throws -> [String] {
    let launch = try launch()
    try launch.input.fileHandleForWriting.close()
    let text = String(decoding: launch.output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    launch.process.waitUntilExit()
    return text.split(separator: "\n").map(String.init)
  }

  // L1.1, L3.1, U21.1
  @Test func `a chat with an assistant survives a kill in the middle of its answer`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try launch()
    first.input.fileHandleForWriting.write(Data("one two three four five six seven eight\n".utf8))
    try await shown { $0.count == 2 && $0[1].text.hasPrefix("one two ") }
    #expect(kill(first.process.processIdentifier, SIGKILL) == 0)
    first.process.waitUntilExit()

    let lines = try history()
    #expect(lines.count == 2)
    #expect(lines.first == "me one two three four five six seven eight ")
    #expect(lines.last?.hasPrefix("me/assistant/echo one two ") == true)
    #expect(lines.last?.hasSuffix("Interrupted") == true)

    let second = try launch()
    second.input.fileHandleForWriting.write(Data("again\n".utf8))
    try await shown { $0.count == 4 && $0[3].completeness == .complete }
    #expect(kill(second.process.processIdentifier, SIGKILL) == 0)
    second.process.waitUntilExit()
    #expect(try history().last == "me/assistant/echo again  ")
  }

  @Test func `the program is in the README, and has at most 20 lines`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let program = try String(
      contentsOf: root.appending(path: "examples/LocalAssistant/main.swift"), encoding: .utf8)
    #expect(program.split(separator: "\n").count <= 20)
    #expect(try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8).contains(program))
  }
}
