import Foundation
import Holdfast
import Testing

/// The example runs as a separate process.
@Suite(.timeLimit(.minutes(10))) struct DraftsOnlyTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "holdfast-example-\(UUID().uuidString)")

  /// A launch of the example, with its input open.
  private final class Launch {
    let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(_ folder: URL) throws {
      process.executableURL = Bundle.main.bundleURL.appending(path: "DraftsOnly")
      process.arguments = [folder.path]
      process.standardInput = input
      process.standardOutput = output
      try process.run()
    }

    func type(_ line: String) { input.fileHandleForWriting.write(Data("\(line)\n".utf8)) }

    /// The output, once it contains `end`.
    func read(until end: String) -> String {
      var text = ""
      while !text.contains(end) {
        let data = output.fileHandleForReading.availableData
        guard !data.isEmpty else { break }
        text += String(decoding: data, as: UTF8.self)
      }
      return text
    }

    func kill() {
      #expect(Glibc.kill(process.processIdentifier, SIGKILL) == 0)
      process.waitUntilExit()
    }

    func end() {
      try? input.fileHandleForWriting.close()
      process.waitUntilExit()
    }
  }

  /// Returns once a draft is on disk, from another process's view.
  private func saved(_ text: String) async throws {
    let environment = ChatEnvironment()
    func draft() throws -> String {
      try DraftController(storage: .folder(folder), user: "me").composer(in: "notes").content().text
    }
    while try draft() != text {
      try await environment.sleep(environment.uptime() + .milliseconds(50))
    }
  }

  // D2.1, D5.1, D7.2, D10.2, D10.5, D10.7
  @Test func `an app that only uses drafts is killed, and the text is back`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try Launch(folder)
    #expect(first.read(until: "(empty)").contains("(empty)"))
    first.type("half a thought")
    first.type("and another half")
    try await saved("half a thought\nand another half")
    first.kill()

    let second = try Launch(folder)
    let shown = second.read(until: "another half\n")
    #expect(shown.contains("(Recovered draft • just now)\nhalf a thought\nand another half\n"))
    second.type("/send")
    #expect(second.read(until: "(empty)").contains("(empty)"))
    second.kill()

    let third = try Launch(folder)
    #expect(third.read(until: "(empty)").contains("(empty)"), "What was sent does not come back.")
    third.type("to be discarded")
    third.type("/discard")
    #expect(third.read(until: "(empty)").contains("(Draft discarded)"))
    third.type("/undo")
    #expect(third.read(until: "to be discarded").contains("to be discarded"))
    third.end()
    #expect(third.process.terminationStatus == 0)
    try await saved("to be discarded")
  }
}
