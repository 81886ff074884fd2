import EngineFixtures
import Foundation
import Logging
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// The report for an app's support (rule A9).
@Suite(.timeLimit(.minutes(10))) struct SupportReportTests {
  private let bench: Bench

  init() throws { bench = try Bench(inMemory: true) }

  // A9.1, A9.2
  @Test func `a report has the store, the outbox, the connection and the events, and no contents`()
    async throws
  {
    let client = try bench.client()
    let id = try client.send("a very secret message", in: eg.conversation)
    try client.createConversation(
      "trip", title: "Secret title", members: ["bob"], metadata: Data("secret".utf8))
    client.drafts.edit("a secret draft", in: eg.conversation)
    try client.hardSave()
    try client.fail(id, because: FailureReason(.rejected, "A secret reason"))
    let report = await client.supportReport()
    for line in [
      "conversations=2 messages=1 drafts=1 attachments=0", "whole=true", "waiting=0 held=0 failed=1",
      "reconnecting",
    ] {
      #expect(report.split(separator: "\n").contains { $0 == line }, "\(report)")
    }
    #expect(report.contains("store opened"))
    #expect(!report.lowercased().contains("secret"))
    #expect(!report.contains(bench.scratch.url.lastPathComponent), "It does not say where the store is.")
  }

  // A9.1
  @Test func `a report of a damaged store says so`() async throws {
    let bench = try Bench(carriesAttachments: true, inMemory: true)
    let client = try bench.client()
    let picture = try client.attach(text: "abc", name: "picture.png")
    let file = try #require(client.attachmentFile(picture.checksum))
    try FileManager.default.removeItem(at: file)
    let report = await client.supportReport()
    #expect(report.contains("damagedAttachments=1 strayFiles=0\nwhole=false\n"))
    #expect(!report.contains("picture"))
  }

  // A9.1
  @Test func `the last 200 events are kept, and the app's own logger still has all that it wants`() {
    let (log, recorder) = (EventLog(), LogRecorder())
    var logger = Logger(label: "test") { _ in recorder }
    logger.logLevel = .error
    let recording = log.recording(logger) { eg.date }
    for number in 1...205 {
      recording.info("event", metadata: ["code": "\(number)", "folder": "/home/alice"])
    }
    recording.error("failure")
    recording.debug("not kept")
    let lines = log.lines
    #expect(lines.count == 201)
    #expect(lines.first == "earlier=6")
    #expect(lines[1] == "2026-01-01T00:00:00Z info event code=7")
    #expect(lines.last == "2026-01-01T00:00:00Z error failure")
    #expect(recorder.lines == ["error failure [:]"])
  }
}
