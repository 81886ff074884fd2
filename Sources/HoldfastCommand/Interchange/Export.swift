import ArgumentParser
import Foundation
import Holdfast
import HoldfastRescue

/// Writes a store's history into a file (SPEC H9).
struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write a store's conversations into a file, while its app runs.",
    discussion: """
        holdfast export --name alice --output history.json
        holdfast export --store ~/chats/alice --format text --output alice.txt

      JSON is what holdfast import reads: imported into an empty store and exported again it is the same, byte by byte. \
      Text is for people. The file is one that only you can read, and nothing is overwritten. Without --output it is \
      history.json or history.txt, here. Attachments are named in it; their files are in a backup. Exit codes are those \
      of holdfast doctor.
      """)

  @OptionGroup var store: StoreChoice
  @Option(help: "json or text.") var format: ExportFormat = .json
  @Option(help: "A file that is not there yet.", completion: .file()) var output: String?

  func run() throws {
    let folder = try store.location()
    let name = output ?? (format == .json ? "history.json" : "history.txt")
    do {
      let report = try ProgressBar.during(isWanted: !store.json, "messages exported", String.init) { bar in
        try StoreExport.write(
          store: folder, to: URL(fileURLWithPath: name).standardizedFileURL, format, progress: bar.show)
      }
      let lines = [
        "exported     \(report.conversations) conversations, \(report.messages) messages",
        "file         \(report.location.path), \(report.bytes.bytesForReaders)",
      ]
      do { try store.show(report, lines: lines) } catch { return }
    } catch let error as ChatError {
      throw try store.fail(error)
    }
  }
}

extension ExportFormat: ExpressibleByArgument {}
