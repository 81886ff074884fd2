import Foundation
import HoldfastCore

/// An entry of a file that could not be imported, or not in full, and the reason. It never contains the entry's
/// contents.
public struct ImportProblem: Sendable, Codable, Hashable {
  /// A code that can be compared. Codes are added over time, so a `switch` needs a `default`.
  public struct Code: RawRepresentable, Sendable, Codable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The entry is not JSON: bytes are damaged.
    public static let malformed = Code(rawValue: "malformed")
    /// The file ends in the middle of the entry.
    public static let ended = Code(rawValue: "ended")
    /// The entry exceeds the maximum size.
    public static let tooLarge = Code(rawValue: "tooLarge")
    /// The entry exceeds the maximum depth of nesting.
    public static let tooDeep = Code(rawValue: "tooDeep")
    /// The entry is JSON, but a required field is missing or has another type.
    public static let wrongFields = Code(rawValue: "wrongFields")
    /// The entry's conversation has no readable ID.
    public static let conversationUnknown = Code(rawValue: "conversationUnknown")
    /// The entry has nothing to send, or no draft.
    public static let empty = Code(rawValue: "empty")
    /// The text is longer than the transport or the store accepts.
    public static let tooLong = Code(rawValue: "tooLong")
    /// The outbox has no room for the message.
    public static let outboxFull = Code(rawValue: "outboxFull")
    /// The text was imported without an attachment: the file has only its name, the draft has too many, or the
    /// attachment cannot be sent from here.
    public static let attachmentsLeftOut = Code(rawValue: "attachmentsLeftOut")
    /// The date is invalid or ambiguous. The message gets that of the previous message.
    public static let dateUnreadable = Code(rawValue: "dateUnreadable")
    /// A part of the entry has an unexpected type, and was left out.
    public static let fieldLeftOut = Code(rawValue: "fieldLeftOut")
    /// The conversation has no messages in a known form.
    public static let messagesMissing = Code(rawValue: "messagesMissing")
    /// A message that was not shown does not fit into the metadata of the shown one.
    public static let branchLeftOut = Code(rawValue: "branchLeftOut")
    /// The user had withdrawn the message, so it is not sent.
    public static let withdrawn = Code(rawValue: "withdrawn")

    /// The message is unsent, and may be someone else's: it names another author, or an unknown field could name
    /// one. It is imported once ``ImportAuthors`` names its author.
    public static let authorUnknown = Code(rawValue: "authorUnknown")

    // MARK: Notes: the entry is imported in full

    /// The date has no zone, and was read as UTC.
    public static let withoutZone = Code(rawValue: "withoutZone")
    /// The date is before 1990 or in the future, and is kept.
    public static let unlikelyDate = Code(rawValue: "unlikelyDate")
    /// The message has no date. It shows that of the previous message, or that of the import.
    public static let undated = Code(rawValue: "undated")
    /// The message has files whose bytes are not in the file. Their names were imported.
    public static let filesElsewhere = Code(rawValue: "filesElsewhere")
    /// The conversation has the ID of another stored one, and was imported as a separate conversation.
    public static let keptApart = Code(rawValue: "keptApart")
    /// The message has the ID of another stored one, and was imported as a separate message.
    public static let sameID = Code(rawValue: "sameID")
    /// Tool calls, their results or sources do not fit into the metadata of an answer, or have no answer. They were
    /// left out.
    public static let partsLeftOut = Code(rawValue: "partsLeftOut")
    /// The status of the message is unknown. It counts as sent.
    public static let unknownStatus = Code(rawValue: "unknownStatus")
    /// The message names no author, and is shown as the user's.
    public static let authorNotNamed = Code(rawValue: "authorNotNamed")
    /// The message waits until the app has made its conversation with its members.
    public static let membersUnknown = Code(rawValue: "membersUnknown")

    // MARK: Attachments

    /// The bytes of an attachment do not match its checksum. They were left out.
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
  /// After damage, the numbers count only the recognized entries.
  public var entry: String
  /// The offset in the file, in bytes, at which the entry or the damage begins.
  public var offset: Int64
  /// The kind of the problem, for a program to compare.
  public var code: Code
  /// The number of affected entries: 1 for a problem. A note is listed once for all of them, at the first.
  public var count = 1
  /// One sentence, in English or by ``ChatConfiguration/texts``.
  public var explanation: String

  package init(_ code: Code, _ entry: String, at offset: Int64) {
    (self.code, self.entry, self.offset) = (code, entry, offset)
    explanation = ""
    localizeInEnglish()
  }
}
