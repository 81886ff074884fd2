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

      The copy is a folder that only you can read. Credentials are not in it. Exit codes are those of holdfast doctor.
      """)

  @OptionGroup var store: StoreOptions
  @Option(help: "A folder that is not there yet, or is empty.") var to: String

  func run() throws {
    let folder = try store.location()
    do throws(ChatError) {
      let report = try ProgressBar.during(isWanted: !store.json, "copied", \.bytesForReaders) {
        bar throws(ChatError) in
        try StoreBackup.make(
          of: folder, at: URL(fileURLWithPath: to).standardizedFileURL, progress: bar.show)
      }
      let lines = [
        "backup       \(report.location.path)", "database     \(report.databaseBytes.bytesForReaders)",
        "attachments  \(report.attachments), \(report.missingAttachments) missing",
      ]
      do { try store.show(report, lines: lines) } catch { return }
    } catch {
      throw try store.fail(error)
    }
  }
}

/// Makes a store from a backup (SPEC S10).
struct Restore: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make a store of a backup, once the backup is found whole.",
    discussion: """
        holdfast restore ~/backups/alice-2026-01-31 --to ~/chats/alice

      A store that is there is never overwritten: move it away first. Exit codes are those of holdfast doctor.
      """)

  @OptionGroup var backup: StoreOptions
  @Option(help: "The new store's folder: not there yet, or empty.") var to: String

  func run() throws {
    let (source, target) = (try backup.location(), URL(fileURLWithPath: to).standardizedFileURL)
    do throws(ChatError) {
      try ProgressBar.during(isWanted: !backup.json, "restored", \.bytesForReaders) {
        bar throws(ChatError) in
        bar.show("Reading all of the backup...")
        try StoreBackup.restore(from: source, toFolder: target, progress: bar.show)
      }
      do { try backup.show(["location": target.path], lines: ["restored     \(target.path)"]) } catch {
        return
      }
    } catch {
      throw try backup.fail(error)
    }
  }
}
