import CommandFixtures
import Foundation
import Holdfast
import Testing

@testable import holdfast_lab

/// A few seconds of torture, so that it keeps working. `make torture` runs for minutes.
@Suite struct TortureStageTests {
  // O4.1, O6.3, O11.1, O11.3, U11.1, U11.2
  @Test(.timeLimit(.minutes(10)))
  func `real processes that are killed, stopped and cut off lose nothing and double nothing`() async throws {
    signal(SIGPIPE, SIG_IGN)
    let environment = ChatEnvironment()
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "holdfast-torture-\(environment.makeID())", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: folder) }
    let stage = TortureStage(
      plan: .init(rage: .seconds(8), phones: 2, seed: 3), folder: folder,
      // SwiftPM puts it beside the tests.
      program: Bundle.main.bundleURL.appending(path: "holdfast-lab"), environment: environment)
    let (signals, _) = AsyncStream.makeStream(of: Int32.self)
    let report = try await stage.run(until: signals) { _ in }
    #expect(report.violations.isEmpty)
    #expect(report.counts.sent > 0)
    #expect(report.delivered >= report.counts.sent)
    #expect(report.counts.launches >= 2)
  }
}
