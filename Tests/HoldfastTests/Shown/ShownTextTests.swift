import Foundation
import Testing

@testable import HoldfastCore

/// The codes of the shown texts, and their English catalogue.
@Suite struct ShownTextTests {
  typealias Text = ChatConfiguration.ShownText

  static let failures: [Text.Failure] = [
    .attachmentDamaged, .attachmentsNotCarried, .attachmentsNotFetched, .attemptsSpent(53),
    .conversationRemoved,
    .failedBeforeImport, .fieldsNotCarried, .historyNotGiven, .historyNotLoaded,
    .interruptedTooOften(59), .membersUnknown, .otherMembers, .outcomeUnknown,
    .replyFailedBeforeImport,
    .replyBroken, .replyEmpty, .replyLost, .replyStopped, .searchNotGiven, .searchNotMade, .tooLong,
    .tooLongToSend,
  ]
  private static let ages: [DraftBanner.Age] = [.justNow, .minutes(31), .hours(17), .yesterday, .days(41)]

  /// Each text once, with distinct numbers.
  static let all: [Text] = {
    var all: [Text] = [
      .offline(queued: 0), .offline(queued: 73), .reconnecting, .signedOut, .connected,
      .sendingQueue(position: 37, total: 120), .draftDiscarded, .conversationNotFound, .noMessages,
      .noConversations, .nothingFound(query: "gate 71"), .noSignsFound(query: "<<<"),
      .searchingServer, .searchOffline, .onServer, .earlierRemoved, .loadingHistory, .historyOffline,
      .messageDeleted, .messageNotHere, .nothingWritten,
      .image, .video,
      .writing, .delivered, .readBy(["Bob 23"]), .draftMark, .unread(29), .notSent(19), .messagesUnreadable,
      .conversationsUnreadable, .composerPrompt, .reasoning, .conversations, .searchPrompt, .noneChosen,
      .unlockDevice,
      .conversationDeleted(title: "Trip 67"), .heldTitle(messages: 79), .deletionTitle(conversations: 1),
      .deletionTitle(conversations: 83), .deletionSentence(messages: 97, unsent: 89, drafts: 61),
      .conversationEmptied(title: "Trip 59"), .emptyingTitle, .emptyingSentence(messages: 53, unsent: 47),
    ]
    all += Text.Status.allCases.map(Text.status)
    for kind in MessageOperation.Kind.allCases {
      all += [.operation(kind, nil)] + Text.Status.allCases.map { .operation(kind, $0) }
    }
    all += Text.Sentence.allCases.map(Text.explanation)
    all += failures.map(Text.failure)
    all += ages.map(Text.draftRecovered) + ages.map(Text.draftOld)
    all += ages.map { .heldSentence(messages: 79, conversations: 43, oldest: $0) }
    all += [.error(ChatError(.storageFull, "The disk is full.")), .importProblem(code: "tooDeep")]
    return all + Text.Unsent.allCases.map(Text.unsent)
  }()
  static let buttons = Text.Button.allCases.map(Text.button)

  // V3.1
  @Test func `each code has an English text of its own, with its numbers`() {
    var codes: [String: Text] = [:]
    for text in Self.all {
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
    let seen = Set((Self.all + Self.buttons).flatMap { "\($0)".matches(of: /\w+/).map { String($0.output) } })
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
    for text in Self.all + Self.buttons {
      let coded = try JSONEncoder().encode(text)
      #expect(try JSONDecoder().decode(Text.self, from: coded) == text)
    }
  }

  // V3.1
  @Test(arguments: failures + [.attemptsSpent(0), .interruptedTooOften(12_345)])
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
