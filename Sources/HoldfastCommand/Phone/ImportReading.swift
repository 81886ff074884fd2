import Foundation
import Holdfast
import HoldfastRescue

/// An import as the screen shows it, in words for the person who brought the file: its progress, its result, or why
/// it failed.
struct ImportReading: Sendable, Codable, Hashable {
  /// An entry of the file that was not imported, and why.
  struct Problem: Sendable, Codable, Hashable {
    var place: String
    var explanation: String
  }

  private static let listed = 20

  /// The file's name, as its owner knows it.
  var name: String
  var title: String
  /// The progress from 0 to 1. Nil once the import has ended.
  var fraction: Double?
  var sentences: [String] = []
  var problems: [Problem] = []
  /// The number of problems that are not in `problems`.
  var moreProblems = 0

  init(_ name: String, fraction: Double) {
    (self.name, self.fraction) = (name, fraction)
    title = "Importing..."
  }

  init(_ name: String, error: ChatError) {
    self.name = name
    (title, sentences) = ("Not imported", [error.message])
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
    sentences += report.notes.map { note in
      note.count == 1 ? note.explanation : "\(note.explanation) (\(note.count) times)"
    }
    if report.problemCount > 0 {
      sentences.append("\(Self.counted(report.problemCount, "entry", "entries")) could not be read in full:")
    } else if sentences.isEmpty {
      sentences.append("There is nothing in the file.")
    }
    problems = report.problems.prefix(Self.listed).map {
      Problem(place: Self.place($0.entry), explanation: $0.explanation)
    }
    moreProblems = report.problemCount - problems.count
  }

  /// Names an entry in words. The report counts from zero, and people count from one.
  private static func place(_ entry: String) -> String {
    // In a list of conversations they have no name of their own.
    let entry = entry.hasPrefix("[") && entry.contains(".") ? "conversations" + entry : entry
    guard
      let match = entry.wholeMatch(of: /(?:conversations\[(\d+)\])?(?:\.?messages\[(\d+)\])?(?:\[(\d+)\])?/),
      !entry.isEmpty
    else { return entry == "file" ? "The file" : entry }
    let (conversation, message) = (match.1, match.2 ?? match.3)
    let parts = [("conversation", conversation), ("message", message)].compactMap { name, digits in
      digits.flatMap { Int($0) }.map { "\(name) \($0 &+ 1)" }
    }
    let place = parts.joined(separator: ", ")
    return place.prefix(1).uppercased() + place.dropFirst()
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
    if report.messages > 0 || report.conversations > 0 {
      let conversations =
        report.conversations > 0 ? " and \(counted(report.conversations, "new conversation"))" : ""
      sentences.append("\(counted(report.messages, "message"))\(conversations) came in.")
    }
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
