import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRescue
@testable import HoldfastStore

private typealias eg = EngineExample

/// Errors that a caller throws when it gets the progress (rules H9, S10).
@Suite(.timeLimit(.minutes(10))) struct ProgressTests {
  private struct Stop: Error, Equatable { var number: Int }

  private let bench: Bench
  private let place: ScratchFolder

  init() throws {
    bench = try Bench(inMemory: true)
    place = try ScratchFolder(inMemory: true)
  }

  /// A history with a thousand messages.
  private func history() throws -> URL {
    let entries = (1...1000).map { #"{"id":"m\#($0)","role":"user","content":"text \#($0)"}"# }
    let url = place.url.appendingPathComponent("h.json")
    let text = #"{"conversations":[{"id":"c","messages":[\#(entries.joined(separator: ","))]}]}"#
    try Data(text.utf8).write(to: url)
    return url
  }

  private func stopped(_ body: () throws -> Void) -> (any Error)? {
    do { try body() } catch { return error }
    return nil
  }

  // H9
  @Test func `an error of an import's caller is thrown as it is, and stored entries stay`() throws {
    let (client, url) = (try bench.client(), try history())
    // Some of these errors could be mistaken for the engine's own.
    let errors: [any Error] = [
      CancellationError(), POSIXError(.ENOSPC), ChatError(.tooLate, "The caller's own."), Stop(number: 7),
    ]
    var stored = 0
    for error in errors {
      let before = stored
      let thrown = stopped {
        try client.importHistory(from: url) { _ in
          stored = try client.storeDiagnostics().messages
          if stored > before { throw error }
        }
      }
      #expect(type(of: try #require(thrown)) == type(of: error))
      #expect(stored > before && stored < 1000)
      #expect(try client.storeDiagnostics().messages == stored)
      if let error = error as? Stop { #expect(thrown as? Stop == error) }
      if let error = error as? ChatError { #expect(thrown as? ChatError == error) }
    }
    let report = try client.importHistory(from: url)
    #expect((report.messages, report.alreadyHere) == (1000 - stored, stored))
    #expect(
      try client.reader.conversation("c", limit: 1000).rows.map(\.text) == (1...1000).map { "text \($0)" })
  }

  // H9, S10
  @Test func `an error at the last step ends a copy and an export too, and is thrown once`() throws {
    let client = try bench.client()
    for number in 1...50 { try client.send("message \(number)", in: eg.conversation) }
    var count = 0
    func end(_ completed: Int64, _ total: Int64) throws {
      guard completed == total else { return }
      count += 1
      if count == 1 { throw Stop(number: 3) }
    }
    let backup = place.url.appendingPathComponent("backup")
    let ofCopy = stopped { try client.backUp(to: backup) { try end($0.completed, $0.total) } }
    #expect(ofCopy as? Stop == Stop(number: 3))
    #expect(count == 1, "Whoever has thrown gets no more progress.")
    count = 0
    let file = place.url.appendingPathComponent("x.json")
    let ofExport = stopped { try client.exportHistory(to: file) { try end($0.completed, $0.total) } }
    #expect(ofExport as? Stop == Stop(number: 3))
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.url.path) == [])
  }
}
