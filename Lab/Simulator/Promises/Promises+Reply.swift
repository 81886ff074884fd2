import Holdfast

extension Promises {
  /// An answer that is written piece by piece.
  struct Reply: Sendable {
    var id: MessageID
    /// The author: the user, or an assistant.
    var sender: UserID
    var device: String
    /// The process that writes the answer, or wrote it last.
    var writer: String
    var conversation: ConversationID
    /// Everything that was appended.
    var text = ""
    /// The length of the answer at each time, in characters.
    var lengths: [(at: Duration, length: Int)] = []
    /// The text that the answer had each time it was cut off. Other screens may still show a beginning of it.
    var earlier: [String] = []
    /// By process: the answer as that process goes on writing it after another process took it over. The first
    /// process shows this text until it notices.
    var lost: [String: String] = [:]
    /// A process is continuing the answer or beginning it anew, or ended in that call: what its writer had stored may be gone.
    var isBeingTakenUp = false
    /// The reason that the row shows until somebody takes the answer up. Nil when the answer has not failed, and while
    /// it is unknown.
    var failure: String?
    /// The reasons that the row may show.
    var explanations: [String] = []

    /// The texts that a screen may show a beginning of.
    var shown: [String] { [text] + earlier + lost.values }
  }
}
