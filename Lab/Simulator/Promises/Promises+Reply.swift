import Holdfast

extension Promises {
  /// An answer that is written piece by piece.
  struct Reply: Sendable {
    var id: MessageID
    /// The author: the user, or an assistant.
    var sender: UserID
    var device: String
    /// The last process that wrote the answer.
    var writer: String
    var conversation: ConversationID
    /// Everything that was appended.
    var text = ""
    /// The length of the answer at each time, in characters.
    var lengths: [(at: Duration, length: Int)] = []
    /// The answer's text each time that it was cut off. Other screens may still show a beginning of it.
    var earlier: [String] = []
    /// By process: the text of that process's copy of the answer after another process took it over. The first
    /// process shows this text until it notices.
    var lost: [String: String] = [:]
    /// Whether a process is continuing the answer or beginning it anew, or ended in that call: the text stored by
    /// its writer may be gone.
    var isBeingTakenUp = false
    /// The reason that the row shows until somebody resumes the answer. Nil when the answer has not failed, and
    /// while it is unknown.
    var failure: String?
    /// The reasons that the row may show.
    var explanations: [String] = []

    /// The texts that a screen may show a beginning of.
    var shown: [String] { [text] + earlier + lost.values }
  }
}
