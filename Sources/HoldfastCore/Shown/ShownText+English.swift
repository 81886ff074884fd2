/// The catalogue of all English texts that the engine shows. The sentences of errors are where they are thrown, and
/// those of imports in `ShownText+Import.swift`.
extension ChatConfiguration.ShownText {
  /// The text in English, with its numbers.
  public var english: String {
    switch self {
    case .status(let status): status.english
    case .operation(let kind, let status): Self.operation(kind, status)
    case .explanation(let sentence): sentence.english
    case .failure(let failure): failure.english
    case .offline(queued: 0): "Offline - Messages will send when reconnected"
    case .offline(let queued): "Offline - \(Self.count(queued, "message")) queued"
    case .reconnecting: "Reconnecting..."
    case .signedOut: "Signed out - Messages will send when signed in"
    case .connected: "Connected"
    case .sendingQueue(let position, let total): "Sending \(position) of \(total)"
    case .draftRecovered(let age): "Recovered draft • \(age.english)"
    case .draftOld(let age): "Draft from \(age.english) - keep it?"
    case .draftDiscarded: "Draft discarded"
    case .conversationNotFound: "Conversation not found"
    case .noMessages: "No messages yet"
    case .noConversations: "No conversations yet"
    case .nothingFound(let query): "Nothing found for “\(query)”"
    case .noSignsFound(let query): "None of the newest 1,000 messages has “\(query)”"
    case .searchingServer: "Searching the server..."
    case .searchOffline: "Only messages on this device are found while you are offline"
    case .onServer: "On the server"
    case .earlierRemoved: "Earlier messages were removed from this device"
    case .loadingHistory: "Loading messages..."
    case .historyOffline: "More messages load when you are online"
    case .messageDeleted: "Message deleted"
    case .messageNotHere: "Message not on this device"
    case .nothingWritten: "Nothing written yet"
    case .edited: "Edited"
    case .writing: "Writing..."
    case .delivered: "Delivered"
    case .readBy(let names): "Read by \(names.joined(separator: ", "))"
    case .draftMark: "Draft:"
    case .unread(let messages): "\(messages) unread"
    case .notSent(let messages): "\(messages) not sent"
    case .composerPrompt: "Message"
    case .reasoning: "Reasoning"
    case .conversations: "Chats"
    case .searchPrompt: "Search"
    case .noneChosen: "No conversation chosen"
    case .unlockDevice: "Unlock this device to read your messages."
    case .messagesUnreadable: "The messages could not be read."
    case .conversationsUnreadable: "The conversations could not be read."
    case .image: "Image"
    case .video: "Video"
    case .conversationDeleted(let title): "“\(title)” deleted"
    case .conversationEmptied(let title): "Messages of “\(title)” cleared"
    case .heldTitle(let messages):
      "\(Self.count(messages, "message has", "messages have")) waited for long"
    case .heldSentence(let messages, let conversations, let age):
      Self.heldSentence(messages, conversations, age)
    case .deletionTitle(conversations: 1): "Delete the conversation?"
    case .deletionTitle(let conversations): "Delete all \(conversations) conversations?"
    case .deletionSentence(let messages, let unsent, let drafts):
      Self.sentence(messages, unsent: unsent, drafts: drafts, end: "Once erased, it cannot be brought back.")
    case .emptyingTitle: "Clear the messages?"
    case .emptyingSentence(let messages, let unsent):
      Self.sentence(messages, unsent: unsent, drafts: 0, end: "The conversation stays.")
    case .unsent(let kind): kind.english
    case .error(let error): error.message
    case .importProblem(let code): Self.importProblem(code)
    case .button(let button): button.english
    }
  }

