import Foundation
import Holdfast

/// The output of a chat on the terminal. A model's output cannot control the terminal.
@MainActor final class TerminalScreen {
  private let isTerminal = isatty(1) == 1
  private var isAtLineStart = true
  private var isThinking = false

  /// Prints a line of the chat's own.
  func say(_ line: String) {
    endLine()
    write(isTerminal ? "\u{1B}[2m\(line.plainLines)\u{1B}[0m\n" : "\(line.plainLines)\n")
    isAtLineStart = true
  }

  /// Shows a message of the history, and how it ended if it is not whole.
  func show(_ row: MessageRow, withEnd: Bool = true) {
    endLine()
    let state = row.status.isComplete ? "" : row.text.isEmpty ? "" : " …"
    write("\(row.sender.shownName): \(row.text.plainLines)\(state)\n")
    if withEnd, let end = row.unfinishedEnd { say(end) }
  }

  /// Appends to the answer. A chat in a pipe leaves out the model's thoughts.
  func add(_ text: String, isThought: Bool = false) {
    guard !text.isEmpty, isTerminal || !isThought else { return }
    if isThinking != isThought {
      endLine()
      isThinking = isThought
    }
    let shown = text.unicodeScalars.filter {
      $0 == "\n" || $0 == "\t" || $0.properties.generalCategory != .control
    }
    let words = String(String.UnicodeScalarView(shown))
    write(isThought ? "\u{1B}[2m\(words)\u{1B}[0m" : words)
    isAtLineStart = words.hasSuffix("\n")
  }

  func endLine() {
    if !isAtLineStart { write("\n") }
    (isAtLineStart, isThinking) = (true, false)
  }

  /// Shows the prompt, on a terminal.
  func prompt() { if isTerminal { write("> ") } }

  /// Ends the line with the prompt, on a terminal.
  func leavePrompt() { if isTerminal { write("\n") } }

  private func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}

extension MessageRow {
  /// The reason why an answer is incomplete, as a sentence. Nil while it is streamed, and for a complete one.
  var unfinishedEnd: String? {
    switch status.state {
    case _ where status.isComplete: nil
    case .interrupted: "Interrupted."
    case .failed: status.failure?.explanation ?? "Failed."
    default: nil
    }
  }
}
