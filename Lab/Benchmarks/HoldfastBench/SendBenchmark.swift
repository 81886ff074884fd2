import Holdfast

/// The text moves from a stored draft to the outbox.
struct SendBenchmark: Benchmark {
  static let name = "send"
  static let summary = "from ComposerModel.send() until it returns; the draft had been stored before"
  static let samples = 1_500
  static let aim: Aim? = .ratio(1.5)
  static let leanAim: Aim? = .leanRatio(1.8)

  private let rig: Rig
  private let leanStore: LeanStore
  private let composer: ComposerModel

  init(_ rig: Rig) throws {
    self.rig = rig
    leanStore = try rig.openLean()
    composer = ComposerModel(rig.client, rig.conversation)
  }

  func prepare(_ number: Int) throws {
    composer.edit(typedText(number))
    composer.hardSave()
    _ = try rig.raw.saveDraft(typedText(number), in: rig.conversation)
    _ = try leanStore.saveDraft(typedText(number), in: rig.conversation)
  }

  func engine(_ number: Int) throws -> Duration {
    let start = ContinuousClock.now
    let id = composer.send()
    let time = start.duration(to: .now)
    guard id != nil else { throw BenchmarkFailure("not sent: \(composer.snapshot.problem ?? "")") }
    return time
  }

  func raw(_ number: Int) throws -> Duration {
    try rig.raw.send(typedText(number), in: rig.conversation, from: rig.client.user)
  }

  func lean(_ number: Int) throws -> Duration? {
    try leanStore.send(typedText(number), in: rig.conversation, from: rig.client.user)
  }
}
