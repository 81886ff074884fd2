import CRawSQLite
import Foundation

/// Whether C runs the statements that the engine runs. A ratio between different statements says nothing.
struct StatementCheck: Codable {
  var engine: [String]
  var raw: [String]

  var isSame: Bool { engine == raw }

  /// Records one sample of each. The rig must have been opened after `install()`.
  @MainActor static func record(_ benchmark: some Benchmark) async throws -> StatementCheck {
    try await benchmark.prepare(0)
    let bystanders = type(of: benchmark).bystanders
    let engine = try await recorded(passingOver: bystanders) { _ = try await benchmark.engine(0) }
    let raw = try await recorded(passingOver: bystanders) { _ = try benchmark.raw(0) }
    return StatementCheck(engine: engine, raw: raw)
  }

  /// Every connection opened from now on can be recorded. Not to be used while something is timed.
  static func install() { raw_recording_install() }
  static func uninstall() { raw_recording_uninstall() }

  /// The statements that run while `body` does, one line each. How a transaction is opened and guarded is the
  /// engine's own affair, and so is what a trigger or a foreign key does by itself.
  @MainActor static func recorded(
    passingOver bystanders: [String] = [], _ body: @MainActor () async throws -> Void
  ) async throws -> [String] {
    raw_recording_start()
    let result: Result<Void, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    let recording = raw_recording_stop().map { String(cString: $0) } ?? ""
    try result.get()
    return lines(of: recording, passingOver: bystanders)
  }

  /// The same of what does not wait.
  @MainActor static func recordedNow(_ body: () throws -> Void) throws -> [String] {
    raw_recording_start()
    let result = Result { try body() }
    let recording = raw_recording_stop().map { String(cString: $0) } ?? ""
    try result.get()
    return lines(of: recording, passingOver: [])
  }

  private static func lines(of recording: String, passingOver bystanders: [String]) -> [String] {
    // The last is FTS5's own, when a connection first comes upon the index.
    let skipped =
      ["BEGIN", "COMMIT", "PRAGMA", "--", "SELECT k, v FROM 'main'.'messageText_config'"] + bystanders
    return recording.split(separator: "\u{1E}")
      .map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
      .filter { line in !skipped.contains { line.hasPrefix($0) } }
  }
}
