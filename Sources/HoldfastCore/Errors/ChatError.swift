import Foundation

/// An error of the engine, classified by what the caller can do about it. It never carries the contents of a
/// message.
///
/// ```swift
/// do { try client.send(text, in: conversation) }
/// catch let error where error.code == .storageFull { show(error.message) }
/// ```
public struct ChatError: Error, Sendable, Codable, Hashable, CustomStringConvertible {
  /// A code that can be compared. Codes are added over time, so a `switch` needs a `default`.
  public struct Code: RawRepresentable, Sendable, Codable, Hashable, CustomStringConvertible {
    public let rawValue: String
    /// A code with this name.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// Whether this is a storage code: the store could not do what was asked, whatever it was. Each begins with
    /// `storage`.
    ///
    /// ```swift
    /// do { try client.send(text, in: conversation) }
    /// catch let error where error.code.isStorage { show(error.message) }
    /// ```
    public var isStorage: Bool { rawValue.hasPrefix("storage") }

    /// There is nothing to send: the text is empty after trimming, and there is no attachment.
    public static let emptyMessage = Code(rawValue: "emptyMessage")
    /// The text is longer than the transport accepts.
    public static let messageTooLong = Code(rawValue: "messageTooLong")
    /// The metadata is larger than ``MessageContent/maximumMetadataBytes``.
    public static let metadataTooLarge = Code(rawValue: "metadataTooLarge")
    /// A message has too many references to images or videos, or one that is too long:
    /// ``MessageContent/maximumReferences``.
    public static let referencesTooLarge = Code(rawValue: "referencesTooLarge")
    /// The draft is larger than the store accepts.
    public static let draftTooLong = Code(rawValue: "draftTooLong")
    /// The conversation does not exist in the store, or it is deleted.
    public static let unknownConversation = Code(rawValue: "unknownConversation")
    /// The message does not exist in the store.
    public static let unknownMessage = Code(rawValue: "unknownMessage")
    /// The message is another user's. Only its sender can edit or delete a message.
    public static let notYourMessage = Code(rawValue: "notYourMessage")
    /// The message was deleted, so nothing more can be done to it.
    public static let messageDeleted = Code(rawValue: "messageDeleted")
    /// The message is still being written.
    public static let messageUnfinished = Code(rawValue: "messageUnfinished")
    /// The reply is complete: it was finished meanwhile, or it was never interrupted.
    public static let notInterrupted = Code(rawValue: "notInterrupted")
    /// The reply is being written now, here or in another process of the app.
    public static let beingWritten = Code(rawValue: "beingWritten")
    /// The reaction is malformed. A reaction has 1 to 64 bytes and no control characters.
    public static let malformedReaction = Code(rawValue: "malformedReaction")
    /// The server does not support the operation.
    public static let unsupported = Code(rawValue: "unsupported")
    /// An ID is empty, longer than 255 bytes, or has control characters.
    public static let malformedID = Code(rawValue: "malformedID")
    /// The outbox is full. Messages must be sent before others can be queued.
    public static let outboxFull = Code(rawValue: "outboxFull")
    /// The message was transmitted, or may have been, so it cannot be taken back.
    public static let tooLate = Code(rawValue: "tooLate")
    /// Another process of the app has changed the draft or sent it.
    public static let draftChanged = Code(rawValue: "draftChanged")
    /// The version of the draft no longer exists.
    public static let invalidDraft = Code(rawValue: "invalidDraft")
    /// Another message of the conversation is being edited. That edit is neither finished nor discarded.
    public static let editInProgress = Code(rawValue: "editInProgress")
    /// The conversation already has the new ID.
    public static let sameConversation = Code(rawValue: "sameConversation")
    /// The title has more than 1,000 bytes.
    public static let titleTooLong = Code(rawValue: "titleTooLong")
    /// The deletion would remove more than its user was asked about.
    public static let confirmationOutdated = Code(rawValue: "confirmationOutdated")
    /// The file is larger than this client or its transport accepts.
    public static let attachmentTooLarge = Code(rawValue: "attachmentTooLarge")
    /// The draft already has as many attachments as it may have.
    public static let tooManyAttachments = Code(rawValue: "tooManyAttachments")
    /// The picked file no longer exists, is not a file, or cannot be read.
    public static let attachmentUnreadable = Code(rawValue: "attachmentUnreadable")
    /// The text is not a media type. A media type is written as `image/png` is.
    public static let malformedMediaType = Code(rawValue: "malformedMediaType")
    /// The transport does not carry attachments.
    public static let attachmentsUnsupported = Code(rawValue: "attachmentsUnsupported")
    /// The transport does not carry replies: its server would forget which message is answered.
    public static let repliesUnsupported = Code(rawValue: "repliesUnsupported")
    /// The transport does not carry formatting.
    public static let formattingUnsupported = Code(rawValue: "formattingUnsupported")
    /// The transport does not carry the reasoning of a model.
    public static let reasoningUnsupported = Code(rawValue: "reasoningUnsupported")
    /// The transport does not carry the app's own data with a message.
    public static let metadataUnsupported = Code(rawValue: "metadataUnsupported")
    /// The transport does not carry references to images and videos.
    public static let referencesUnsupported = Code(rawValue: "referencesUnsupported")
    /// Nothing here refers to an attachment with this checksum.
    public static let unknownAttachment = Code(rawValue: "unknownAttachment")
    /// The stored place of a window cannot be read. It was cleared, and the window starts empty.
    public static let sceneUnreadable = Code(rawValue: "sceneUnreadable")
    /// The place of a window has more than 256 KB.
    public static let sceneTooLarge = Code(rawValue: "sceneTooLarge")
    /// The routes or the sheet of a window cannot be encoded: the app's own types refuse.
    public static let sceneNotEncodable = Code(rawValue: "sceneNotEncodable")
    /// The link or the activity belongs to another app, or opens nothing here.
    public static let foreignLink = Code(rawValue: "foreignLink")
    /// The link or the activity is not written as this app writes them.
    public static let malformedLink = Code(rawValue: "malformedLink")
    /// The disk is full. Nothing was changed.
    public static let storageFull = Code(rawValue: "storageFull")
    /// The store is protected while the device is locked. Wait, and try again.
    public static let storageLocked = Code(rawValue: "storageLocked")
    /// The store is damaged. It was left as it is.
    public static let storageDamaged = Code(rawValue: "storageDamaged")
    /// The store was written by a newer version of the app. It was left as it is.
    public static let storageNewer = Code(rawValue: "storageNewer")
    /// The store belongs to another account, or the file is not a store of this engine.
    public static let storageForeign = Code(rawValue: "storageForeign")
    /// Others may access the files, or this process may not write to them.
    public static let storagePermissions = Code(rawValue: "storagePermissions")
    /// The system has no persistent place for the store.
    public static let storageUnavailable = Code(rawValue: "storageUnavailable")
    /// Another process, or another client of this process, holds the store.
    public static let storageBusy = Code(rawValue: "storageBusy")
    /// ``ChatClient/suspend()`` has closed the store. Call ``ChatClient/resume()`` first.
    public static let suspended = Code(rawValue: "suspended")
    /// ``ChatClient/erase()`` has erased the store.
    public static let storageErased = Code(rawValue: "storageErased")
    /// The backup is damaged, or the file is not a backup.
    public static let backupDamaged = Code(rawValue: "backupDamaged")
    /// The given file does not exist or cannot be read.
    public static let fileUnreadable = Code(rawValue: "fileUnreadable")
    /// The file's format cannot be imported.
    public static let fileUnrecognized = Code(rawValue: "fileUnrecognized")
    /// Something exists already at the destination. It is not overwritten.
    public static let alreadyThere = Code(rawValue: "alreadyThere")
    /// The system does not return, or does not accept, the credentials of the account.
    public static let credentialsUnavailable = Code(rawValue: "credentialsUnavailable")
    /// The store failed in a way that no other code names. The message has SQLite's code.
    public static let storageFailed = Code(rawValue: "storageFailed")
  }

  /// The kind of error, for code that handles it.
  public let code: Code
  /// One English sentence that says what happened and what to do. It never has contents.
  public let message: String

  /// An error with a code and a sentence for the user.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { "\(code): \(message)" }
}

extension ChatError: LocalizedError {
  /// The sentence for the user: ``message``.
  public var errorDescription: String? { message }
}

extension ChatError {
  package static let malformedID = ChatError(
    .malformedID, "An ID is 1 to 255 bytes without control characters.")
  package static let readsTextAlone = ChatError(
    .attachmentsUnsupported,
    "The assistant reads text alone. Take the pictures and files away, and ask again.")

  package static let unknownConversation = ChatError(
    .unknownConversation, "There is no such conversation. Create it first.")
}
