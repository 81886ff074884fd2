import Foundation

/// What went wrong, by what the caller can do about it. Never carries the contents of a message.
///
/// ```swift
/// do { try client.send(text, in: conversation) }
/// catch let error where error.code == .storageFull { composer.show(error.message) }
/// ```
public struct ChatError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A code that can be compared. Codes are added over time, so a `switch` needs a `default`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// Nothing to send: the text is empty after trimming and there is no attachment.
    public static let emptyMessage = Code(rawValue: "emptyMessage")
    /// The text is longer than the transport accepts.
    public static let messageTooLong = Code(rawValue: "messageTooLong")
    /// The draft is larger than the store accepts.
    public static let draftTooLong = Code(rawValue: "draftTooLong")
    public static let unknownConversation = Code(rawValue: "unknownConversation")
    public static let unknownMessage = Code(rawValue: "unknownMessage")
    /// Only its sender can edit or delete a message.
    public static let notYourMessage = Code(rawValue: "notYourMessage")
    /// The message was deleted: nothing can be done to it any more.
    public static let messageDeleted = Code(rawValue: "messageDeleted")
    /// The message is still being written.
    public static let messageUnfinished = Code(rawValue: "messageUnfinished")
    /// The reply is whole: it was finished meanwhile, or was never cut off.
    public static let notInterrupted = Code(rawValue: "notInterrupted")
    /// The reply is being written at this moment, here or in another process of the app.
    public static let beingWritten = Code(rawValue: "beingWritten")
    /// A reaction is 1 to 64 bytes without control characters.
    public static let malformedReaction = Code(rawValue: "malformedReaction")
    /// The backend has no such thing.
    public static let unsupported = Code(rawValue: "unsupported")
    /// An ID is empty, longer than 255 bytes, or has control characters.
    public static let malformedID = Code(rawValue: "malformedID")
    /// The outbox is full; messages must leave before more can enter.
    public static let outboxFull = Code(rawValue: "outboxFull")
    /// The message has left already, or may have: it cannot be taken back.
    public static let tooLate = Code(rawValue: "tooLate")
    /// Another process of the app has changed the draft, or sent it.
    public static let draftChanged = Code(rawValue: "draftChanged")
    public static let invalidDraft = Code(rawValue: "invalidDraft")
    /// Another message of the conversation is being edited, and that edit is neither finished nor discarded.
    public static let editInProgress = Code(rawValue: "editInProgress")
    /// A conversation was to get the ID that it has.
    public static let sameConversation = Code(rawValue: "sameConversation")
    /// The title has more than ``ChatClient/maximumTitleBytes``.
    public static let titleTooLong = Code(rawValue: "titleTooLong")
    /// More would be deleted than its user was asked about.
    public static let confirmationOutdated = Code(rawValue: "confirmationOutdated")
    /// The file is larger than this client or its transport takes.
    public static let attachmentTooLarge = Code(rawValue: "attachmentTooLarge")
    /// The draft has as many attachments as it may have.
    public static let tooManyAttachments = Code(rawValue: "tooManyAttachments")
    /// The file that was picked is gone, is no file, or cannot be read.
    public static let attachmentUnreadable = Code(rawValue: "attachmentUnreadable")
    /// The media type is none: it is written `image/png`.
    public static let malformedMediaType = Code(rawValue: "malformedMediaType")
    /// The transport does not carry attachments.
    public static let attachmentsUnsupported = Code(rawValue: "attachmentsUnsupported")
    /// Nothing here refers to an attachment of this checksum.
    public static let unknownAttachment = Code(rawValue: "unknownAttachment")
    /// What is stored of a window cannot be read: it was cleared, and the window starts anew.
    public static let sceneUnreadable = Code(rawValue: "sceneUnreadable")
    /// A window's place has more than 256 KB.
    public static let sceneTooLarge = Code(rawValue: "sceneTooLarge")
    /// The routes or the sheet of a window cannot be encoded: the app's own types refuse it.
    public static let sceneNotEncodable = Code(rawValue: "sceneNotEncodable")
    /// The link or the activity is of another app, or opens nothing here.
    public static let foreignLink = Code(rawValue: "foreignLink")
    /// The link or the activity is not as this app writes them.
    public static let malformedLink = Code(rawValue: "malformedLink")
    /// The disk is full. Nothing was changed.
    public static let storageFull = Code(rawValue: "storageFull")
    /// The store is protected while the device is locked. Wait, and try again.
    public static let storageLocked = Code(rawValue: "storageLocked")
    /// The store is damaged. It was left as it is.
    public static let storageDamaged = Code(rawValue: "storageDamaged")
    /// The store was written by a newer version of the app. It was left as it is.
    public static let storageNewer = Code(rawValue: "storageNewer")
    /// The store belongs to another account, or is no store of this engine.
    public static let storageForeign = Code(rawValue: "storageForeign")
    /// Files that others may write to, or no permission to write.
    public static let storagePermissions = Code(rawValue: "storagePermissions")
    /// There is no persistent place for the store on this system.
    public static let storageUnavailable = Code(rawValue: "storageUnavailable")
    /// Another process, or another client of this process, holds the store.
    public static let storageBusy = Code(rawValue: "storageBusy")
    /// ``ChatClient/suspend()`` has closed the store. Call ``ChatClient/resume()`` first.
    public static let suspended = Code(rawValue: "suspended")
    /// ``ChatClient/erase()`` has erased the store.
    public static let storageErased = Code(rawValue: "storageErased")
    /// The backup is damaged, or is none.
    public static let backupDamaged = Code(rawValue: "backupDamaged")
    /// The file that was given is not there, or cannot be read.
    public static let fileUnreadable = Code(rawValue: "fileUnreadable")
    /// The file is none that can be imported.
    public static let fileUnrecognized = Code(rawValue: "fileUnrecognized")
    /// Something is there already, and is not overwritten.
    public static let alreadyThere = Code(rawValue: "alreadyThere")
    /// The system does not give, or does not take, what it keeps for the account.
    public static let credentialsUnavailable = Code(rawValue: "credentialsUnavailable")
    /// The store failed in a way not named above; the message has the code of SQLite.
    public static let storageFailed = Code(rawValue: "storageFailed")
  }

  public let code: Code
  /// One English sentence that says what happened and what to do. Never contents.
  public let message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { "\(code): \(message)" }
}

