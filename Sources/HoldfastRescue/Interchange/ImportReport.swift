import Foundation
import HoldfastCore
import HoldfastStore

/// The result of an import (rules H9, H10, H14). Each message of the file is counted in one of the numbers: `messages`,
/// `queued`, `failed`, `interrupted`, `replaced`, `alreadyHere`, `deletedHere`, `unshown` or `leftOut`.
public struct ImportReport: Sendable, Codable, Hashable {
  /// The format of the file.
  public var format: ImportFormat
  /// The size of the file, in bytes.
  public var bytes: Int64 = 0
  /// Conversations that were new to the store.
  public var conversations: Int = 0
  /// Messages that were added to the history.
  public var messages: Int = 0
  /// Messages that wait to be sent. Those of a history first wait for their user's decision.
  public var queued: Int = 0
  /// Messages that had failed. Their user can send them again, or delete them.
  public var failed: Int = 0
  /// Replies that had failed or were cut off. They can be continued, retried or deleted.
  public var interrupted: Int = 0
  /// Messages that were stored only with their beginning, and are complete now.
  public var replaced: Int = 0
  /// Messages that the earlier app kept and did not show, such as a replaced answer. They are in the metadata of the
  /// message beside them, unless they have no text.
  public var unshown: Int = 0
  /// Drafts that were put into their composers.
  public var drafts: Int = 0
  /// Drafts that became versions, because their composers had a draft already.
  public var draftVersions: Int = 0
  /// Files of drafts and messages whose bytes were imported.
  public var attachments: Int = 0
  /// Windows whose place was imported.
  public var places: Int = 0
  /// Entries that the store had already, or that were imported before and have gone since.
  public var alreadyHere: Int = 0
  /// Messages of conversations that were deleted on this device, and messages that were evicted here.
  public var deletedHere: Int = 0
  /// Messages and conversations that were not imported at all. `problems` has the reasons.
  public var leftOut: Int = 0
  /// Assumptions about entries that were imported in full: each kind once, with the number of its entries.
  public var notes: [ImportProblem] = []
  /// The entries that could not be imported, or not in full, in the order of the file: the first ``mostProblems`` of
  /// them.
  public var problems: [ImportProblem] = []
  /// The number of all problems.
  public var problemCount: Int = 0

  /// The most problems that are kept. Further ones are only counted, so that a garbage file does not fill the
  /// memory.
  public static let mostProblems = 10_000
  /// True when there were no problems: each entry of the file is in the store, or was there with the same content.
  public var isComplete: Bool { problemCount == 0 }
  /// The number of messages that this import added.
  var newMessages: Int { messages + queued + failed + interrupted + replaced }

  package init(_ format: ImportFormat) { self.format = format }

  package mutating func note(_ code: ImportProblem.Code, _ entry: String, at offset: Int64) {
    problemCount += 1
    guard problems.count < Self.mostProblems else { return }
    problems.append(ImportProblem(code, entry, at: offset))
  }

  /// Counts an assumption about an entry.
  mutating func count(_ code: ImportProblem.Code, _ entry: String, at offset: Int64) {
    if let index = notes.firstIndex(where: { $0.code == code }) {
      notes[index].count += 1
    } else {
      notes.append(ImportProblem(code, entry, at: offset))
    }
  }

  /// Adds the result of another part of the same file.
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

extension ImportProblem: Localizable {
  package mutating func localize(with texts: (ChatConfiguration.ShownText) -> String) {
    explanation = texts(.importProblem(code: code.rawValue))
  }
}

extension ImportReport: Localizable {
  package mutating func localize(with texts: (ChatConfiguration.ShownText) -> String) {
    for index in problems.indices { problems[index].localize(with: texts) }
    for index in notes.indices { notes[index].localize(with: texts) }
  }
}
