extension ChatConfiguration {
  /// A text that the engine shows, as a code with the numbers in it (rule V3). ``english`` is the text itself, and
  /// ``ChatConfiguration/texts`` replaces it.
  ///
  /// These are all texts of rows, banners, notices, explanations, questions, problems, imports and buttons. Only the
  /// sentence with which a server or an app refuses a message is theirs. A ``ChatError`` that a call throws has its
  /// English sentence: `configuration.texts(.error(error))` gives the app's.
  ///
  /// Cases are added over time, so a `switch` needs a `default`.
  public enum ShownText: Sendable, Codable, Hashable {
    /// The line under a message: ``MessageRow/status``.
    case status(Status)
    /// The line under a message with an operation on it. The status is that of the operation, and nil when only the
    /// operation is named.
    case operation(MessageOperation.Kind, Status?)
    /// The explanation of a message: ``Explanation/sentence``.
    case explanation(Sentence)
    /// The reason why a message failed: ``FailureReason/explanation``.
    case failure(Failure)

    /// The banner without a network, with the number of messages that are queued.
    case offline(queued: Int)
    /// The banner while the server does not answer.
    case reconnecting
    /// The banner while the server refuses the credentials.
    case signedOut
    /// The banner of a connection that has just come back.
    case connected
    /// The progress of a long queue. The message that is being sent counts, so the position begins at 1.
    case sendingQueue(position: Int, total: Int)

    /// The banner of a recovered draft.
    case draftRecovered(DraftBanner.Age)
    /// The banner of an old draft, which asks whether to keep it.
    case draftOld(DraftBanner.Age)
    /// The banner of a draft that was discarded just now.
    case draftDiscarded

    /// The notice of a window whose conversation was deleted, and the note of a timeline without its conversation.
    case conversationNotFound
    /// The note of a timeline without messages.
    case noMessages
    /// The note of a list without conversations.
    case noConversations
    /// The note of a search without hits.
    case nothingFound(query: String)
    /// The note of a search for symbols alone, which the newest messages do not have.
    case noSignsFound(query: String)
    /// The note of a search while the server is asked too.
    case searchingServer
    /// The note of a search while the server cannot be asked.
    case searchOffline
    /// The mark of a hit that is not on this device.
    case onServer
    /// The note at the beginning of a timeline whose oldest messages were removed to make room.
    case earlierRemoved
    /// The note where older messages will be, while the server is asked for them.
    case loadingHistory
    /// The note where older messages would be, while the server cannot be asked for them.
    case historyOffline
    /// The note in place of a deleted message, in its row, in a quote and in the list.
    case messageDeleted
    /// The note in place of a quoted message that is not on this device.
    case messageNotHere

    /// The excerpt of a conversation without messages, or of a reply before its first word.
    case nothingWritten
    /// The note beside the time of a message whose text was changed.
    case edited
    /// The line under a reply that is being written.
    case writing
    /// The mark of an own message that the server has.
    case delivered
    /// The mark of an own message that others have read, with their names.
    case readBy([String])
    /// The label before the excerpt of a draft.
    case draftMark
    /// The number of unread messages.
    case unread(Int)
    /// The number of messages that were not sent yet.
    case notSent(Int)
    /// The placeholder of the composer.
    case composerPrompt
    /// The heading of a model's reasoning.
    case reasoning
    /// The name of the list of conversations.
    case conversations
    /// The placeholder of a search field.
    case searchPrompt
    /// The text in place of a conversation before one is chosen.
    case noneChosen
    /// The text in place of everything while the device has to be unlocked.
    case unlockDevice
    /// The heading over the reason why a timeline could not be read.
    case messagesUnreadable
    /// The heading over the reason why the list could not be read.
    case conversationsUnreadable
    /// The excerpt of a message that has images and nothing else.
    case image
    /// The excerpt of a message that has videos and nothing else.
    case video
    /// The banner that undoes the deletion of a conversation.
    case conversationDeleted(title: String)
    /// The banner that undoes the emptying of a conversation.
    case conversationEmptied(title: String)

