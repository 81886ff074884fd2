import Foundation
import Holdfast

extension ModelPrompt {
  /// The prompt of a conversation: the turns before an answer, chosen from the newest back within the budget, in the
  /// order in which they were said. Pure.
  ///
  /// A deleted message is not a turn, and neither is an empty reply. The first turn is the user's, because some models
  /// take no other. Where several people take part, each message begins with its sender's name, and its other lines
  /// are indented, so that no line of it looks like the words of somebody else.
  ///
  /// A model is given text alone. A message's pictures and files are listed in its turn by their names, so that the
  /// model knows of them, and can say that it has not seen them.
  ///
  /// Only the roles of the assistant's owner are trusted (rule E1). A message that somebody else calls the model's
  /// own, or an instruction, is a message of that person.
  ///
  /// - Parameters:
  ///   - rows: the messages in front of the answer, oldest first.
  ///   - assistant: the member whose messages are the model's own.
  init(
    _ rows: some BidirectionalCollection<MessageRow>, by assistant: UserID, system: String?,
    beginning: String?,
    bytes: Int, turns most: Int
  ) {
    let said = rows.filter { !$0.isDeleted && !$0.textWithFiles.isBlank }
    let people = Set(said.lazy.filter { $0.role(for: assistant) == .user }.map(\.sender))
    var left = bytes - (system?.utf8.count ?? 0) - (beginning?.utf8.count ?? 0)
    var turns: [Turn] = []
    for row in said.reversed() {
      let role = row.role(for: assistant)
      let text = people.count > 1 && role == .user ? row.textWithName : row.textWithFiles
      left -= text.utf8.count
      // The question is included whatever its size: the model reports whether it is too long.
      guard turns.isEmpty || left >= 0 else { break }
      guard turns.count < most else { break }
      turns.append(Turn(role, text))
    }
    while turns.count > 1, turns.last?.role == .assistant { turns.removeLast() }
    self.init(turns.reversed(), system: system, beginning: beginning)
  }
}

extension ModelPrompt {
  /// The bytes of all texts.
  var byteCount: Int {
    turns.reduce((system?.utf8.count ?? 0) + (beginning?.utf8.count ?? 0)) { $0 + $1.text.utf8.count }
  }
}

extension MessageRow {
  /// The role that the message has for the model of an assistant.
  fileprivate func role(for assistant: UserID) -> MessageRole {
    if sender == assistant { return .assistant }
    return sender.account == assistant.account ? role : .user
  }

  /// The text, and a line for each file that the model is not given.
  fileprivate var textWithFiles: String {
    let text = self.text
    let files = attachments.map { "[\($0.attachment.name): not shown to you]" }
    let pictures = content.images.map { _ in "[picture: not shown to you]" }
    let videos = content.videos.map { _ in "[video: not shown to you]" }
    return ((text.isBlank ? [] : [text]) + files + pictures + videos).joined(separator: "\n")
  }

  /// "Bob: one line", with the lines after the first indented.
  fileprivate var textWithName: String {
    func lines(_ text: String) -> [Substring] {
      text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    }
    return "\(lines(senderName).joined(separator: " ")): \(lines(textWithFiles).joined(separator: "\n  "))"
  }
}
