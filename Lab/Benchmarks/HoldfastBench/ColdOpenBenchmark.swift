import Foundation
import Holdfast

/// An app is launched: from nothing to the first frame.
struct ColdOpenBenchmark: Benchmark {
  static let name = "cold open"
  static let summary =
    "from ChatClient.init to the last 100 in a model; files may be in the system's cache"
  static let samples = 300
  static let aim: Aim? = .value(10)

  private let rig: Rig
  private let stores: (engine: URL, raw: URL)

  init(_ rig: Rig) throws {
    self.rig = rig
    stores = (rig.folder.appendingPathComponent("cold"), rig.folder.appendingPathComponent("cold-raw"))
    try FileManager.default.copyItem(at: rig.template, to: stores.engine)
    try FileManager.default.copyItem(at: rig.template, to: stores.raw)
  }

  func engine(_ number: Int) throws -> Duration {
    let start = ContinuousClock.now
    let client = try Rig.open(stores.engine, Backend(isReachable: false))
    let snapshot = ConversationModel(client, rig.conversation).snapshot
    let time = start.duration(to: .now)
    guard snapshot.rows.count == 100 else {
      throw BenchmarkFailure("the store opened without its rows")
    }
    return time
  }

  func raw(_ number: Int) throws -> Duration {
    try RawStore.coldOpen(
      stores.raw.appendingPathComponent("store.sqlite"), conversation: rig.conversation, limit: 100)
  }
}
