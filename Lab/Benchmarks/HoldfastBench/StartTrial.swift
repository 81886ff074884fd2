import Foundation

/// An app that is launched into a conversation of 10,000 messages.
struct StartTrial: Trial {
  static let name = "process start"

  static func run(on bench: Workbench) async throws -> Findings {
    let store = bench.folder.appendingPathComponent("start")
    defer { try? FileManager.default.removeItem(at: store) }
    try FileManager.default.copyItem(at: try await bench.template(of: 10_000), to: store)
    return Findings(
      outcomes: try ProcessStart.measure(store, named: grouped(10_000), samples: bench.samples ?? 200))
  }
}
