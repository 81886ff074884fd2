import Testing

@testable import HoldfastCommand

@Suite struct ChatLineTests {
  private static func line(
    _ text: String, pasteStart: Int? = nil, hasUnfinished: Bool = false
  ) -> ChatLine {
    ChatLine(TypedLine(text: text, pasteStart: pasteStart), hasUnfinished: hasUnfinished)
  }

  @Test(arguments: [
    "r or python, which one?", "c is a language, isn't it", "k", "retry", "/etc/hosts — what is in it?",
    "/tmp/",
    "/2 of the people", "What is /help?", "/dev", "//",
  ])
  func `a line is a question`(text: String) {
    let expected: ChatLine =
      text == "k" ? .command(.keep, "") : text == "/dev" ? .misspelled("/dev") : .question(text)
    #expect(Self.line(text, hasUnfinished: true) == expected)
    #expect(Self.line(" \(text) ", hasUnfinished: true) == .question(text), "A space in front asks anything.")
    #expect(Self.line(text, pasteStart: 0, hasUnfinished: true) == .question(text))
  }

  @Test func `a letter is a command behind an answer that was cut off`() {
    for (letter, command) in [("c", ChatCommand.continue), ("r", .retry), ("k", .keep)] {
      #expect(Self.line("\(letter) ", hasUnfinished: true) == .command(command, ""))
      #expect(Self.line(letter) == .question(letter))
    }
    #expect(Self.line("s", hasUnfinished: true) == .question("s"))
  }

  @Test(arguments: ChatCommand.allCases) func `a command is a whole line`(command: ChatCommand) {
    let word = "/\(command.rawValue)"
    #expect(Self.line("\(word)  ") == .command(command, ""))
    let expected = command == .search ? ChatLine.command(command, "it for me") : .overfilled(command)
    #expect(Self.line("\(word) it for me") == expected)
  }

  @Test func `a command gets the arguments that it takes`() {
    #expect(Self.line("/search  a ferry ") == .command(.search, "a ferry"))
    #expect(Self.line("/history 3") == .command(.history, "3"))
    #expect(Self.line("/history 0") == .overfilled(.history))
    #expect(Self.line("/history -1") == .overfilled(.history))
    #expect(Self.line("/model openai/gpt-5:online") == .command(.model, "openai/gpt-5:online"))
  }

  @Test func `a command that is misspelled costs nothing`() {
    #expect(Self.line("/retyr") == .misspelled("/retyr"))
    #expect(Self.line("/serach a ferry") == .misspelled("/serach"))
    #expect(Self.line("/") == .misspelled("/"))
  }

  @Test(arguments: ["", "  ", "\t"]) func `nothing is nothing`(text: String) {
    #expect(Self.line(text) == .nothing)
    #expect(Self.line("\n\(text)\n", pasteStart: 0) == .nothing)
  }

  @Test func `a code that is pasted keeps its indentation`() {
    #expect(Self.line("\n    a:\n        b\n", pasteStart: 0) == .question("    a:\n        b"))
  }

  @Test func `a command may get what was pasted, in one line`() {
    #expect(Self.line("/model gpt-5\n", pasteStart: 7) == .command(.model, "gpt-5"))
    #expect(Self.line("/model", pasteStart: 3) == .question("/model"))
    #expect(Self.line("/search a\nb", pasteStart: 8) == .question("/search a\nb"))
  }
}
