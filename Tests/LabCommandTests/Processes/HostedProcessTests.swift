import Foundation
import Holdfast
import Processes
import Testing

@testable import holdfast_lab

/// `cat` answers every line with the same line, and ends with its input. A phone need not do more here.
@Suite struct HostedProcessTests {
  @Test(.timeLimit(.minutes(10)))
  func `starting -> running with the first line, killed -> starting again`() async throws {
    try await Self.withProcess { process, phases in
      var phases = phases.makeAsyncIterator()
      try await process.launch()
      #expect(await Self.echo("one", from: process) == "one")
      await process.kill()
      // The process may still be ending. It is launched again as soon as it has ended.
      try await process.launch()
      for expected: ProcessStatus.Phase in [.starting, .running, .killed, .starting] {
        #expect(await phases.next() == expected)
      }
      #expect(await Self.echo("two", from: process) == "two")
      #expect(await phases.next() == .running)
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `a question to a process that has ended has no answer`() async throws {
    try await Self.withProcess { process, _ in
      #expect(await Self.echo("nobody there", from: process) == nil)
      try await process.launch()
      async let answer = process.wait { $0.isEmpty ? true : nil }
      await process.stop(grace: .seconds(10), environment: ChatEnvironment())
      #expect(await answer == nil)
    }
  }

  private static func echo(_ line: String, from process: HostedProcess) async -> String? {
    await process.exchange(Data(line.utf8)) { String(decoding: $0, as: UTF8.self) }
  }

  private static func withProcess(
    _ body: @Sendable (HostedProcess, AsyncStream<ProcessStatus.Phase>) async throws -> Void
  ) async throws {
    let (phases, phase) = AsyncStream.makeStream(of: ProcessStatus.Phase.self)
    let process = HostedProcess(
      makeChild: { _ in
        try ChildProcess(executable: URL(filePath: "/bin/cat"), arguments: [], environment: [:])
      },
      publish: { status, _, _ in phase.yield(status.phase) })
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await process.run() }
      try await body(process, phases)
      group.cancelAll()
    }
  }
}
