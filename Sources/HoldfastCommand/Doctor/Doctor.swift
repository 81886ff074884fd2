import ArgumentParser
import Foundation
import Holdfast
import HoldfastRescue
import HoldfastStore

/// Examines a store, compacts a whole store, and salvages what can be read of a damaged store (SPEC S2, S3, S9,
/// H6).
struct Doctor: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Examine a store, compact it, and salvage what can be read of a damaged one.",
    discussion: """
      Reads the whole database and all attachments, and changes nothing:

        holdfast doctor ~/.local/share/holdfast/alice        a folder
        holdfast doctor --name alice --json                  the same, for programs

      A damaged store is read page by page. What can be read goes into a new store in its place, drafts and unsent \
      messages first; the damaged one is set aside beside it, with not a byte changed. End the app before:

        holdfast doctor --salvage --name alice

      SQLite leaves copies of deleted texts where it has moved rows. An app that enters the background compacts a store \
      of up to 16 MB. A larger one is compacted here, which needs room for two more of it. End the app before:

        holdfast doctor --compact --name alice

      Exit codes: 0 the store is whole, was compacted, or was salvaged without a known loss; 1 it is damaged, or something was lost; \
      2 it cannot be opened now: it is not there, locked, another's, newer, in use, or the disk is full; 64 the \
      command line makes no sense.
      """)

  @OptionGroup var store: StoreOptions
  @Flag(help: "Put what can be read into a new store, and set the damaged one aside.") var salvage = false
  @Flag(help: "Write the database anew: smaller, and without copies of deleted texts.") var compact = false
  @Option(help: "With --salvage: whose store it is, should that not be readable.") var user: String?

  func validate() throws {
    guard user == nil || salvage else { throw ValidationError("--user belongs to --salvage.") }
    guard !salvage || !compact else { throw ValidationError("--salvage and --compact exclude each other.") }
  }

  func run() throws {
    let folder = try store.location()
    do throws(ChatError) {
      if salvage { return try rescue(folder) }
      try examine(folder)
      if compact { try rewrite(folder) }
    } catch {
      throw try store.fail(error)
    }
  }

  private func examine(_ folder: URL) throws(ChatError) {
    let findings = try ProgressBar.during(isWanted: !store.json, "read", \.bytesForReaders) {
      bar throws(ChatError) in
      bar.show("Reading all of the store...")
      return try StoreInspection.examine(folder)
    }
    if !compact || !findings.isHealthy { shown { try store.show(findings, lines: Self.lines(findings)) } }
    if !findings.isHealthy { Self.exit(withError: ExitCode(1)) }
  }

  private func rewrite(_ folder: URL) throws(ChatError) {
    let report = try ProgressBar.during(isWanted: !store.json, "compacted", \.bytesForReaders) {
      bar throws(ChatError) in
      bar.show("Writing the database anew...")
      return try StoreCompaction.compact(folder)
    }
    let (before, after) = (report.bytesBefore.bytesForReaders, report.bytesAfter.bytesForReaders)
    shown { try store.show(report, lines: ["compacted    from \(before) to \(after)"]) }
  }

  private func rescue(_ folder: URL) throws(ChatError) {
    let report = try ProgressBar.during(isWanted: !store.json, "salvaged", \.bytesForReaders) {
      bar throws(ChatError) in
      bar.show("Looking for what can be read...")
      return try StoreSalvage.salvage(folder: folder, user: user.map(UserID.init(rawValue:))) {
        bar.show($0, of: $1)
      }
    }
    shown { try store.show(report, lines: Self.lines(report)) }
    if !report.isComplete { Self.exit(withError: ExitCode(1)) }
  }

  /// Prints a result. The work is done by then, whether or not its result can be printed.
  private func shown(_ body: () throws -> Void) { try? body() }

  private static func lines(_ findings: StoreFindings) -> [String] {
    var lines = Stats.lines(findings.diagnostics)
    lines += findings.damages.map { "damaged      \($0)" }
    if findings.damagedAttachments > 0 {
      lines.append("damaged      \(findings.damagedAttachments) attachments are gone or are something else")
    }
    if findings.strayFiles > 0 {
      lines.append("stray        \(findings.strayFiles) files, which the next launch takes away")
    }
    lines.append(findings.isHealthy ? "whole" : "damaged: run holdfast doctor --salvage on it")
    return lines
  }

  private static func lines(_ report: SalvageReport) -> [String] {
    var lines = [
      "salvaged     \(report.drafts) drafts, \(report.unsent) unsent messages, \(report.messages) messages in all",
      "             \(report.conversations) conversations, \(report.attachments) attachments",
    ]
    lines += report.lostPages.sorted { $0.key < $1.key }.map { "lost         \($1) pages of \($0)" }
    lines += report.lostRows.sorted { $0.key < $1.key }.map { "lost         \($1) rows of \($0)" }
    if report.lostAttachments > 0 { lines.append("lost         \(report.lostAttachments) attachments") }
    if report.doubtful > 0 {
      lines.append("doubtful     \(report.doubtful) messages, which were perhaps sent: their user is asked")
    }
    if let aside = report.setAside { lines.append("set aside    \(aside.path)") }
    if report.isComplete { lines.append("nothing is known to be missing") }
    return lines
  }
}