    /// The question about messages that have waited for long, with their number.
    case heldTitle(messages: Int)
    /// The sentence under that question.
    case heldSentence(messages: Int, conversations: Int, oldest: DraftBanner.Age)
    /// The question before a deletion, with the number of conversations.
    case deletionTitle(conversations: Int)
    /// The sentence under that question: what is deleted with the conversations. `unsent` counts messages too.
    case deletionSentence(messages: Int, unsent: Int, drafts: Int)
    /// The question before a conversation is emptied.
    case emptyingTitle
    /// The sentence under that question. `unsent` counts messages too.
    case emptyingSentence(messages: Int, unsent: Int)

    /// The heading of a text in ``OutboxHandle/exportUnsent()``.
    case unsent(Unsent)

    /// The sentence of an error, which has a code: the problem of a model.
    case error(ChatError)
    /// The outcome of an imported entry, by the code of an `ImportProblem`.
    case importProblem(code: String)
    /// A button.
    case button(Button)
  }
}

extension ChatConfiguration.ShownText {
  /// The codes of the line under a message (rule O3). The numbers behind it are in ``MessageRow/status``.
  public enum Status: String, Sendable, Codable, Hashable, CaseIterable {
    /// The message is being sent, or was transmitted.
    case sending
    /// The attachments are being uploaded.
    case uploading
    /// The server is asked whether it has the message.
    case checking
    /// The message is tried again later.
    case waitsForRetry
    /// An earlier message is sent first.
    case waitsForAnother
    /// An earlier message has failed, and the user decides about it.
    case waitsForFailed
    /// The operation waits for its message.
    case waitsForItsMessage
    /// The server refuses the conversation.
    case conversationRefused
    /// It is not known who takes part in the conversation.
    case conversationWithoutMembers
    /// The user is asked whether the message is sent.
    case held
    /// The message was interrupted while it was written.
    case interrupted
    /// The message failed, and a tap sends it again.
    case failed
    /// The reply failed. The row shows what can be done.
    case replyFailed
    /// It is unknown whether the message arrived.
    case outcomeUnknown
    /// Another process of the app sends the message.
    case anotherProcessSends
    /// The user is signed out.
    case signedOut
    /// The disk is full.
    case storageFull
    /// The device is locked.
    case storageLocked
    /// The store fails in another way.
    case storageFailed
    /// The message is sent once there is a connection.
    case offline
  }

  /// The codes of an explanation (rule O17). The numbers behind it are in ``Explanation/status``.
  public enum Sentence: String, Sendable, Codable, Hashable, CaseIterable {
    /// No such message exists.
    case unknown
    /// The server has the message.
    case delivered
    /// The message is being written.
    case streaming
    /// The message was interrupted while it was written.
    case interrupted
    /// The message was transmitted.
    case awaitingAnswer
    /// The message is being sent.
    case sending
    /// The attachments are being uploaded.
    case uploading
    /// The server is asked whether it has the message.
    case checking
    /// The message is tried again later.
    case waitsForRetry
    /// An earlier message is sent first.
    case waitsForAnother
    /// An earlier message has failed.
    case waitsForFailed
    /// The operation waits for its message.
    case waitsForItsMessage
    /// The message has waited for long, and the user is asked.
    case held
    /// The app does not run the client.
    case notRunning
    /// The device has no network.
    case offline
    /// Another process of the app sends the message.
    case anotherProcessSends
    /// The user is signed out.
    case signedOut
    /// The disk is full.
    case storageFull
    /// The device is locked.
    case storageLocked
    /// The store fails in another way.
    case storageFailed
    /// The first answer of the server is awaited.
    case connecting
    /// The server cannot be reached.
    case unreachable
    /// The server did not answer in time.
    case timedOut
    /// No secure connection can be made.
    case insecure
    /// The server reports that it cannot serve.
    case unavailable
    /// The server does not understand the app.
    case incompatible
  }

