import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

/// A file, or bytes in memory, that is being imported, with the progress of the import.
final class ImportedFile {
  private let read: (_ offset: Int64) throws -> Data
  /// The name of the file, or the key in the user defaults.
  private let name: String?
  private let progress: (InterchangeProgress) throws -> Void
  let byteCount: Int64
  private var completed: Int64 = 0
  /// The folder beside the file, with the bytes of attachments. Nil for bytes in memory.
  private let folder: AttachmentFolder?

  init(_ file: URL, _ progress: @escaping (InterchangeProgress) throws -> Void) throws(ChatError) {
    do {
      guard file.isFileURL else { throw POSIXError(.EINVAL) }
      let source = try OpenFile(reading: file)
      byteCount = try source.byteCount()
      read = { offset in try source.read(OpenFile.pieceBytes, at: offset) }
    } catch {
      throw .fileUnreadable
    }
    folder = ExportedFiles.found(beside: file)
    name = file.lastPathComponent
    self.progress = progress
  }

  init(_ data: Data, name: String? = nil, _ progress: @escaping (InterchangeProgress) throws -> Void) {
    self.name = name
    byteCount = Int64(data.count)
    folder = nil
    self.progress = progress
    read = { offset in
      let from = data.startIndex + Int(min(offset, Int64(data.count)))
      return data[from..<min(from + OpenFile.pieceBytes, data.endIndex)]
    }
  }

  /// The format, detected from the contents. Nil when nothing in them can be imported.
  ///
  /// - Parameter user: the user into whose store the file is imported. Nil while that is not known.
  func format(for user: UserID? = nil, _ authors: ImportAuthors = ImportAuthors()) throws -> ImportFormat? {
    do {
      if let sentence = try FileKind.sentence(byteCount: byteCount, read) {
        throw ChatError(.fileUnrecognized, sentence)
      }
    } catch let error as ChatError { throw error } catch { throw ChatError.fileUnreadable }
    let dates = ImportDates(now: Date(timeIntervalSince1970: 0)) { [] }
    return try ImportFormat(reading: cursor, reading(for: user, dates, authors), name: name)
  }

  /// Whether an entry can be read, or the file has no entry. Stops at the first one.
  func hasEntry(_ format: ImportFormat, for user: UserID, _ authors: ImportAuthors) throws -> Bool {
    guard ![.singleDraft, .draftsByProject].contains(format) else { return true }
    struct Found: Error {}
    let reading = reading(for: user, ImportDates(now: ChatEnvironment().now()) { [] }, authors)
    var hasProblem = false
    do {
      if try isFlat(format) {
        var list = FlatList(cursor)
        try list.begin()
        while !list.isOver, let (entry, _) = try list.next() {
          if case .success(let (value, _, _)) = entry, (try? reading.entry(value)) != nil { return true }
          hasProblem = true
        }
        return !hasProblem
      }
      var isLastEmpty = false
      var walk = HistoryWalk(cursor, reading) { event in
        switch event {
        case .conversation:
          if isLastEmpty { throw Found() }
          isLastEmpty = true
        case .problem(_, _, let isEntry):
          hasProblem = true
          if isEntry { isLastEmpty = false }
        case .active, .unshown: break
        default: throw Found()
        }
      }
      try walk.walk()
      return isLastEmpty || !hasProblem
    } catch is Found { return true } catch is JSONDamage { return false }
  }

  private func survey(_ reading: EntryReading) -> Once<AuthorSurvey> {
    Once { [cursor] in
      var survey = AuthorSurvey()
      var walk = HistoryWalk(cursor, reading) { event in
        switch event {
        case .message(let entry, _, _):
          if let author = entry.author { survey.note(author, isInQueue: entry.isInQueue) }
        case .problem: survey.isDamaged = true
        default: break
        }
      }
      try walk.walk()
      return survey
    }
  }

  private func reading(for user: UserID?, _ dates: ImportDates, _ authors: ImportAuthors) -> EntryReading {
    var reading = EntryReading(user: user, dates: dates, authors: authors)
    let plain = reading
    reading.accountsDiffer = Once { [cursor] in try cursor.accountsDiffer(plain) }
    reading.isDoublyEncoded = Once { [cursor] in try cursor.isDoublyEncoded() }
    return reading
  }

  func importAll(
    into client: ChatClient, from source: String?, _ authors: ImportAuthors, bringingBackDeleted: Bool
  ) throws -> ImportReport {
    var report: ImportReport
    switch try format(for: client.user, authors) {
    case .singleDraft:
      report = try DraftImport(client, .singleDraft, dates(client), source: source) { try self.reached($0) }
        .run(cursor)
    case .draftsByProject:
      report = try DraftImport(client, .draftsByProject, dates(client), source: source) {
        try self.reached($0)
      }.run(cursor)
    case .place:
      throw ChatError(
        .fileUnrecognized, "The file has the place of a window. The app imports it for one of its windows.")
    case nil: throw ChatError.fileUnrecognized
    case let format?:
      report = try importMessages(
        format, into: client, from: source, authors, bringingBackDeleted: bringingBackDeleted)
    }
    try reached(byteCount)
    report.bytes = byteCount
    report.problems.sort { $0.offset < $1.offset }
    return report.localized(with: client.configuration.texts)
  }

