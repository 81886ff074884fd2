import Foundation

/// A line of a chat, classified by its request.
enum ChatLine: Equatable {
  case nothing
  case question(String)
  /// A command, with its argument.
  case command(ChatCommand, String)
  /// An unknown command. The model is not asked, because a typing error would cost money.
  case misspelled(String)
  /// A command with an argument that it does not take.
  case overfilled(ChatCommand)

  /// - Parameter hasUnfinished: whether a letter can continue or restart an answer.
  init(_ line: TypedLine, hasUnfinished: Bool) {
    let text = line.text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !text.isEmpty else {
      self = .nothing
      return
    }
    // The first line of pasted code keeps its indentation.
    self = .question(line.pasteStart == 0 ? line.text.trimmingCharacters(in: .newlines) : text)
    let word = text.prefix { !$0.isWhitespace }
    // Pasted text is never a command, but may be the argument of one: the name of a model.
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
    let argument = text.dropFirst(word.count).trimmingCharacters(in: .whitespaces)
    self = command.takes(argument) ? .command(command, argument) : .overfilled(command)
  }
}

/// A command of a chat. Its raw value follows a slash.
enum ChatCommand: String, CaseIterable {
  case stop, retry, `continue`, keep, again, earlier, search, history, model, cost, help, quit

  /// The command's letter after an answer that was cut off.
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
