import EngineFixtures
import Foundation
import Testing

@testable import HoldfastCore

/// The German and the Arabic catalogue. The compiler checks that each code has a text in both.
@Suite struct LanguageTests {
  typealias Text = ChatConfiguration.ShownText

  private static let all = ShownTextExample.all + ShownTextExample.buttons
  /// The texts for the app's author. No user sees them.
  private static let forAuthors: Set = [
    "malformedID", "malformedReaction", "malformedMediaType", "metadataTooLarge", "metadataUnsupported",
    "referencesTooLarge", "referencesUnsupported", "formattingUnsupported", "reasoningUnsupported",
    "unknownAttachment", "sceneTooLarge", "sceneNotEncodable", "sameConversation", "storageUnavailable",
  ]

  // V3.1
  @Test(arguments: ["de", "ar"])
  func `each code has a text of its own, with its numbers, and other words than in English`(language: String)
  {
    var codes: [String: Text] = [:]
    for text in Self.all {
      let shown = text.text(in: language)
      let other = codes.updateValue(text, forKey: shown)
      #expect(other == nil, "\(text) and \(other.map { "\($0)" } ?? "") are both \(shown)")
      if shown == text.english { #expect(["Info", "Video", "Chats"].contains(shown), "\(text)") }
      for number in "\(text)".matches(of: /[0-9]{2,}/).map(\.output) where !"\(text)".contains("heldSentence")
      {
        #expect(shown.contains(number), "\(shown) is without \(number)")
      }
    }
  }

  // V3.1
  @Test func `an Arabic text has no Latin letters but those of names`() {
    for text in Self.all {
      let named = "\(text)".contains("Trip") || "\(text)".contains("Bob") || "\(text)".contains("gate")
      #expect(named || text.arabic.wholeMatch(of: /[^a-zA-Z]*/) != nil, "\(text.arabic)")
    }
  }

  // V3.1
  @Test(arguments: ["de", "ar"])
  func `each error that a user may meet, and each note of an import, has a sentence`(language: String)
    throws
  {
    let errors = try Self.codes(
      "ChatError", /static let \w+ = Code\(rawValue: "(\w+)"\)/,
      before: nil)
    #expect(errors.count > 50)
    for code in errors {
      let text = Text.error(ChatError(.init(rawValue: code), "English")).text(in: language)
      #expect((text == "English") == Self.forAuthors.contains(code), "\(code): \(text)")
    }
    let notes = try Self.codes(
      "ShownText+Import", /^    "(\w+)":/.anchorsMatchLineEndings(), before: nil)
    #expect(notes.count > 20)
    let unknown = Text.importProblem(code: "another").text(in: language)
    for code in notes { #expect(Text.importProblem(code: code).text(in: language) != unknown, "\(code)") }
  }

  private static func codes(
    _ file: String, _ pattern: some RegexComponent<(Substring, Substring)>, before end: String?
  ) throws -> [String] {
    let text = try SourceFile.declaring(file).text
    let part = end.flatMap { text.range(of: $0) }.map { text[..<$0.lowerBound] } ?? text[...]
    return part.matches(of: pattern).map { String($0.output.1) }
  }

  // V3.1
  @Test func `one is not counted as many in German`() {
    #expect(Text.offline(queued: 1).german == "Offline – 1 Nachricht wartet")
    #expect(Text.offline(queued: 2).german == "Offline – 2 Nachrichten warten")
    #expect(
      Text.heldSentence(messages: 1, conversations: 1, oldest: .days(1)).german
        == "Sie wurde vor 1 Tag geschrieben. Nichts wird gesendet, bevor du entscheidest.")
    #expect(
      Text.deletionSentence(messages: 1, unsent: 1, drafts: 1).german
        == "1 Nachricht verschwindet von diesem Gerät. 1 Nachricht wurde nie gesendet: Niemand sonst hat sie. "
        + "1 Entwurf geht auch verloren. Ist alles endgültig gelöscht, lässt es sich nicht zurückholen.")
  }

  // The plural forms of CLDR: one, two, few, many and other.
  @Test(arguments: [
    (1, "رسالة واحدة"), (2, "رسالتان"), (3, "3 رسائل"), (10, "10 رسائل"), (11, "11 رسالة"), (99, "99 رسالة"),
    (100, "100 رسالة"), (103, "103 رسائل"), (111, "111 رسالة"),
  ])
  func `a number of messages has its Arabic form`(number: Int, form: String) {
    #expect(Text.offline(queued: number).arabic == "غير متصل – في الانتظار: \(form)")
  }

  @Test(arguments: [
    (1, "قبل يوم"), (2, "قبل يومين"), (3, "قبل 3 أيام"), (11, "قبل 11 يومًا"), (100, "قبل 100 يوم"),
  ])
  func `a number of days has its Arabic form`(number: Int, form: String) {
    #expect(Text.draftRecovered(.days(number)).arabic.hasSuffix(form))
  }

  // V3.1
  @Test(arguments: [
    ("de", "Senden"), ("de-CH", "Senden"), ("ar_EG", "إرسال"), ("en", "Send"), ("fr", "Send"), ("", "Send"),
  ])
  func `a language tag -> its catalogue, or the English one`(language: String, send: String) {
    #expect(Text.button(.sendMessage).text(in: language) == send)
  }
}