  private static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(number) \(number == 1 ? one : many ?? "\(one)s")"
  }

  /// "Edit queued - Will send when online".
  private static func operation(_ kind: MessageOperation.Kind, _ status: Status?) -> String {
    let operation =
      switch kind {
      case .edit: "Edit"
      case .delete: "Deletion"
      case .react: "Reaction"
      case .unreact: "Removal of a reaction"
      }
    guard let status = status?.english else { return operation }
    return "\(operation) \(status.prefix(1).lowercased())\(status.dropFirst())"
  }

  private static func heldSentence(
    _ messages: Int, _ conversations: Int, _ oldest: DraftBanner.Age
  ) -> String {
    let which = messages == 1 ? "It" : "The oldest"
    let places = conversations > 1 ? ", in \(conversations) conversations" : ""
    return "\(which) was written \(oldest.english)\(places). Nothing is sent before you decide."
  }

  private static func sentence(_ messages: Int, unsent: Int, drafts: Int, end: String) -> String {
    var sentences: [String] = []
    if messages > 0 { sentences.append("\(count(messages, "message")) will be gone from this device.") }
    if unsent > 0 {
      let them = unsent == 1 ? "it" : "them"
      sentences.append(
        "\(count(unsent, "message was", "messages were")) never sent: nobody else has \(them).")
    }
    if drafts > 0 { sentences.append("\(count(drafts, "draft goes", "drafts go")) too.") }
    return (sentences + [end]).joined(separator: " ")
  }
}

extension ChatConfiguration.ShownText.Status {
  /// The status in English.
  public var english: String {
    switch self {
    case .sending: "Sending..."
    case .uploading: "Uploading..."
    case .checking: "Checking with the server..."
    case .waitsForRetry: "Waiting to retry"
    case .waitsForAnother: "Waiting for an earlier message"
    case .waitsForFailed: "Queued - Waits for the message that failed"
    case .waitsForItsMessage: "Waits for its message"
    case .conversationRefused: "Queued - The conversation takes no messages"
    case .conversationWithoutMembers: "Queued - Not known yet for whom"
    case .held: "Held - Tap to decide"
    case .interrupted: "Interrupted"
    case .failed: "Failed - Tap to retry"
    case .replyFailed: "Failed"
    case .outcomeUnknown: "Unknown - Tap to decide"
    case .anotherProcessSends: "Queued - Another part of the app sends it"
    case .signedOut: "Queued - Will send when signed in"
    case .storageFull: "Queued - The disk is full"
    case .storageLocked: "Queued - Will send when the device is unlocked"
    case .storageFailed: "Queued - The store on this device fails"
    case .offline: "Queued - Will send when online"
    }
  }
}

extension ChatConfiguration.ShownText.Sentence {
  /// The explanation in English.
  public var english: String {
    switch self {
    case .unknown: "This message does not exist."
    case .delivered: "The message has been delivered."
    case .streaming: "The message is being written."
    case .interrupted: "The message was cut off while it was written."
    case .awaitingAnswer: "The message is on its way to the server."
    case .sending: "The message is about to be sent."
    case .uploading: "The attachments are on their way to the server. The message follows."
    case .checking: "The message may have arrived. The app is asking the server."
    case .waitsForRetry: "The server could not accept the message. It is sent again automatically."
    case .waitsForAnother: "An earlier message of the conversation is sent first."
    case .waitsForFailed: "An earlier message of the conversation has failed. Retry or delete it first."
    case .waitsForItsMessage:
      "It waits for its message, which has failed or is held. Decide about that first."
    case .held: "The message has waited for a long time. Decide whether to send it."
    case .notRunning: "The message is sent when the app is connected again."
    case .offline: "This message will send automatically when you're back online."
    case .anotherProcessSends: "Another part of the app sends the message."
    case .signedOut: "You are signed out. Sign in to send the message."
    case .storageFull: "The disk is full. Free some space to send the message."
    case .storageLocked: "The message is sent when the device is unlocked."
    case .storageFailed: "The store on this device fails. The message is sent again automatically."
    case .connecting: "The app is connecting to the server."
    case .unreachable: "The server cannot be reached."
    case .timedOut: "The server did not answer in time."
    case .insecure:
      "No secure connection can be made. Check the date, and whether the network asks for a login."
    case .unavailable: "The server is not available at the moment."
    case .incompatible: "The server does not understand this version of the app."
    }
  }
}

