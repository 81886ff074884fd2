import Holdfast

/// A conversation is opened: its newest rows, before the first frame.
struct LastHundredBenchmark: Benchmark {
  static let name = "last 100 of 10,000"
  static let summary = "from ConversationModel.init until it returns, rows and all; C steps every column"
  static let samples = 1_500
  static let aim: Aim? = .ratio(4)
  static let leanAim: Aim? = .leanRatio(7)

  private let rig: Rig
  private let leanStore: LeanStore

  init(_ rig: Rig) throws {
    self.rig = rig
    leanStore = try rig.openLean()
  }

  func engine(_ number: Int) throws -> Duration { try rig.openTimeline() }

  func raw(_ number: Int) throws -> Duration {
    try rig.raw.readTimeline(of: rig.conversation, limit: 100)
  }

  func lean(_ number: Int) throws -> Duration? {
    try leanStore.readTimeline(of: rig.conversation, limit: 100)
  }
}

/// The same where ten times as much is stored.
struct LastHundredOfManyBenchmark: Benchmark {
  static let name = "last 100 of 100,000"
  static let summary = LastHundredBenchmark.summary
  static let samples = 1_500
  static let aim: Aim? = .ratio(4)
  static let leanAim: Aim? = .leanRatio(7)
  static let history = 100_000

  private let rig: Rig
  private let leanStore: LeanStore

  init(_ rig: Rig) throws {
    self.rig = rig
    leanStore = try rig.openLean()
  }

  func engine(_ number: Int) throws -> Duration { try rig.openTimeline() }

  func raw(_ number: Int) throws -> Duration {
    try rig.raw.readTimeline(of: rig.conversation, limit: 100)
  }

  func lean(_ number: Int) throws -> Duration? {
    try leanStore.readTimeline(of: rig.conversation, limit: 100)
  }
}

extension Rig {
  fileprivate func openTimeline() throws -> Duration {
    let start = ContinuousClock.now
    let snapshot = ConversationModel(client, conversation).snapshot
    let time = start.duration(to: .now)
    guard snapshot.rows.count == 100, snapshot.hasOlder else {
      throw BenchmarkFailure("\(snapshot.rows.count) rows instead of 100")
    }
    return time
  }
}