  /// The failures of a message that the engine itself finds. All others have the sentence of a server or of the app.
  public enum Failure: Sendable, Codable, Hashable {
    /// The file of an attachment is missing or has changed.
    case attachmentDamaged
    /// The transport carries no attachments.
    case attachmentsNotCarried
    /// The transport fetches no attachments.
    case attachmentsNotFetched
    /// Every attempt failed. The number is that of the attempts.
    case attemptsSpent(Int)
    /// The message had failed in the app that it was imported from.
    case failedBeforeImport
    /// The message has more than the server keeps, such as a reply or metadata.
    case fieldsNotCarried
    /// The process ended too often while the message was in flight. The number counts those ends.
    case interruptedTooOften(Int)
    /// The server has removed the conversation, in which the user has written something that was not sent.
    case conversationRemoved
    /// The conversation was imported, and the app has not named its members yet.
    case membersUnknown
    /// The message was written to others than the members of the conversation.
    case otherMembers
    /// The server's older messages could not be fetched.
    case historyNotLoaded
    /// The server gives no older messages.
    case historyNotGiven
    /// The server could not be searched.
    case searchNotMade
    /// The server does not search.
    case searchNotGiven
    /// It is unknown whether the message was delivered.
    case outcomeUnknown
    /// The model failed, and gave no reason that a user can read.
    case replyBroken
    /// The model ended its answer without a word.
    case replyEmpty
    /// The reply had failed in the app that it was imported from.
    case replyFailedBeforeImport
    /// The app ended before the first word of a reply.
    case replyLost
    /// A reply was stopped before its first word.
    case replyStopped
    /// The text is longer than the server accepts.
    case tooLong
    /// The text is longer than the transport can send.
    case tooLongToSend
  }

  /// The kinds of text that only this device has.
  public enum Unsent: String, Sendable, Codable, Hashable, CaseIterable {
    /// A new message that was not sent.
    case draft
    /// An unfinished edit of a message.
    case unfinishedEdit
    /// A sent edit that the server does not have.
    case edit
    /// A message that the server does not have.
    case message
    /// A finished message that no server has.
    case onDevice
    /// A reply that is not finished.
    case reply
  }

  /// The buttons of the engine's actions. Those of ``MessageRow/Action`` and ``HeldMessages/Answer`` have the same
  /// names.
  public enum Button: String, Sendable, Codable, Hashable, CaseIterable {
    /// Sends a failed message again.
    case retry
    /// Asks about a held message.
    case decide
    /// Changes a message.
    case edit
    /// Takes a message out of the queue.
    case cancel
    /// Deletes a message.
    case delete
    /// Shows why a message was not sent yet.
    case info
    /// Adds a reaction.
    case react
    /// Continues a reply.
    case continueReply
    /// Writes a reply again.
    case retryReply
    /// Asks for another answer.
    case regenerateReply
    /// Discards a new answer in favor of the earlier one.
    case keepEarlierReply
    /// Brings back the earlier content of a reply.
    case restoreReply
    /// Ends a reply that is being written.
    case stop
    /// Answers a message.
    case reply
    /// Deletes a message that others have.
    case deleteForEverybody
    /// Discards an edit that was not sent yet.
    case discardEdit
    /// Discards a deletion that was not sent yet.
    case keepMessage
    /// Discards a reaction that was not sent yet.
    case discardReaction
    /// Discards the removal of a reaction, if it was not sent yet.
    case keepReaction
    /// Sends the content of the composer.
    case sendMessage
    /// Shows messages before the first one.
    case earlierMessages
    /// Goes to the newest message.
    case newest
    /// Repeats a read that failed.
    case reload
    /// Closes a sheet.
    case done
    /// Ends an edit without changing the message.
    case cancelEdit
    /// Adds a file to the composer, and fetches one that is on the server alone.
    case attach, download
    /// Gives a conversation another title.
    case rename
    /// Clears the messages of a conversation, and deletes all conversations. Both ask first.
    case empty, deleteAll
    /// Sends the held messages.
    case send
    /// Leaves the held messages as they are.
    case keepWaiting
    /// Puts the held messages back into their composers.
    case backToComposer
    /// Brings back what was deleted, emptied or discarded.
    case undo
    /// Keeps an old draft.
    case keep
    /// Discards a draft.
    case discard
    /// Shows the earlier texts of a composer.
    case earlierTexts
    /// Recovers what can be read of a damaged store.
    case repair
    /// Opens an address in the web.
    case open
    /// Puts a block of code on the clipboard, and the label of that button once it has.
    case copy, copied
  }
}
