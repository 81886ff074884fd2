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
    /// The line under a message to which something was done. The status is that of the operation, and nil when there is
    /// nothing to say but what was done.
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
    /// The progress of a long queue. The message that is on its way counts, so the position begins at 1.
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
    /// Signs alone were looked for, in the newest messages, and not found.
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
    /// The line under a reply that is being written.
    case writing
    /// The mark of an own message that the server has.
    case delivered
    /// The mark of an own message that others have read, with their names.
    case readBy([String])
    /// What stands before the excerpt of a draft.
    case draftMark
    /// The number of messages that were not read.
    case unread(Int)
    /// The number of messages that have not gone.
    case notSent(Int)
    /// What a text field says before anything is typed.
    case composerPrompt
    /// The name of what a model thought before it answered.
    case reasoning
    /// The name of the list of conversations.
    case conversations
    /// What a search field says before anything is typed.
    case searchPrompt
    /// What stands where a conversation will, before one is chosen.
    case noneChosen
    /// What stands in the place of everything while the device has to be unlocked.
    case unlockDevice
    /// The heading over the reason why a timeline could not be read.
    case messagesUnreadable
    /// The heading over the reason why the list could not be read.
    case conversationsUnreadable
    /// The excerpt of a message that has images and nothing else.
    case image
    /// The excerpt of a message that has videos and nothing else.
    case video
    /// The offer to bring back a deleted conversation.
    case conversationDeleted(title: String)
    /// The offer to bring back the messages of a conversation that was emptied.
    case conversationEmptied(title: String)

    /// The question about messages that have waited for long, with their number.
    case heldTitle(messages: Int)
    /// The sentence under that question.
    case heldSentence(messages: Int, conversations: Int, oldest: DraftBanner.Age)
    /// The question before a deletion, with the number of conversations.
    case deletionTitle(conversations: Int)
    /// The sentence under that question: what goes with the conversations. `unsent` counts messages too.
    case deletionSentence(messages: Int, unsent: Int, drafts: Int)
    /// The question before a conversation is emptied.
    case emptyingTitle
    /// The sentence under that question. `unsent` counts messages too.
    case emptyingSentence(messages: Int, unsent: Int)

    /// The heading of a text in ``ChatClient/exportUnsent()``.
    case unsent(Unsent)

    /// The sentence of an error, which has a code: the problem of a model.
    case error(ChatError)
    /// What became of an imported entry, by the code of an `ImportProblem`.
    case importProblem(code: String)
    /// A button.
    case button(Button)
  }
}

extension ChatConfiguration.ShownText {
  /// The codes of the line under a message (rule O3). The numbers behind it are in ``MessageRow/status``.
  public enum Status: String, Sendable, Codable, Hashable, CaseIterable {
    /// The message leaves, or has left.
    case sending
    /// The attachments are on their way.
    case uploading
    /// The server is asked whether it has the message.
    case checking
    /// The message is tried again later.
    case waitsForRetry
    /// An earlier message goes first.
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
    /// The message was cut off while it was written.
    case interrupted
    /// The message failed, and a tap sends it again.
    case failed
    /// The reply failed. The row offers what can be done.
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
    /// The message leaves once there is a connection.
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
    /// The message was cut off while it was written.
    case interrupted
    /// The message has left.
    case awaitingAnswer
    /// The message leaves at this moment.
    case sending
    /// The attachments are on their way.
    case uploading
    /// The server is asked whether it has the message.
    case checking
    /// The message is tried again later.
    case waitsForRetry
    /// An earlier message goes first.
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
    /// The server says that it cannot serve.
    case unavailable
    /// The server does not understand the app.
    case incompatible
  }

  /// The failures of a message that the engine itself finds. All others have the sentence of a server or of the app.
  public enum Failure: Sendable, Codable, Hashable {
    /// The file of an attachment is gone or has changed.
    case attachmentDamaged
    /// The transport carries no attachments.
    case attachmentsNotCarried
    /// The transport fetches no attachments.
    case attachmentsNotFetched
    /// Every attempt failed, so many times.
    case attemptsSpent(Int)
    /// The message had failed in the app that it was imported from.
    case failedBeforeImport
    /// The message has more than the server keeps, such as a reply or metadata.
    case fieldsNotCarried
    /// The process ended so many times while the message was on its way.
    case interruptedTooOften(Int)
    /// The server has removed the conversation, in which the user has written something that was not sent.
    case conversationRemoved
    /// The conversation was imported, and the app has not said yet who takes part in it.
    case membersUnknown
    /// The message was written to others than the members of the conversation.
    case otherMembers
    /// The server's older messages did not come.
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
    /// An edit of a message that was begun.
    case unfinishedEdit
    /// An edit that was sent, and is not with the server.
    case edit
    /// A message that is not with the server.
    case message
    /// A finished message that no server has.
    case onDevice
    /// A reply that is not finished.
    case reply
  }

  /// The buttons for what the engine offers. Those of ``MessageRow/Action`` and ``HeldMessages/Answer`` have the same
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
    /// Says why a message has not gone.
    case info
    /// Adds a reaction.
    case react
    /// Goes on with a reply.
    case continueReply
    /// Writes a reply anew.
    case retryReply
    /// Asks for another answer.
    case regenerateReply
    /// Gives up a new answer for the earlier one.
    case keepEarlierReply
    /// Brings back what a reply said before.
    case restoreReply
    /// Ends a reply that is being written.
    case stop
    /// Answers a message.
    case reply
    /// Deletes a message that others have.
    case deleteForEverybody
    /// Gives up an edit that has not gone.
    case discardEdit
    /// Gives up a deletion that has not gone.
    case keepMessage
    /// Gives up a reaction that has not gone.
    case discardReaction
    /// Gives up the removal of a reaction that has not gone.
    case keepReaction
    /// Sends what is in the composer.
    case sendMessage
    /// Shows messages before the first one.
    case earlierMessages
    /// Goes to the newest message.
    case newest
    /// Reads again what could not be read.
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
  }
}
