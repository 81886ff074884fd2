import Holdfast
import Observation

/// What the user waits for: the tap, until an observer on the main actor sees the row in the timeline's model.
struct TapToRowBenchmark: Benchmark {
  static let name = "tap to row"
  static let summary = "from the tap until the row is in ConversationModel.snapshot; C commits, then reads it"
  static let samples = 800
  static let aim: Aim? = .value(1)
  // The outbox looks for what it may send.
  static let bystanders = ReceiptBenchmark.bystanders

  private let rig: Rig
  private let composer: ComposerModel
  private let timeline: ConversationModel

  init(_ rig: Rig) {
    self.rig = rig
    composer = ComposerModel(rig.client, rig.conversation)
    timeline = ConversationModel(rig.client, rig.conversation)
  }

  func follow() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await timeline.run() }
      group.addTask { await composer.run() }
    }
  }

  func prepare(_ number: Int) throws {
    composer.edit(typedText(number))
    composer.hardSave()
    _ = try rig.raw.saveDraft(typedText(number), in: rig.conversation)
  }

  func engine(_ number: Int) async throws -> Duration {
    let start = ContinuousClock.now
    guard let id = composer.send() else {
      throw BenchmarkFailure("not sent: \(composer.snapshot.problem ?? "")")
    }
    while timeline.snapshot.rows.last?.id != id { await timeline.nextSnapshot() }
    return start.duration(to: .now)
  }

  func raw(_ number: Int) throws -> Duration {
    let id = RawStore.makeID()
    return try rig.raw.send(typedText(number), as: id, in: rig.conversation, from: rig.client.user)
      + rig.raw.readMessage(id, in: rig.conversation)
  }
}

extension ConversationModel {
  /// Returns once the model has been given a new value, as a view is notified.
  func nextSnapshot() async {
    await withCheckedContinuation { continuation in
      withObservationTracking {
        _ = snapshot
      } onChange: {
        continuation.resume()
      }
    }
  }
}
