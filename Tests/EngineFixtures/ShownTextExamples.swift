import HoldfastCore

/// The shown texts, for tests of their words.
package enum ShownTextExample {
  package typealias Text = ChatConfiguration.ShownText

  package static let failures: [Text.Failure] = [
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
  package static let all: [Text] = {
    var all: [Text] = [
      .offline(queued: 0), .offline(queued: 73), .reconnecting, .signedOut, .connected,
      .sendingQueue(position: 37, total: 120), .draftDiscarded, .conversationNotFound, .noMessages,
      .noConversations, .nothingFound(query: "gate 71"), .noSignsFound(query: "<<<"),
      .searchingServer, .searchOffline, .onServer, .earlierRemoved, .loadingHistory, .historyOffline,
      .messageDeleted, .messageNotHere, .nothingWritten,
      .image, .video,
      .edited, .writing, .delivered, .readBy(["Bob 23"]), .draftMark, .unread(29), .notSent(19),
      .messagesUnreadable,
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
  package static let buttons = Text.Button.allCases.map(Text.button)
}