/// Why a message stopped (SPEC O7, O8). Stored with the outbox row and shown to the user.
public struct FailureReason: Sendable, Codable, Hashable {
  /// A code that can be compared. Codes are added over time, so a `switch` needs a `default`.
  public struct Code: RawRepresentable, Sendable, Codable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The server refused the message for good.
    public static let rejected = Code(rawValue: "rejected")
    public static let tooLong = Code(rawValue: "tooLong")
    /// Every attempt failed.
    public static let attemptsSpent = Code(rawValue: "attemptsSpent")
    /// The process ended too often while this message was on its way.
    public static let interruptedTooOften = Code(rawValue: "interruptedTooOften")
    /// The conversation does not exist any more, or its owner was removed from it.
    public static let conversationRefused = Code(rawValue: "conversationRefused")
    /// It may have been delivered, or not, and nobody can tell: the user decides whether it is sent again.
    public static let outcomeUnknown = Code(rawValue: "outcomeUnknown")
    /// The server does not take one of its attachments.
    public static let attachmentRefused = Code(rawValue: "attachmentRefused")
    /// The file of one of its attachments is gone from this device, or is not what it was.
    public static let attachmentDamaged = Code(rawValue: "attachmentDamaged")
  }

  public let code: Code
  /// One sentence for the user, without contents.
  public let explanation: String

  public init(_ code: Code, _ explanation: String) {
    self.code = code
    self.explanation = explanation
  }

  /// The server may have the message all the same. Deleted or taken back, it then comes back as a delivered one with the
  /// next messages from the server, and an edited text is a second message: say so before you offer it.
  public var mayHaveArrived: Bool { code == .outcomeUnknown || code == .interruptedTooOften }
}
