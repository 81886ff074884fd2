import ArgumentParser
import Foundation
import Holdfast
import HoldfastRescue

/// Copies a store while its app runs (SPEC S10).
struct Backup: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copy a store with its attachments, while its app runs.",
    discussion: """
        holdfast backup --name alice --to ~/backups/alice-2026-01-31
        holdfast restore ~/backups/alice-2026-01-31 --to ~/chats/alice

      Only you can read the copy. It has no credentials. The exit codes are those of holdfast doctor.
      """)

  @OptionGroup var store: StoreOptions
  @Option(help: "The folder for the backup. It must be new or empty.") var to: NamedPath

  func run() throws {
    let folder = try store.location()
    do throws(ChatError) {
      let report = try ProgressBar.during(isWanted: !store.json, "copied", \.bytesForReaders) {
        bar throws(ChatError) in
        try StoreBackup.make(
          of: folder, at: to.url, progress: bar.show)
      }
      let lines = [
        "backup       \(report.location.path)", "database     \(report.databaseBytes.bytesForReaders)",
        "attachments  \(report.attachments), \(report.missingAttachments) missing",
      ]
      do { try store.show(report, lines: lines) } catch { return }
    } catch {
      throw try store.fail(error, about: folder)
    }
  }
}

/// Makes a store from a backup (SPEC S10).
struct Restore: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check a backup, and restore it as a new store.",
    discussion: """
        holdfast restore ~/backups/alice-2026-01-31 --to ~/chats/alice

      An existing store is never overwritten. Move it away first. The exit codes are those of holdfast doctor.
      """)

  @OptionGroup var backup: StoreOptions
  @Option(help: "The folder of the new store. It must be new or empty.") var to: NamedPath

  func run() throws {
    let (source, target) = (try backup.location(), to.url)
    do throws(ChatError) {
      try ProgressBar.during(isWanted: !backup.json, "restored", \.bytesForReaders) {
        bar throws(ChatError) in
        bar.show("Reading the whole backup...")
        try StoreBackup.restore(from: source, toFolder: target, progress: bar.show)
      }
      do { try backup.show(["location": target.path], lines: ["restored     \(target.path)"]) } catch {
        return
      }
    } catch {
      throw try backup.fail(error, about: source)
    }
  }
}
