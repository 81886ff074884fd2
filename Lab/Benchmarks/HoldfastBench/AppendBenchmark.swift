import Holdfast
import HoldfastTransport

/// One message comes in.
struct AppendBenchmark: Benchmark {
  static let name = "append of 1"
  static let summary = "from the event with 1 new message, until it is stored and the next one is asked for"
  static let samples = 1_000
  static let aim: Aim? = .ratio(1.3)
  static let leanAim: Aim? = .leanRatio(1.8)
  static let isOnline = true

  private let rig: Rig
  private let leanStore: LeanStore

  init(_ rig: Rig) throws {
    self.rig = rig
    leanStore = try rig.openLean()
  }

  func engine(_ number: Int) async throws -> Duration { try await rig.append(1, sample: number) }
  func raw(_ number: Int) throws -> Duration { try rig.appendRaw(1, sample: number) }
  func lean(_ number: Int) throws -> Duration? { try rig.append(1, to: leanStore, sample: number) }
}

/// A page of messages comes in, as after some time offline.
struct AppendPageBenchmark: Benchmark {
  static let name = "append of 100"
  static let summary = "the same with 100 new messages in one event, which is one transaction"
  static let samples = 200
  static let aim: Aim? = .ratio(1.3)
  static let isOnline = true

  private let rig: Rig
  private let leanStore: LeanStore

  init(_ rig: Rig) throws {
    self.rig = rig
    leanStore = try rig.openLean()
  }

  func engine(_ number: Int) async throws -> Duration { try await rig.append(100, sample: number) }
  func raw(_ number: Int) throws -> Duration { try rig.appendRaw(100, sample: number) }
  func lean(_ number: Int) throws -> Duration? { try rig.append(100, to: leanStore, sample: number) }
}

extension Rig {
  /// The messages of sample `number`, behind those of the samples before it.
  private func page(of count: Int, sample number: Int) -> [IncomingMessage] {
    let start = history + 1 + number * count
    return Rig.messages(start..<start + count)
  }

  func append(_ count: Int, sample number: Int) async throws -> Duration {
    let page = page(of: count, sample: number)
    return try await backend.say(
      .items(page.map(IncomingItem.message), cursor: SyncCursor(rawValue: "\(history + number)")))
  }

  func appendRaw(_ count: Int, sample number: Int) throws -> Duration {
    try raw.append(page(of: count, sample: number), cursor: "\(history + number)")
  }

  fileprivate func append(_ count: Int, to lean: LeanStore, sample number: Int) throws -> Duration {
    try lean.append(page(of: count, sample: number), cursor: "\(history + number)")
  }
}
