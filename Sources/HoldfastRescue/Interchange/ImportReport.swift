import Foundation
import HoldfastCore
import HoldfastStore

/// The kind of file that an import found. The file's contents decide, not its name.
public enum ImportFormat: String, Sendable, Codable, Hashable, CaseIterable {
  /// An object with `conversations`, as ``ChatClient/exportHistory(to:as:including:progress:)`` writes it.
  case history
  /// An array of messages that another outbox has not sent.
  case queue
  /// An object with `draftInput` and `draftInputSessionId`.
  case singleDraft
  /// An object of drafts, by the ID of their project.
  case draftsByProject
  /// An object with the place where the user was, such as `selectedProjectPath`, `selectedSessionId` and `activeSheet`.
  /// ``ChatClient/importPlace(from:into:as:version:sheet:)`` reads it.
  case place
}

/// The result of an import (SPEC H9, H10).
public struct ImportReport: Sendable, Codable, Hashable {
  public var format: ImportFormat
  public var bytes: Int64 = 0
  /// Conversations that were new to the store.
  public var conversations: Int = 0
  /// Messages that were added to the history.
  public var messages: Int = 0
  /// Messages that were added to the outbox.
  public var queued: Int = 0
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
  /// The entries that could not be imported, in the order of the file: the first ``mostProblems`` of them.
  public var problems: [ImportProblem] = []
  /// The number of all problems.
  public var problemCount: Int = 0

  /// Further problems are only counted, so that a file of garbage does not fill the memory.
  public static let mostProblems = 10_000
  /// True when there were no problems.
  public var isComplete: Bool { problemCount == 0 }

  package init(_ format: ImportFormat) { self.format = format }

  package mutating func note(_ code: ImportProblem.Code, _ entry: String, at offset: Int64) {
    problemCount += 1
    guard problems.count < Self.mostProblems else { return }
    problems.append(ImportProblem(code, entry, at: offset))
  }

  /// Adds what another part of the same file brought.
  mutating func add(_ part: ImportReport) {
    drafts += part.drafts
    draftVersions += part.draftVersions
    attachments += part.attachments
    alreadyHere += part.alreadyHere
    deletedHere += part.deletedHere
    problems += part.problems.prefix(max(0, Self.mostProblems - problems.count))
    problemCount += part.problemCount
  }
}

/// An entry of a file that could not be imported, and the reason. Never has the entry's contents.
public struct ImportProblem: Sendable, Codable, Hashable {
  /// A code that can be compared. Codes are added over time, so a `switch` needs a `default`.
  public struct Code: RawRepresentable, Sendable, Codable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The entry is not JSON: bytes are damaged.
    public static let malformed = Code(rawValue: "malformed")
    /// The file ends in the middle of the entry.
    public static let ended = Code(rawValue: "ended")
    public static let tooLarge = Code(rawValue: "tooLarge")
    public static let tooDeep = Code(rawValue: "tooDeep")
    /// The entry is JSON, but a required field is missing or has another type.
    public static let wrongFields = Code(rawValue: "wrongFields")
    /// The entry's conversation has no ID that could be read.
    public static let conversationUnknown = Code(rawValue: "conversationUnknown")
    /// The entry has nothing to send, or no draft.
    public static let empty = Code(rawValue: "empty")
    /// The text is longer than the transport or the store accepts.
    public static let tooLong = Code(rawValue: "tooLong")
    public static let outboxFull = Code(rawValue: "outboxFull")
    /// The text was imported without an attachment: the file has only its name, the draft has too many, or it cannot
    /// be sent from here.
    public static let attachmentsLeftOut = Code(rawValue: "attachmentsLeftOut")
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
  public var code: Code
  /// One English sentence.
  public var explanation: String

  package init(_ code: Code, _ entry: String, at offset: Int64) {
    (self.code, self.entry, self.offset) = (code, entry, offset)
    explanation = Self.explanations[code] ?? "The entry could not be imported."
  }

  private static let explanations: [Code: String] = [
    .malformed: "The entry is damaged: it is not JSON.",
    .ended: "The file ends in the middle of the entry.",
    .tooLarge: "The entry is too large. A message may have 64 MB; a queued message or a draft's text, 16 MB.",
    .tooDeep: "The entry is nested deeper than 64 levels.",
    .wrongFields: "A required field is missing or has another type.",
    .conversationUnknown: "The conversation of the entry is unknown.",
    .empty: "The entry has no text.",
    .tooLong: "The text is too long to be sent or stored.",
    .outboxFull: "Too many messages wait to be sent. Import the file again when some have been sent.",
    .attachmentsLeftOut:
      "The text was imported without an attachment: only its name is here, or it is one that cannot be sent.",
    .attachmentDamaged: "The attachment's bytes have changed, and were left out.",
  ]
}
