import EngineFixtures
import Foundation
import Testing

@testable import HoldfastCore

/// The codes of the shown texts, and their English catalogue.
@Suite struct ShownTextTests {
  typealias Text = ChatConfiguration.ShownText

  // V3.1
  @Test func `each code has an English text of its own, with its numbers`() {
    var codes: [String: Text] = [:]
    for text in ShownTextExample.all {
      #expect(!text.english.isEmpty)
      let other = codes.updateValue(text, forKey: text.english)
      #expect(other == nil, "\(text) and \(other.map { "\($0)" } ?? "") are both \(text.english)")
      for number in "\(text)".matches(of: /[0-9]{2,}/).map(\.output) where !"\(text)".contains("heldSentence")
      {
        #expect(text.english.contains(number), "\(text.english) is without \(number)")
      }
    }
    let held = Text.heldSentence(messages: 79, conversations: 43, oldest: .days(41))
    #expect(held.english.contains("41 days") && held.english.contains("43 conversations"))
  }

  // V3.1
  @Test func `every code is looked at`() throws {
    let codes = try SourceFile.declaring("ShownText").text.matches(of: /case (\w+)/).map { String($0.1) }
    let seen = Set(
      (ShownTextExample.all + ShownTextExample.buttons).flatMap {
        "\($0)".matches(of: /\w+/).map { String($0.output) }
      })
    #expect(codes.count > 80)
    #expect(Set(codes).subtracting(seen).isEmpty)
  }

  // V3.1
  @Test func `one is not counted as many`() {
    #expect(Text.offline(queued: 1).english == "Offline - 1 message queued")
    #expect(Text.heldTitle(messages: 1).english == "1 message has waited for long")
    #expect(
      Text.heldSentence(messages: 1, conversations: 1, oldest: .minutes(1)).english
        == "It was written 1 minute ago. Nothing is sent before you decide.")
    #expect(
      Text.deletionSentence(messages: 1, unsent: 1, drafts: 1).english
        == "1 message will be gone from this device. 1 message was never sent: nobody else has it. "
        + "1 draft goes too. Once erased, it cannot be brought back.")
    #expect(
      Text.deletionSentence(messages: 0, unsent: 0, drafts: 0).english
        == "Once erased, it cannot be brought back.")
  }

  @Test func `a code survives coding`() throws {
    for text in ShownTextExample.all + ShownTextExample.buttons {
      let coded = try JSONEncoder().encode(text)
      #expect(try JSONDecoder().decode(Text.self, from: coded) == text)
    }
  }

  // V3.1
  @Test(arguments: ShownTextExample.failures + [.attemptsSpent(0), .interruptedTooOften(12_345)])
  func `a stored sentence of the engine -> its code with the number`(failure: Text.Failure) {
    let stored = FailureReason(failure.code, failure.english)
    #expect(stored.cause == failure)
    #expect(stored == FailureReason(failure))
    let other: FailureReason.Code = failure.code == .rejected ? .tooLong : .rejected
    #expect(FailureReason(other, failure.english).cause == nil)
  }

  // V3.1
  @Test func `a sentence of a server -> no code of the engine, and no other words`() {
    let server = FailureReason(
      .attemptsSpent, "The server failed to accept the message 3 times, and gave up.")
    #expect(server.cause == nil)
    #expect(server.localized { "\($0)" } == server)
    let ours = FailureReason(.attemptsSpent(3)).localized { "\($0)" }
    #expect(ours.explanation == "\(Text.failure(.attemptsSpent(3)))")
    #expect(ours.cause == .attemptsSpent(3))
  }
}