extension ChatConfiguration.ShownText.Failure {
  /// The reason in English. The store keeps it with the message that failed.
  public var english: String {
    switch self {
    case .attachmentDamaged: "An attachment can no longer be read. Take it out, or add it again."
    case .attachmentsNotCarried: "Attachments cannot be sent here."
    case .attachmentsNotFetched: "Attachments cannot be fetched here."
    case .attemptsSpent(let attempts): "The server failed to accept the message \(attempts) times."
    case .conversationRemoved: "This conversation was deleted. What you wrote and did not send is still here."
    case .fieldsNotCarried: "The server does not keep everything that this message has."
    case .failedBeforeImport: "It had failed before it was imported. Send it again, or delete it."
    case .interruptedTooOften(let ends): "The app ended \(ends) times while this message was being sent."
    case .otherMembers:
      "This conversation has other members than those you wrote to. See who is in it before you send again."
    case .membersUnknown: "It is not known yet who takes part in this conversation."
    case .historyNotLoaded: "Older messages could not be loaded."
    case .historyNotGiven: "The server gives no older messages."
    case .searchNotMade: "The server could not be searched."
    case .searchNotGiven: "The server does not search."
    case .outcomeUnknown: "It may have been delivered. Send it again?"
    case .replyBroken: "The assistant failed. Try again."
    case .replyEmpty: "The assistant answered without a word."
    case .replyFailedBeforeImport: "The reply had failed before it was imported."
    case .replyLost: "The app ended before the reply began."
    case .replyStopped: "The reply was stopped before it began."
    case .tooLong: "This message is longer than the server accepts."
    case .tooLongToSend: "This message is too long to be sent."
    }
  }
}

extension ChatConfiguration.ShownText.Button {
  /// The label in English.
  public var english: String {
    switch self {
    case .retry: "Retry"
    case .decide: "Decide"
    case .edit: "Edit"
    case .cancel: "Cancel"
    case .delete: "Delete"
    case .info: "Info"
    case .react: "React"
    case .continueReply: "Continue"
    case .retryReply: "Try again"
    case .regenerateReply: "Answer again"
    case .keepEarlierReply: "Keep the earlier answer"
    case .restoreReply: "Bring back the earlier answer"
    case .stop: "Stop"
    case .reply: "Reply"
    case .deleteForEverybody: "Delete for everybody"
    case .discardEdit: "Discard the edit"
    case .keepMessage: "Keep the message"
    case .discardReaction: "Discard the reaction"
    case .keepReaction: "Keep the reaction"
    case .sendMessage: "Send"
    case .earlierMessages: "Earlier messages"
    case .newest: "Newest messages"
    case .reload: "Load again"
    case .done: "Done"
    case .cancelEdit: "Cancel the edit"
    case .attach: "Attach a file"
    case .download: "Download"
    case .rename: "Rename"
    case .empty: "Clear the messages"
    case .deleteAll: "Delete all conversations"
    case .send: "Send now"
    case .keepWaiting: "Keep waiting"
    case .backToComposer: "Back to the composer"
    case .undo: "Undo"
    case .keep: "Keep"
    case .discard: "Discard"
    case .earlierTexts: "Earlier texts"
    case .repair: "Repair"
    case .open: "Open"
    case .copy: "Copy"
    case .copied: "Copied"
    }
  }
}

extension ChatConfiguration.ShownText.Unsent {
  /// The heading in English.
  public var english: String {
    switch self {
    case .draft: "Draft"
    case .unfinishedEdit: "Unfinished edit"
    case .edit: "Edit that was not sent"
    case .message: "Not sent"
    case .onDevice: "On this device alone"
    case .reply: "Unfinished reply"
    }
  }
}

extension DraftBanner.Age {
  /// The age in English: "5 minutes ago".
  public var english: String {
    func ago(_ count: Int, _ unit: String) -> String {
      count == 1 ? "1 \(unit) ago" : "\(count) \(unit)s ago"
    }
    return switch self {
    case .justNow: "just now"
    case .minutes(let count): ago(count, "minute")
    case .hours(let count): ago(count, "hour")
    case .yesterday: "yesterday"
    case .days(let count): ago(count, "day")
    }
  }
}
