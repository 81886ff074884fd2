import Foundation
import Holdfast
import HoldfastCommand
import HoldfastRescue

/// An import as the screen shows it, in words for the person who chose the file: its progress, its result, or why it
/// failed.
struct ImportReading: Sendable, Codable, Hashable {
  /// An entry of the file that was not imported, and why.
  struct Problem: Sendable, Codable, Hashable {
    var place: String
    var explanation: String
  }

  private static let listed = 20
  private static let unrecognized =
    "The file has no conversations, messages or drafts in a form that is known here. Choose another file."

  /// The file's name, as its owner knows it.
  var name: String
  var title: String
  /// The progress from 0 to 1. Nil once the import has ended.
  var fraction: Double?
  var sentences: [String] = []
  /// Assumptions about entries that were imported in full.
  var notes: [String] = []
  var problems: [Problem] = []
  /// The number of problems that are not in `problems`.
  var moreProblems = 0

  init(_ name: String, fraction: Double) {
    (self.name, self.fraction) = (name, fraction)
    title = "Importing..."
  }

  init(_ name: String, error: ChatError) {
    self.name = name
    title = "Not imported"
    sentences = [error.code == .fileUnrecognized ? Self.unrecognized : error.message]
  }

  init(stopped name: String) {
    self.name = name
    title = "Stopped"
    sentences = ["The entries before that are imported. Import the file again to continue."]
  }

  init(_ name: String, _ report: ImportReport) {
    self.name = name
    let new = Self.new(in: report)
    title = new.isEmpty ? "Nothing new" : "Imported"
    sentences = new
    if report.alreadyHere > 0 {
      sentences.append("\(Self.entries(report.alreadyHere, report.format)) here already.")
    }
    if report.deletedHere > 0 {
      sentences.append(
        "\(Self.entries(report.deletedHere, report.format)) deleted on this phone, and left out.")
    }
    if report.problemCount > 0 {
      sentences.append(
        "\(Self.counted(report.problemCount, "entry", "entries")) could not be imported in full:")
    } else if sentences.isEmpty {
      sentences.append("There is nothing in the file.")
    }
    problems = report.problems.prefix(Self.listed).map {
      Problem(place: ImportEntryName.words($0.entry, in: report.format), explanation: $0.reason)
    }
    notes = report.notes.map(\.remark)
    moreProblems = report.problemCount - problems.count
  }

  private static func entries(_ number: Int, _ format: ImportFormat) -> String {
    let verb = number == 1 ? "was" : "were"
    switch format {
    case .singleDraft, .draftsByProject: return "\(counted(number, "draft")) \(verb)"
    case .place: return "\(counted(number, "window")) \(verb)"
    default: return "\(counted(number, "message")) \(verb)"
    }
  }

  private static func counted(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(number) \(number == 1 ? one : many ?? one + "s")"
  }

  private static func new(in report: ImportReport) -> [String] {
    var sentences: [String] = []
    let history = [
      report.messages > 0 ? counted(report.messages, "message") : nil,
      report.conversations > 0 ? counted(report.conversations, "new conversation") : nil,
    ].compactMap(\.self)
    if !history.isEmpty { sentences.append("\(history.joined(separator: " and ")) came in.") }
    if report.queued > 0 {
      sentences.append(
        "\(counted(report.queued, "message")) \(report.queued == 1 ? "waits" : "wait") to be sent.")
    }
    if report.failed > 0 {
      sentences.append("\(counted(report.failed, "message")) had failed, and can be sent again.")
    }
    if report.interrupted > 0 {
      let verb = report.interrupted == 1 ? "was" : "were"
      sentences.append(
        "\(counted(report.interrupted, "reply", "replies")) \(verb) cut off, and can be continued or retried."
      )
    }
    if report.replaced > 0 {
      sentences.append(
        "\(counted(report.replaced, "message")) \(report.replaced == 1 ? "is" : "are") whole now.")
    }
    if report.drafts > 0 {
      let place = report.drafts == 1 ? "is in its text field" : "are in their text fields"
      sentences.append("\(counted(report.drafts, "draft")) \(place).")
    }
    if report.draftVersions > 0 {
      let verb = report.draftVersions == 1 ? "is" : "are"
      sentences.append(
        "\(counted(report.draftVersions, "draft")) \(verb) among the earlier texts of what is written here.")
    }
    return sentences
  }
}
