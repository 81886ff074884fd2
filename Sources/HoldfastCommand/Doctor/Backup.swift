import ArgumentParser
import ChatServer
import Foundation
import Holdfast
import HoldfastRescue
import HoldfastStore

/// Copies a store while its app runs (rule S10), or a relay's folder while the relay runs.
struct Backup: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copy a store or a relay's folder with its attachments, while its app or relay runs.",
    discussion: """
        holdfast backup --name alice --to ~/backups/alice-2026-01-31
        holdfast restore ~/backups/alice-2026-01-31 --to ~/chats/alice
        holdfast backup /var/lib/holdfast/relay --to /var/backups/relay

      Only you can read the copy. It has no credentials; a relay's has a hash of each token. The exit codes are \
      those of holdfast doctor.
      """)

  @OptionGroup var store: StoreOptions
  @Option(help: "The folder for the backup. It must be new or empty.") var to: NamedPath

  func run() throws {
    let folder = try store.location()
    do throws(ChatError) {
      let report = try ProgressBar.during(isWanted: !store.json, "copied", \.bytesForReaders) {
        bar throws(ChatError) in
        guard ServerRecord(folder: folder).isThere else {
          return try StoreBackup.make(of: folder, at: to.url, progress: bar.show)
        }
        return BackupReport(try ServerCopy.make(of: folder, at: to.url, progress: bar.show))
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

/// Makes a store, or a relay's folder, from a backup (rule S10).
struct Restore: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check a backup, and restore it as a new store or a new folder of a relay.",
    discussion: """
        holdfast restore ~/backups/alice-2026-01-31 --to ~/chats/alice

      What is there is never overwritten. Stop the app or the relay, and move its folder away first. The exit codes \
      are those of holdfast doctor.
      """)

  @OptionGroup var backup: StoreOptions
  @Option(help: "The folder of the new store. It must be new or empty.") var to: NamedPath

  func run() throws {
    let (source, target) = (try backup.location(), to.url)
    do throws(ChatError) {
      try ProgressBar.during(isWanted: !backup.json, "restored", \.bytesForReaders) {
        bar throws(ChatError) in
        bar.show("Reading the whole backup...")
        if ServerRecord(folder: source).isThere {
          try ServerCopy.restore(from: source, to: target, progress: bar.show)
        } else {
          try StoreBackup.restore(from: source, toFolder: target, progress: bar.show)
        }
      }
      do { try backup.show(["location": target.path], lines: ["restored     \(target.path)"]) } catch {
        return
      }
    } catch {
      // A relay or an app is running on the target folder.
      throw try backup.fail(error, about: error.code == .storageBusy ? target : source)
    }
  }
}
