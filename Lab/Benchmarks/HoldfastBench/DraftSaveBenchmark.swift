import Holdfast

/// One changed draft is stored, as on leaving a conversation.
struct DraftSaveBenchmark: Benchmark {
  static let name = "draft save"
  static let summary = "from ComposerModel.hardSave() until it returns; the text had changed"
  static let samples = 1_500
  static let aim: Aim? = .ratio(1.3)
  static let leanAim: Aim? = .leanRatio(1.6)

  private let rig: Rig
  private let leanStore: LeanStore
  private let composer: ComposerModel

  init(_ rig: Rig) throws {
    self.rig = rig
    leanStore = try rig.openLean()
    composer = ComposerModel(rig.client, rig.conversation)
  }

  func prepare(_ number: Int) { composer.edit(typedText(number)) }

  func engine(_ number: Int) throws -> Duration {
    let start = ContinuousClock.now
    composer.hardSave()
    let time = start.duration(to: .now)
    if let problem = composer.snapshot.problem { throw BenchmarkFailure("not saved: \(problem)") }
    return time
  }

  func raw(_ number: Int) throws -> Duration {
    try rig.raw.saveDraft(typedText(number), in: rig.conversation)
  }

  func lean(_ number: Int) throws -> Duration? {
    try leanStore.saveDraft(typedText(number), in: rig.conversation)
  }
}
