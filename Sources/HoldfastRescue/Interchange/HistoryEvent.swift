import HoldfastCore

/// The events of a walk through a history, in the order of the file.
enum HistoryEvent {
  /// The head of a conversation, as completely as the file has it. Its messages follow.
  case conversation(HistoryHead)
  /// One message of the conversation, and the number of its bytes.
  case message(HistoryEntry, ImportPlace, bytes: Int)
  /// A message without text that the app kept and did not show.
  case unshown(ImportPlace)
  case active(String)
  /// The array of drafts, with its offset.
  case drafts(Int64)
  /// - Parameter isEntry: whether an entry of the file was left out.
  case problem(ImportProblem.Code, ImportPlace, isEntry: Bool)
}

/// A place in a file. Its path is built only when the place is reported.
struct ImportPlace: Equatable {
  var conversation: Int?
  var message: Int?
  var offset: Int64
  /// Whether the file is one list of messages, or of conversations.
  var isInList = false

  var name: String {
    let message = message.map { "messages[\($0)]" }
    guard let conversation else { return message ?? "file" }
    let place = isInList ? "[\(conversation)]" : "conversations[\(conversation)]"
    return place + (message.map { "." + $0 } ?? "")
  }
}
