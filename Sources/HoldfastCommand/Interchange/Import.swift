import ArgumentParser
import Foundation
import Holdfast
import HoldfastRescue
import HoldfastStore
import HoldfastTransport

/// Imports a history, an export of another app, a queue or drafts into a store (rules H9, H10, H13).
struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Import a history, a queue of unsent messages, or drafts into a store.",
    discussion: """
      The contents of the file decide how it is imported:

        conversations    holdfast import history.json --name alice
        unsent messages  holdfast import pending-messages.json --name alice
        drafts           holdfast import drafts.json --store ~/chats/alice
        another app      holdfast import chats.json --name alice --source ChatGPT
        a new store      holdfast import history.json --store new --user alice
        other names      holdfast import chats.json --author-field nick --me Al

      The exports of ChatGPT, Claude, Open WebUI, LibreChat, ShareGPT, Facebook and Element are read, and lists of \
      messages with role and content. Messages that were sent never go out again. Those that wait in a history are asked about first.

      Importing the same file again changes nothing. A file may be larger than the memory. A damaged file is imported \
      except for its damaged entries, which are listed. The imported messages are indexed for the search. Quit the app \
      first.

      Exit codes: 0, everything in the file is in the store. 1, a part of the file could not be imported. 2, nothing \
      was imported: the file cannot be read or has none of these contents, or the store cannot be opened now. 64, the \
      command line is wrong.
      """)

  @Argument(help: "The file to import.", completion: .file()) var file: NamedPath
  @OptionGroup var store: StoreChoice
  @Option(help: "The user of the store. A new store needs it.") var user: UserID?
  @Option(
    help:
      "A name for the app that the file comes from. Its conversations are kept apart from those of other apps."
  )
  var source: String?
  @Option(help: "The field that names the author of a message, if it is none of the usual ones.")
  var authorField: String?
  @Option(help: "The user's own name or ID in the file, if it is not that of the store's user.") var me:
    String?
  @Flag(help: "Also import conversations that were deleted in this store.") var deleted = false

  func validate() throws {
    guard authorField != "", me != "" else {
      throw ValidationError("--author-field and --me need a name.")
    }
  }

  func run() throws {
    let folder = try store.location()
    do {
      let report = try bring(into: folder)
      do { try store.show(report, lines: Self.lines(report)) } catch { return }
      if !report.isComplete { Self.exit(withError: ExitCode(1)) }
    } catch let error as ChatError {
      let isOfFile = error.code == .fileUnreadable || error.code == .fileUnrecognized
      throw try store.fail(error, about: isOfFile ? file.url : folder)
    }
  }

  private func bring(into folder: URL) throws -> ImportReport {
    let known = try StoreAccount.owner(of: folder)
    guard let owner = user ?? known else {
      throw ChatError(
        .storageUnavailable,
        "There is no store in \(folder.path). To create one, name its user with --user.")
    }
    let authors = ImportAuthors(field: authorField, me: me)
    // A file without anything to import leaves no store behind: a temporary one reports its problems.
    if known == nil, try !ImportSource.check(file.url, for: owner, authors) {
      let scratch = FileManager.default.temporaryDirectory.appendingPathComponent(
        "holdfast-import-\(ChatEnvironment().makeID())")
      defer { try? FileManager.default.removeItem(at: scratch) }
      return try bring(into: scratch, as: owner, authors)
    }
    return try bring(into: folder, as: owner, authors)
  }

  private func bring(into folder: URL, as owner: UserID, _ authors: ImportAuthors) throws -> ImportReport {
    let lock = try StoreAccount.lockAgainstApps(folder)
    defer { withExtendedLifetime(lock) {} }
    var environment = ChatEnvironment()
    environment.logger.logLevel = .warning
    let client = try ChatClient(
      storage: .folder(folder), transport: NoTransport(), user: owner,
      configuration: ChatConfiguration(environment: environment))
    let report = try ProgressBar.during(isWanted: !store.json, "imported", \.bytesForReaders) { bar in
      try client.importHistory(
        from: file.url, named: source, authors: authors, bringingBackDeleted: deleted, progress: bar.show)
    }
    index(client)
    return report
  }

  /// Indexes the imported messages, so that `holdfast search` finds them before the app has run. The messages stay
  /// in the store even if the indexing fails: the app does the rest.
  private func index(_ client: ChatClient) {
    do {
      try ProgressBar.during(isWanted: !store.json, "messages indexed", String.init) { bar in
        try client.store.indexEverything { bar.show($0, of: $1) }
      }
    } catch {
      FileHandle.standardError.write(
        Data("note: not all of it could be indexed now; the app does the rest while it runs.\n".utf8))
    }
  }

  static func lines(_ report: ImportReport) -> [String] {
    var lines = ["imported     \(report.format.words), \(report.bytes.bytesForReaders)"]
    switch report.format {
    case .singleDraft, .draftsByProject: lines.append(Self.drafts(report))
    case .place: lines.append("new          the place of \(report.places) windows")
    default:
      lines.append("new          \(report.conversations) conversations, \(report.messages) messages")
      lines += Self.unfinished(report)
      if report.drafts + report.draftVersions > 0 { lines.append(Self.drafts(report)) }
    }
    if report.attachments > 0 { lines.append("files        \(report.attachments) of attachments") }
    lines.append("here before  \(report.alreadyHere)")
    if report.deletedHere > 0 {
      lines.append("passed over  \(report.deletedHere) of conversations that were deleted here, or made room")
    }
    lines += report.notes.map { note in
      let others = note.count > 1 ? ", and \(note.count - 1) more" : ""
      return "note         \(note.entry)\(others): \(note.explanation) (\(note.code.rawValue))"
    }
    lines += report.problems.map {
      "not imported \($0.entry) at byte \($0.offset): \($0.explanation) (\($0.code.rawValue))"
    }
    if report.problemCount > report.problems.count {
      lines.append("not imported \(report.problemCount - report.problems.count) more")
    }
    return lines
  }
}

