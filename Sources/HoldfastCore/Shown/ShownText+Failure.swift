extension ChatConfiguration.ShownText.Failure {
  /// The engine's own failure that has this code and this sentence. Nil when a server or the app gave the sentence.
  ///
  /// The store keeps the English sentence with its number, and the code alone does not identify who gave it.
  init?(_ code: FailureReason.Code, _ sentence: String) {
    let number = sentence.split { !$0.isASCII || !$0.isNumber }.first.flatMap { Int($0) } ?? 0
    let own: [Self] = [
      .attachmentDamaged, .attachmentsNotCarried, .attachmentsNotFetched, .attemptsSpent(number),
      .conversationRemoved,
      .failedBeforeImport, .fieldsNotCarried, .historyNotGiven, .historyNotLoaded,
      .interruptedTooOften(number), .membersUnknown, .otherMembers, .outcomeUnknown,
      .replyBroken, .replyEmpty, .replyFailedBeforeImport, .replyLost, .replyStopped, .searchNotGiven,
      .searchNotMade,
      .tooLong, .tooLongToSend,
    ]
    guard let found = own.first(where: { $0.code == code && $0.english == sentence }) else { return nil }
    self = found
  }

  /// The code of this failure.
  package var code: FailureReason.Code {
    switch self {
    case .attachmentDamaged: .attachmentDamaged
    case .attachmentsNotCarried, .attachmentsNotFetched: .attachmentRefused
    case .attemptsSpent, .failedBeforeImport: .attemptsSpent
    case .fieldsNotCarried, .otherMembers: .rejected
    case .historyNotGiven, .historyNotLoaded: .historyFailed
    case .interruptedTooOften: .interruptedTooOften
    case .conversationRemoved, .membersUnknown: .conversationRefused
    case .outcomeUnknown: .outcomeUnknown
    case .replyBroken, .replyEmpty, .replyFailedBeforeImport, .replyLost, .replyStopped: .replyFailed
    case .searchNotGiven, .searchNotMade: .searchFailed
    case .tooLong, .tooLongToSend: .tooLong
    }
  }
}

extension FailureReason {
  /// The engine's own reason, with its English sentence.
  package init(_ cause: ChatConfiguration.ShownText.Failure) { self.init(cause.code, cause.english) }
}
