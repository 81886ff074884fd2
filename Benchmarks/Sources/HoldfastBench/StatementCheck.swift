import CRawSQLite
import Foundation

/// Whether C runs the statements that the engine runs. A ratio between different statements says nothing.
struct StatementCheck: Codable {
  var engine: [String]
  var raw: [String]

  var isSame: Bool { engine == raw }

  /// Records one sample of each. The rig must have been opened after `install()`.
  @MainActor static func record(_ benchmark: some Benchmark) async throws -> StatementCheck {
    try benchmark.prepare(0)
    raw_recording_start()
    _ = try await benchmark.engine(0)
    let engine = statements(raw_recording_stop())
    raw_recording_start()
    _ = try benchmark.raw(0)
    return StatementCheck(engine: engine, raw: statements(raw_recording_stop()))
  }

  static func install() { raw_recording_install() }
  static func uninstall() { raw_recording_uninstall() }

  /// One line each. How a transaction is opened and guarded is the engine's own affair.
  private static func statements(_ recording: UnsafePointer<CChar>?) -> [String] {
    guard let recording else { return [] }
    return String(cString: recording).split(separator: "\u{1E}")
      .map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
      .filter { line in !["BEGIN", "COMMIT", "PRAGMA"].contains { line.hasPrefix($0) } }
  }
}
