import ArgumentParser
import ChatServer
import Foundation
import Holdfast
import HoldfastStore

/// Sizes and counts of a store, or of a relay's folder.
struct Stats: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the sizes and counts of a store or a relay's folder, and no contents.",
    discussion: """
        holdfast stats --name alice
        holdfast stats ~/.local/share/holdfast/alice --json

      The exit codes are those of holdfast doctor.
      """)

  @OptionGroup var store: StoreOptions

  func run() throws {
    let folder = try store.location()
    do throws(ChatError) {
      if ServerRecord(folder: folder).isThere {
        let findings = try ServerInspection.examine(folder, isThorough: false)
        do { try store.show(findings, lines: Self.lines(findings)) } catch {}
        return
      }
      let diagnostics = try StoreInspection.examine(folder, isThorough: false).diagnostics
      do { try store.show(diagnostics, lines: Self.lines(diagnostics)) } catch { return }
    } catch {
      throw try store.fail(error, about: folder)
    }
  }

  static func lines(_ diagnostics: StoreDiagnostics) -> [String] {
    let fault = diagnostics.hasJournalResetFault
    var lines = [
      "location     \(diagnostics.location.path)",
      "sqlite       \(diagnostics.sqliteVersion)"
        + (fault ? ", which has the WAL-reset bug: no other program may write to the store" : ""),
      "schema       \(diagnostics.schemaVersion)\(diagnostics.isShared ? ", shared by several processes" : "")",
      "database     \(diagnostics.databaseBytes.bytesForReaders), \(diagnostics.freeBytes.bytesForReaders) of it free",
      "journal      \(diagnostics.journalBytes.bytesForReaders)",
      "attachments  \(diagnostics.attachmentBytes.bytesForReaders) in \(diagnostics.attachments)",
      "reserve      \(diagnostics.hasReserve ? "there" : "not there")",
      "contents     \(diagnostics.conversations) conversations, \(diagnostics.messages) messages, "
        + "\(diagnostics.unsent) unsent (\(diagnostics.failed) failed), \(diagnostics.drafts) drafts",
      "permissions  \(diagnostics.isPrivate ? "private" : "other users have access")",
    ]
    lines += diagnostics.openPermissions.sorted { $0.key < $1.key }.map { "             \($1) \($0)" }
    return lines
  }

  static func lines(_ findings: ServerFindings) -> [String] {
    let closed = findings.closedAccounts > 0 ? " (and \(findings.closedAccounts) closed)" : ""
    return [
      "location     \(findings.location.path)", "schema       \(findings.schemaVersion), of a relay",
      "database     \(findings.databaseBytes.bytesForReaders), \(findings.freeBytes.bytesForReaders) of it free",
      "journal      \(findings.journalBytes.bytesForReaders)",
      "attachments  \(findings.attachmentBytes.bytesForReaders) in \(findings.attachments)",
      "contents     \(findings.accounts) accounts\(closed), \(findings.conversations) conversations, "
        + "\(findings.messages) messages",
      "permissions  \(findings.openPermissions.isEmpty ? "private" : "other users have access")",
    ] + findings.openPermissions.sorted { $0.key < $1.key }.map { "             \($1) \($0)" }
  }
}
