import Foundation

/// A line of a chat, by what it asks for.
enum ChatLine: Equatable {
  case nothing
  case question(String)
  /// A command, with what it is told.
  case command(ChatCommand, String)
  /// An unknown command. The model is not asked, because a typing error would cost money.
  case misspelled(String)
  /// A command with a text that it does not take.
  case overfilled(ChatCommand)

  /// - Parameter hasUnfinished: whether an answer is offered to be continued or begun anew, by a letter.
  init(_ line: TypedLine, hasUnfinished: Bool) {
    let text = line.text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !text.isEmpty else {
      self = .nothing
      return
    }
    // The first line of a code that was pasted keeps its place.
    self = .question(line.pasteStart == 0 ? line.text.trimmingCharacters(in: .newlines) : text)
    let word = text.prefix { !$0.isWhitespace }
    // What was pasted is never a command, but a command may be told it: the name of a model.
    let isTyped = line.pasteStart.map { $0 > word.count } != false && !text.contains("\n")
    guard isTyped, line.text.first?.isWhitespace == false else { return }
    if hasUnfinished, let command = ChatCommand.allCases.first(where: { $0.letter == text }) {
      self = .command(command, "")
      return
    }
    guard word.hasPrefix("/"), word.dropFirst().allSatisfy(\.isLetter) else { return }
    guard let command = ChatCommand(rawValue: String(word.dropFirst())) else {
      self = .misspelled(String(word))
      return
    }
    let told = text.dropFirst(word.count).trimmingCharacters(in: .whitespaces)
    self = command.takes(told) ? .command(command, told) : .overfilled(command)
  }
}

/// A command of a chat. Its raw value stands behind a slash.
enum ChatCommand: String, CaseIterable {
  case stop, retry, `continue`, keep, again, earlier, search, history, model, cost, help, quit

  /// The letter that stands for it behind an answer that was cut off.
  var letter: String? { [.retry, .continue, .keep].contains(self) ? String(rawValue.prefix(1)) : nil }

  fileprivate func takes(_ text: String) -> Bool {
    switch self {
    case .search: true
    case .model: !text.contains(where: \.isWhitespace)
    case .history: text.isEmpty || Int(text).map { $0 > 0 } == true
    default: text.isEmpty
    }
  }
}
