import Holdfast

extension SimulatedPhone {
  /// The state that a user remembers across the ends of the app.
  struct Memory {
    var sends = 0
    var replies = 0
    var changes = 0
    var attachments = 0
    /// The files in each composer after the user's last turn. Nil when that turn was not finished.
    var picked: [ConversationID: [ChatAttachment.ID]]?
    var renames = 0
    var drafts: [ConversationID: DraftPromise] = [:]
    var places: [SceneID: PlacePromise] = [:]
    /// The windows that are open in this launch.
    var windows: [SceneID: PlainScene] = [:]
    var steps = 0
    /// The answer that is being written. Nil when no answer is under way.
    var reply: MessageID?
    /// The draft that can still be restored into a composer. It is in memory only, as in the app.
    var discarded: Discarded?
    var secrets = 0
    /// Conversations that were made to be deleted, until nothing of them is left.
    var notes: [Note] = []
    var noteCount = 0
    /// The number of conversations that were made to be emptied.
    var emptyings = 0
    /// The number of imports that came to their end.
    var imports = 0
    /// The number of queue imports that came to their end.
    var queueImports = 0
    /// The number of times that the user has marked messages as read.
    var reads = 0
    /// The number of times that the user has scrolled back.
    var readBacks = 0
    /// The number of acts in the local conversation.
    var deviceActions = 0
    /// The number of replies that an assistant has begun.
    var assistantReplies = 0
    /// The question whose call has not returned, because the process ended in it.
    var asked: (text: String, conversation: ConversationID)?
    /// The numbers of the queue's messages that have been in the outbox.
    var queued: Set<Int> = []
    /// By conversation: the message that the last stored draft replies to.
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