  private func dates(_ client: ChatClient) -> ImportDates {
    ImportDates(now: client.environment.now()) { try ImportDates.values(self.cursor) }
  }

  /// Imports messages, then the drafts of an export, and then the files that its messages name.
  private func importMessages(
    _ format: ImportFormat, into client: ChatClient, from source: String?, _ authors: ImportAuthors,
    bringingBackDeleted: Bool
  ) throws -> ImportReport {
    let reading = reading(for: client.user, dates(client), authors)
    let history = HistoryImport(
      client, format, reading, survey(reading), source: source, folder: folder,
      bringingBackDeleted: bringingBackDeleted
    ) { try self.reached($0) }
    let survey = try flatSurvey(format, history)
    var report: ImportReport
    if let survey {
      var list = FlatImport(history, survey)
      report = try list.run(cursor)
    } else {
      report = try history.run(cursor)
    }
    if let offset = history.draftsAt {
      let drafts = DraftImport(
        client, .history, history.dates, source: source, folder: folder,
        bringingBackDeleted: bringingBackDeleted
      ) { try self.reached($0) }
      var place = cursor
      place.move(to: offset)
      report.add(try drafts.run(list: place))
    }
    if let folder { try bringFiles(in: folder, into: client, &report) }
    return report
  }

  /// Whether the file is one list without conversations.
  private func isFlat(_ format: ImportFormat) throws -> Bool {
    guard format == .queue || format == .messages else { return false }
    var start = cursor
    try start.skipMark()
    return try start.peekValue() == .openArray && start.firstConversation() == nil
      && start.messengerFormat() == nil
  }

  /// The survey of a list of messages with conversations. Nil when the file is something else.
  private func flatSurvey(_ format: ImportFormat, _ history: HistoryImport) throws -> FlatSurvey? {
    guard try isFlat(format) else { return nil }
    let survey = try FlatSurvey(cursor, history.reading, name: name)
    return format == .queue || survey.hasConversations ? survey : nil
  }

  /// Copies the files that stored messages wait for. A file without references stays where it is.
  private func bringFiles(in folder: AttachmentFolder, into client: ChatClient, _ report: inout ImportReport)
    throws
  {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.url.path)) ?? []
    for checksum in names.sorted().map(ChatAttachment.Checksum.init(rawValue:)) where checksum.isWellFormed {
      guard let file = try? OpenFile(reading: folder.file(of: checksum)) else { continue }
      // The caller can end the import between two files.
      try reached(byteCount)
      switch try client.bring(checksum, { try file.read(OpenFile.pieceBytes, at: $0) }) {
      case true: report.attachments += 1
      case false: report.note(.attachmentDamaged, "attachments/\(checksum)", at: byteCount)
      default: break
      }
    }
  }

  /// A cursor at the beginning of the bytes.
  var cursor: JSONCursor {
    JSONCursor { [self] offset in
      // The caller can also cancel a long look-ahead.
      try progress(InterchangeProgress(completed: completed, total: byteCount))
      do { return try read(offset) } catch { throw ChatError.fileUnreadable }
    }
  }

  private func reached(_ offset: Int64) throws {
    completed = max(completed, min(offset, byteCount))
    try progress(InterchangeProgress(completed: completed, total: byteCount))
  }
}

extension JSONCursor {
  /// Whether the messages of the file name more than one account beside their roles.
  fileprivate func accountsDiffer(_ reading: EntryReading) throws -> Bool {
    struct Found: Error {}
    var first: String?
    func note(_ account: String?) throws(Found) {
      guard let account else { return }
      if let first, first != account { throw Found() }
      first = account
    }
    do {
      var start = self
      try start.skipMark()
      if try start.peekValue() == .openArray, try start.firstConversation() == nil,
        try start.messengerFormat() == nil
      {
        var list = FlatList(self)
        try list.begin()
        while !list.isOver, let (entry, _) = try list.next() {
          guard case .success(let (value, _, _)) = entry, let fields = LooseFields(value) else { continue }
          try note(reading.author(fields).account)
        }
      } else {
        var walk = HistoryWalk(self, reading) { event in
          if case .message(let entry, _, _) = event { try note(entry.author?.account) }
        }
        try walk.walk()
      }
      return false
    } catch is Found { return true } catch is JSONDamage { return false }
  }
}
