import Holdfast
import Observation

/// One conversation that is or was open in a window. Its models keep running, so that going back costs nothing.
@MainActor @Observable final class OpenConversation {
  let id: ConversationID
  let composer: ComposerModel
  private(set) var timeline: ConversationModel
  @ObservationIgnored private let client: ChatClient
  @ObservationIgnored private let moved = Signal()

  init(
    _ client: ChatClient, _ id: ConversationID,
    _ models: (timeline: ConversationModel, composer: ComposerModel)
  ) {
    self.client = client
    self.id = id
    (timeline, composer) = models
  }

  /// Whether the rows have not been read yet. ``run()`` reads them.
  var isLoading: Bool { timeline.isLoading }

  /// The timeline, or one without rows while it is read.
  var shown: ConversationSnapshot {
    isLoading ? ConversationSnapshot(id: id, title: "", rows: []) : timeline.snapshot
  }

  /// Brings a message of any age into the timeline's rows.
  func show(_ message: MessageID) {
    guard !timeline.snapshot.rows.contains(where: { $0.id == message }) else { return }
    timeline = ConversationModel(client, id, around: message)
    // The present rows are replaced by others, without a skeleton in between.
    timeline.reload()
    moved.raise()
  }

  func run() async {
    async let composer: Void = composer.run()
    while !Task.isCancelled {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.timeline.run() }
        group.addTask { await self.moved.wait() }
        await group.next()
        group.cancelAll()
      }
    }
    await composer
  }
}
