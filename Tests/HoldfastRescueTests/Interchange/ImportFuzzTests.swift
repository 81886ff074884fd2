import EngineFixtures
import Foundation
import ImportFuzzing
import Testing

@testable import Holdfast

/// Damaged files. `make fuzz` imports a million of them.
@Suite(.timeLimit(.minutes(10))) struct ImportFuzzTests {
  // H14, H9.4, H10.5
  @Test func `damaged files of every form are accounted for entry by entry, and come once`() throws {
    let scratch = try ScratchFolder(inMemory: true)
    let fuzz = try ImportFuzz(in: scratch.url.appendingPathComponent("fuzz"), from: 0)
    defer { fuzz.end() }
    for number in 0..<UInt64(500) {
      for finding in try fuzz.run(number) { Issue.record("\(finding)") }
    }
    #expect(fuzz.validFiles > 500, "Half of the files are JSON, and their entries are counted.")
    #expect(fuzz.unrecognizedFiles < 100)
  }

  private static let towers = [
    #"{"messages":["#, #"{"conversations":["#, #"{"chat":"#, #"{"history":"#, #"{"mapping":{"x":"#,
    #"{"chat_messages":["#,
    #"[{"role":"#, #"{"role":"#, #"{"text":["#, #"{"messages":[{"role":"u","content":"#, "[", #"{"a":"#,
    #"{"messages":{"x":"#, #"{"createdAt":"#, #"[{"chatID":"c","text":"#,
  ]

  // H9.4
  @Test(arguments: towers) func `values within values without an end are passed in a moment`(part: String)
    throws
  {
    let client = try Bench(inMemory: true).client()
    let tower = String(repeating: part, count: 400)
    let beginnings = [
      "", "[", #"{"conversations":["#, #"[{"role":"user","content":"x"},"#, #"[{"chatID":"c","text":"x"},"#,
      #"{"conversations":[{"id":"c","messages":["#, #"{"id":"c","mapping":{"a":"#, #"{"draftInput":"#,
      #"[{"id":"c","messages":[{"parentMessageId":"x","children":["#,
    ]
    for beginning in beginnings {
      let file = Data((beginning + tower).utf8)
      do { #expect(try !client.importHistory(from: file).isComplete) } catch let error as ChatError {
        #expect(error.code == .fileUnrecognized)
      }
    }
  }
}
