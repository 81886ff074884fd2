import ArgumentParser
import ChatServer
import Foundation
import Holdfast
import HoldfastRescue
import HoldfastStore

/// Examines a store or a relay's folder, compacts a whole store, and salvages the readable part of a damaged store
/// (rules S2, S3, S9, H6).
struct Doctor: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check a store or a relay's folder, compact a store, or salvage a damaged one.",
    discussion: """
      Checks the whole database and all attachments, and changes nothing:

        holdfast doctor ~/.local/share/holdfast/alice        a folder
        holdfast doctor --name alice --json                  the same, for programs
        holdfast doctor /var/lib/holdfast/relay              a relay's, while it runs

      A damaged store is read page by page. The readable part goes into a new store in its place, drafts and unsent \
      messages first. The damaged store is set aside beside it, unchanged. Quit the app first:

        holdfast doctor --salvage --name alice

      SQLite leaves copies of deleted texts where it has moved rows. An app that enters the background compacts a store \
      of up to 16 MB. This command compacts a larger store, which needs free space of twice its size. Quit the app first:

        holdfast doctor --compact --name alice

      Exit codes: 0, the store is whole, or was compacted, or was salvaged without a known loss. 1, the store is \
      damaged, or something was lost. 2, the store cannot be opened now: it is missing, locked, newer, in use or of \
      another user, or the disk is full. 64, the command line is wrong.
      """)

  @OptionGroup var store: StoreOptions
  @Flag(help: "Copy the readable part into a new store, and set the damaged store aside.") var salvage = false
  @Flag(help: "Rewrite the database: smaller, and without copies of deleted texts.") var compact = false
  @Option(help: "With --salvage: the store's user, in case the store does not say it.") var user: UserID?

  func validate() throws {
    guard user == nil || salvage else { throw ValidationError("--user needs --salvage.") }
    guard !salvage || !compact else { throw ValidationError("Give either --salvage or --compact.") }
  }

  func run() throws {
    let folder = try store.location()
    let isRelay = ServerRecord(folder: folder).isThere
    guard !isRelay || !(salvage || compact) else {
      throw ValidationError("A relay's folder is neither compacted nor salvaged. Restore a backup of it.")
    }
    do throws(ChatError) {
      if isRelay { return try examineRelay(folder) }
      if salvage { return try rescue(folder) }
      try examine(folder)
      if compact { try rewrite(folder) }
    } catch {
      throw try store.fail(error, about: folder)
    }
  }

  private func examine(_ folder: URL) throws(ChatError) {
    let findings = try ProgressBar.during(isWanted: !store.json, "read", \.bytesForReaders) {
      bar throws(ChatError) in
      bar.show("Reading the whole store...")
      return try StoreInspection.examine(folder)
    }
    if !compact || !findings.isHealthy { shown { try store.show(findings, lines: Self.lines(findings)) } }
    if !findings.isHealthy { Self.exit(withError: ExitCode(1)) }
  }

  private func examineRelay(_ folder: URL) throws(ChatError) {
    let findings = try ProgressBar.during(isWanted: !store.json, "read", \.bytesForReaders) {
      bar throws(ChatError) in
      bar.show("Reading the whole folder...")
      return try ServerInspection.examine(folder)
    }
    let lines =
      Stats.lines(findings) + findings.damages.map { "damaged      \($0)" }
      + Self.lines(damagedAttachments: findings.damagedAttachments, strayFiles: findings.strayFiles)
    shown { try store.show(findings, lines: lines + [findings.isHealthy ? "whole" : "damaged"]) }
    if !findings.isHealthy { Self.exit(withError: ExitCode(1)) }
  }

  private func rewrite(_ folder: URL) throws(ChatError) {
    let report = try ProgressBar.during(isWanted: !store.json, "compacted", \.bytesForReaders) {
      bar throws(ChatError) in
      bar.show("Rewriting the database...")
      return try StoreCompaction.compact(folder)
    }
    let (before, after) = (report.bytesBefore.bytesForReaders, report.bytesAfter.bytesForReaders)
    shown { try store.show(report, lines: ["compacted    from \(before) to \(after)"]) }
  }

  private func rescue(_ folder: URL) throws(ChatError) {
    let report = try ProgressBar.during(isWanted: !store.json, "salvaged", \.bytesForReaders) {
      bar throws(ChatError) in
      bar.show("Reading the damaged store...")
      return try StoreSalvage.salvage(folder: folder, user: user) {
        bar.show($0, of: $1)
      }
    }
    shown { try store.show(report, lines: Self.lines(report)) }
    if !report.isComplete { Self.exit(withError: ExitCode(1)) }
  }

  /// Prints a result. The work is done by then, even if its result cannot be printed.
  private func shown(_ body: () throws -> Void) { try? body() }

  private static func lines(_ findings: StoreFindings) -> [String] {
    var lines = Stats.lines(findings.diagnostics)
    lines += findings.damages.map { "damaged      \($0)" }
    lines += Self.lines(damagedAttachments: findings.damagedAttachments, strayFiles: findings.strayFiles)
    lines.append(findings.isHealthy ? "whole" : "damaged: run holdfast doctor --salvage")
    return lines
  }

  private static func lines(damagedAttachments: Int, strayFiles: Int) -> [String] {
    (damagedAttachments > 0 ? ["damaged      \(damagedAttachments) attachments are missing or damaged"] : [])
      + (strayFiles > 0 ? ["stray        \(strayFiles) files, which the next launch deletes"] : [])
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
      lines.append("doubtful     \(report.doubtful) messages that may have been sent: the app asks the user")
    }
    if let aside = report.setAside { lines.append("set aside    \(aside.path)") }
    if report.isComplete { lines.append("nothing is known to be missing") }
    return lines
  }
}
