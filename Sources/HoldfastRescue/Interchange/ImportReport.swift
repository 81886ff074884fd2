import Foundation
import HoldfastCore
import HoldfastStore

/// The kind of file that an import found. The file's contents decide, not its name.
public enum ImportFormat: String, Sendable, Codable, Hashable, CaseIterable {
  /// An object with `conversations`, as ``ChatClient/exportHistory(to:as:including:progress:)`` writes it.
  case history
  /// An array of messages of which some were not sent.
  case queue
  /// Messages that were sent or received, in the form of OpenAI's interface or a similar one: an array of them, an object
  /// with `messages`, or a list of such arrays or objects.
  case messages
  /// The export of ChatGPT: conversations with a `mapping`.
  case chatGPT
  /// The export of Claude: conversations with `chat_messages`.
  case claude
  /// The export of Open WebUI: chats with a `history`.
  case openWebUI
  /// The export of LibreChat: a conversation whose messages have a `parentMessageId`.
  case libreChat
  /// Conversations whose turns have `from` and `value`.
  case shareGPT
  /// An object with `draftInput` and `draftInputSessionId`.
  case singleDraft
  /// An object of drafts, by the ID of their project.
  case draftsByProject
  /// An object with the place where the user was, such as `selectedProjectPath`, `selectedSessionId` and `activeSheet`.
  /// ``ChatClient/importPlace(from:into:as:version:sheet:)`` reads it.
  case place
}

/// The result of an import (SPEC H9, H10, H14). Each message of the file is counted in one of the numbers: `messages`,
/// `queued`, `failed`, `interrupted`, `replaced`, `alreadyHere`, `deletedHere`, `unshown` or `leftOut`.
public struct ImportReport: Sendable, Codable, Hashable {
  /// The format of the file. Its contents decide, and not its name.
  public var format: ImportFormat
  /// The size of the file, in bytes.
  public var bytes: Int64 = 0
  /// Conversations that were new to the store.
  public var conversations: Int = 0
  /// Messages that were added to the history.
  public var messages: Int = 0
  /// Messages that wait to be sent. Those of a history wait for their user's answer first.
  public var queued: Int = 0
  /// Messages that had failed. Their user sends them again, or deletes them.
  public var failed: Int = 0
  /// Replies that had failed or were cut off. They can be continued, retried or deleted.
  public var interrupted: Int = 0
  /// Messages whose beginning was here, and that are whole now.
  public var replaced: Int = 0
  /// Messages that the earlier app kept and did not show, such as an answer that was written again. They are in the
  /// metadata of the message beside them, unless they have no text.
  public var unshown: Int = 0
  /// Drafts that were put into their composers.
  public var drafts: Int = 0
  /// Drafts that became versions, because their composers had a draft already.
  public var draftVersions: Int = 0
  /// Files of drafts and messages whose bytes came along.
  public var attachments: Int = 0
  /// Windows that got the place where the user was.
  public var places: Int = 0
  /// Entries that the store had already, or that were imported before and have gone since.
  public var alreadyHere: Int = 0
  /// Messages of conversations that were deleted on this device, and messages that were evicted here to make room.
  public var deletedHere: Int = 0
  /// Messages and conversations that were not imported at all. `problems` has the reasons.
  public var leftOut: Int = 0
  /// What was imported in full, and in a way that the file does not fully say: each kind once, with the number of its
  /// entries.
  public var notes: [ImportProblem] = []
  /// The entries that could not be imported, or not in full, in the order of the file: the first ``mostProblems`` of
  /// them.
  public var problems: [ImportProblem] = []
  /// The number of all problems.
  public var problemCount: Int = 0

  /// Further problems are only counted, so that a file of garbage does not fill the memory.
  public static let mostProblems = 10_000
  /// True when there were no problems: each entry of the file is in the store, or was there with the same content.
  public var isComplete: Bool { problemCount == 0 }
  /// The number of messages that are in the store by this import.
  var newMessages: Int { messages + queued + failed + interrupted + replaced }

  package init(_ format: ImportFormat) { self.format = format }

  package mutating func note(_ code: ImportProblem.Code, _ entry: String, at offset: Int64) {
    problemCount += 1
    guard problems.count < Self.mostProblems else { return }
    problems.append(ImportProblem(code, entry, at: offset))
  }

  /// Counts what was read in a way that the file does not fully say.
  mutating func count(_ code: ImportProblem.Code, _ entry: String, at offset: Int64) {
    if let index = notes.firstIndex(where: { $0.code == code }) {
      notes[index].count += 1
    } else {
      notes.append(ImportProblem(code, entry, at: offset))
    }
  }

  /// Adds what another part of the same file brought.
  mutating func add(_ part: ImportReport) {
    drafts += part.drafts
    leftOut += part.leftOut
    for note in part.notes where !notes.contains(where: { $0.code == note.code }) { notes.append(note) }
    draftVersions += part.draftVersions
    attachments += part.attachments
    alreadyHere += part.alreadyHere
    deletedHere += part.deletedHere
    problems += part.problems.prefix(max(0, Self.mostProblems - problems.count))
    problemCount += part.problemCount
  }
}

