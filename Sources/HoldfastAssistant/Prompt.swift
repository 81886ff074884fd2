import Foundation
import Holdfast

extension ModelPrompt {
  /// The prompt of a conversation: the turns in front of an answer, newest first within the budget, in the order in which
  /// they were said. Pure.
  ///
  /// A deleted message, and a reply of which there is no word, is no turn. The first turn is the user's, because some models
  /// take no other. Where several people take part, each message begins with its sender's name.
  ///
  /// - Parameters:
  ///   - rows: the messages in front of the answer, oldest first.
  ///   - assistant: the member whose messages are the model's own.
  init(
    _ rows: some BidirectionalCollection<MessageRow>, by assistant: UserID, system: String?,
    beginning: String?,
    bytes: Int, turns most: Int
  ) {
    let said = rows.filter { !$0.isDeleted && !$0.text.isBlank }
    let people = Set(said.lazy.filter { $0.sender != assistant && $0.role == .user }.map(\.sender))
    var left = bytes - (system?.utf8.count ?? 0) - (beginning?.utf8.count ?? 0)
    var turns: [Turn] = []
    for row in said.reversed() {
      let isOwn = row.sender == assistant || row.role == .assistant
      let text = people.count > 1 && !isOwn ? "\(row.senderName): \(row.text)" : row.text
      left -= text.utf8.count
      // The question is asked whatever its size: the model says whether it is too long.
      guard turns.isEmpty || left >= 0 else { break }
      let role: MessageRole = isOwn ? .assistant : row.role == .system ? .system : .user
      guard turns.count < most else { break }
      turns.append(Turn(role, text))
    }
    while turns.count > 1, turns.last?.role == .assistant { turns.removeLast() }
    self.init(turns.reversed(), system: system, beginning: beginning)
  }
}