extension Import {
  /// The lines about messages that wait, failed or were not shown.
  private static func unfinished(_ report: ImportReport) -> [String] {
    [
      (report.queued, "waiting", "to be sent"), (report.failed, "failed", "and can be sent again"),
      (report.interrupted, "cut off", "replies, which can be continued or retried"),
      (report.replaced, "completed", "whose beginning was here"),
      (report.unshown, "not shown", "kept beside the message that was"),
    ].filter { $0.0 > 0 || $0.1 == "waiting" && report.format == .queue }
      .map { $0.1.padding(toLength: 13, withPad: " ", startingAt: 0) + "\($0.0) \($0.2)" }
  }

  private static func drafts(_ report: ImportReport) -> String {
    "new          \(report.drafts) drafts, \(report.draftVersions) versions beside drafts that are here"
  }
}

extension ImportFormat {
  fileprivate var words: String {
    switch self {
    case .history: "a history"
    case .queue: "a queue of unsent messages"
    case .messages: "messages"
    case .chatGPT: "an export of ChatGPT"
    case .claude: "an export of Claude"
    case .openWebUI: "an export of Open WebUI"
    case .libreChat: "an export of LibreChat"
    case .shareGPT: "conversations of ShareGPT"
    case .singleDraft: "a draft"
    case .draftsByProject: "drafts by project"
    case .place: "the place of a window"
    }
  }
}

/// A transport that never connects, because nothing is sent while a file is imported.
private struct NoTransport: Transport {
  var capabilities: TransportCapabilities {
    TransportCapabilities(
      idempotency: .forever, fields: Set(TransportCapabilities.Field.allCases), carriesAttachments: true)
  }

  func withConnection(
    resumingAfter cursor: SyncCursor?, _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    throw ConnectionFailure(.unreachable)
  }
}