/// An entry of a file that could not be imported, or not in full, and the reason. Never has the entry's contents.
public struct ImportProblem: Sendable, Codable, Hashable {
  /// A code that can be compared. Codes are added over time, so a `switch` needs a `default`.
  public struct Code: RawRepresentable, Sendable, Codable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The entry is not JSON: bytes are damaged.
    public static let malformed = Code(rawValue: "malformed")
    /// The file ends in the middle of the entry.
    public static let ended = Code(rawValue: "ended")
    /// The entry has more bytes than an entry may have.
    public static let tooLarge = Code(rawValue: "tooLarge")
    /// The entry has more levels of nesting than a reader follows.
    public static let tooDeep = Code(rawValue: "tooDeep")
    /// The entry is JSON, but a required field is missing or has another type.
    public static let wrongFields = Code(rawValue: "wrongFields")
    /// The entry's conversation has no ID that could be read.
    public static let conversationUnknown = Code(rawValue: "conversationUnknown")
    /// The entry has nothing to send, or no draft.
    public static let empty = Code(rawValue: "empty")
    /// The text is longer than the transport or the store accepts.
    public static let tooLong = Code(rawValue: "tooLong")
    /// The outbox has no room for the message.
    public static let outboxFull = Code(rawValue: "outboxFull")
    /// The text was imported without an attachment: the file has only its name, the draft has too many, or it cannot
    /// be sent from here.
    public static let attachmentsLeftOut = Code(rawValue: "attachmentsLeftOut")
    /// The date is none, or could be several. The message has that of the one before it.
    public static let dateUnreadable = Code(rawValue: "dateUnreadable")
    /// A part of the entry has another type than it should, and was left out.
    public static let fieldLeftOut = Code(rawValue: "fieldLeftOut")
    /// The conversation has no messages in a form that is known here.
    public static let messagesMissing = Code(rawValue: "messagesMissing")
    /// A message that was not shown does not fit beside the one that was.
    public static let branchLeftOut = Code(rawValue: "branchLeftOut")
    /// The user had taken the message back, so it is not sent.
    public static let withdrawn = Code(rawValue: "withdrawn")

    // MARK: Notes: the entry is imported in full

    /// The date has no zone, and was read as UTC.
    public static let withoutZone = Code(rawValue: "withoutZone")
    /// The date lies before 1990 or in the future, and stays as it is.
    public static let unlikelyDate = Code(rawValue: "unlikelyDate")
    /// The message has no date. It shows that of the message before it, or that of the import.
    public static let undated = Code(rawValue: "undated")
    /// The message has files whose bytes are not in the file. Their names came along.
    public static let filesElsewhere = Code(rawValue: "filesElsewhere")
    /// The conversation has the ID of another one that is here, and was kept apart from it.
    public static let keptApart = Code(rawValue: "keptApart")
    /// The message has the ID of another one that is here, and was kept beside it.
    public static let sameID = Code(rawValue: "sameID")
    /// The status of the message is not known here. It counts as sent.
    public static let unknownStatus = Code(rawValue: "unknownStatus")
    /// The message waits until the app has made its conversation with its members.
    public static let membersUnknown = Code(rawValue: "membersUnknown")

    // MARK: Attachments

    /// The bytes of an attachment are not those of its checksum. They were left out.
    public static let attachmentDamaged = Code(rawValue: "attachmentDamaged")

    package init(_ damage: JSONDamage) {
      self =
        switch damage {
        case .malformed: .malformed
        case .ended: .ended
        case .tooLarge: .tooLarge
        case .tooDeep: .tooDeep
        }
    }
  }

  /// The entry's path, such as `conversations[3].messages[17]`, or `file` when the problem belongs to no entry.
  /// Behind damage, the numbers count the entries that could be recognized.
  public var entry: String
  /// The offset in the file, in bytes, at which the entry or the damage begins.
  public var offset: Int64
  /// The kind of the problem, for a program to compare.
  public var code: Code
  /// The number of entries of which this is true: 1 for a problem. A note stands once for all of them, at the first.
  public var count = 1
  /// One sentence, in English or by ``ChatConfiguration/texts``.
  public var explanation: String

  package init(_ code: Code, _ entry: String, at offset: Int64) {
    (self.code, self.entry, self.offset) = (code, entry, offset)
    explanation = ""
    wordInEnglish()
  }
}

extension ImportProblem: Worded {
  package mutating func word(with texts: (ChatConfiguration.ShownText) -> String) {
    explanation = texts(.importProblem(code: code.rawValue))
  }
}

extension ImportReport: Worded {
  package mutating func word(with texts: (ChatConfiguration.ShownText) -> String) {
    for index in problems.indices { problems[index].word(with: texts) }
    for index in notes.indices { notes[index].word(with: texts) }
  }
}
