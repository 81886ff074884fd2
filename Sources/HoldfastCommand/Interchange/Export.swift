import ArgumentParser
import Foundation
import Holdfast
import HoldfastRescue

/// Writes a store's history into a file (rule H9).
struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Export a store's conversations to a file. Its app may run meanwhile.",
    discussion: """
        holdfast export --name alice --output history.json
        holdfast export --store ~/chats/alice --format text --output alice.txt

      holdfast import reads the JSON format. Imported into an empty store and exported again, it is the same file, byte \
      by byte. The text format is for people. Only you can read the file, and nothing is overwritten. Without --output \
      the file is history.json or history.txt in the current folder. With --drafts it has the drafts. With \
      --attachments, the files of attachments are in a folder beside it, such as history.json.attachments, and an \
      import brings them back.
      """)

  @OptionGroup var store: StoreChoice
  @Option(help: "The format: json or text.") var format: ExportFormat = .json
  @Flag(help: "Also export the drafts.") var drafts = false
  @Flag(help: "Also export the files of attachments.") var attachments = false
  @Option(help: "The file to write. It must not exist yet.", completion: .file()) var output: NamedPath?

  func run() throws {
    let folder = try store.location()
    let usual = format == .json ? "history.json" : "history.txt"
    let file = output?.url ?? URL(fileURLWithPath: usual).standardizedFileURL
    do {
      let report = try ProgressBar.during(isWanted: !store.json, "messages exported", String.init) { bar in
        try StoreExport.write(
          store: folder, to: file, format, including: additions, progress: bar.show)
      }
      do { try store.show(report, lines: lines(report)) } catch { return }
    } catch let error as ChatError {
      throw try store.fail(error, about: folder)
    }
  }

  private var additions: ExportFormat.Additions {
    var additions: ExportFormat.Additions = []
    if drafts { additions.insert(.drafts) }
    if attachments { additions.insert(.attachments) }
    return additions
  }

  private func lines(_ report: ExportReport) -> [String] {
    var lines = [
      "exported     \(report.conversations) conversations, \(report.messages) messages",
      "file         \(report.location.path.plainLine), \(report.bytes.bytesForReaders)",
    ]
    if drafts { lines.insert("drafts       \(report.drafts)", at: 1) }
    if attachments {
      lines.append(
        "attachments  \(report.attachments) files, \(report.missingAttachments) not on this device")
    }
    return lines
  }
}

extension ExportFormat: ExpressibleByArgument {}
