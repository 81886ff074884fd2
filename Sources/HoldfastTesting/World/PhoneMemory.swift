import Holdfast

extension SimulatedPhone {
  /// What a user remembers over the ends of the app.
  struct Memory {
    var sends = 0
    var replies = 0
    var changes = 0
    var attachments = 0
    /// What each composer had when its user did something last. Nil: that was not finished.
    var picked: [ConversationID: [Attachment.ID]]?
    var renames = 0
    var drafts: [ConversationID: DraftPromise] = [:]
    var places: [SceneID: PlacePromise] = [:]
    /// Those that are open in this launch.
    var windows: [SceneID: PlainScene] = [:]
    var steps = 0
    /// The answer that is being written.
    var reply: MessageID?
    /// What can still be brought back into a composer. In memory, as the app has it.
    var discarded: Discarded?
    var secrets = 0
    /// Conversations that were made to be deleted, until nothing of them is left.
    var notes: [Note] = []
    var noteCount = 0
    /// Imports that came to their end.
    var imports = 0
    /// Imports of a queue that came to their end.
    var queueImports = 0
    /// Which of its messages have been in the outbox.
    var queued: Set<Int> = []
    /// What the draft answers that was stored last.
    var answered: [ConversationID: MessageID] = [:]
    /// Texts that were discarded for good.
    var forgotten: [String] = []
    var isFinished = false
  }

  struct Discarded {
    var conversation: ConversationID
    var draft: DiscardedDraft
    var until: Duration
  }
}
