import Testing

@testable import holdfast_lab

@Suite struct ResponderTests {
  private let responder = Responder(question: "Is anybody there?")

  private func text(_ tokens: [Responder.Token]) -> String { tokens.map(\.text).joined() }
  private func reasoning(_ tokens: [Responder.Token]) -> String { tokens.map(\.reasoning).joined() }

  @Test func `an answer that was cut off anywhere goes on as it began`() {
    for count in 0...responder.tokens.count {
      let said = Array(responder.tokens.prefix(count))
      let rest = responder.tokens(behind: text(said), reasoning: reasoning(said))
      #expect(text(said + rest) == text(responder.tokens))
      #expect(reasoning(said + rest) == reasoning(responder.tokens))
    }
  }

  @Test func `reasoning comes first, and a word at a time`() {
    #expect(responder.tokens.first?.reasoning == "The")
    #expect(responder.tokens.last?.text == " two.")
    #expect(responder.tokens.allSatisfy { $0.text.isEmpty != $0.reasoning.isEmpty })
  }

  @Test func `a text that is not the answer's beginning is answered as a whole`() {
    #expect(responder.tokens(behind: "Something else", reasoning: "") == responder.tokens)
  }

  @Test(arguments: ["", "\n\n", "one", String(repeating: "long ", count: 1000)])
  func `any question has an answer, with its beginning in it`(question: String) {
    let answer = text(Responder(question: question).tokens)
    #expect(answer.hasPrefix("You wrote: “\(question.prefix(3).replacing("\n", with: ""))"))
    #expect(answer.count < 1000)
  }
}
