import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// Imports the data of an earlier app, or an export of another store (SPEC H9, H10, H13): a `history.json`, the export
  /// of an app for language models, a queue of unsent messages, or drafts. The file's contents tell which of them it is
  /// ([formats](docs/imports.md), [how](docs/decisions/0030-imports-are-cut-by-a-reader-of-our-own.md)).
  ///
  /// ```swift
  /// let report = try client.importHistory(from: url) { progress in show(progress) }
  /// for problem in report.problems { print("\(problem.entry): \(problem.explanation)") }
  /// ```
  ///
  /// A history that was exported with its attachments has their files in a folder beside it. They come along, and so do
  /// the files of drafts, whose bytes are in base64 in the file. An ID of more than 255 bytes is replaced by one made of
  /// its SHA-256 (``ConversationID/init(imported:)``), which is the same each time.
  ///
  /// Messages that were sent become history here, and none of them is sent. Unsent messages go into the outbox: those of
  /// a queue leave as soon as they can, and those of a history once their user has said so. A conversation that the
  /// import makes waits with its queue until the app has called ``ChatClient/createConversation(_:title:members:metadata:isOnDevice:)``,
  /// because the file does not say who takes part in it. Drafts go into their composers. Where a composer has a draft
  /// already, that draft stays, the imported text becomes a version of it (`versions()`), and the imported files join its
  /// files. A conversation that is already here keeps its title and its members. What is imported counts as read.
  ///
  /// Importing a file again changes nothing. This holds after the imported entries have been sent, cancelled or
  /// discarded, and after a partial import. Entries are recognized by their IDs. Entries without an ID are
  /// recognized by their contents and the entry before them.
  ///
  /// A file of any size takes about as much memory as its largest message. The file is read twice. New entries are
  /// stored in transactions of at most 250 messages, and others can write in between. Blocks its caller, and no
  /// other caller for long: call it from a task of its own. The import is on disk when this returns. A crash in
  /// between leaves complete transactions, and the next import of the same file goes on behind them.
  ///
  /// - Parameters:
  ///   - file: the file to read. It stays as it is. Its name counts where it has texts that say nothing of their state: a copy
  ///     under another name is not known to be a queue.
  ///   - source: a name for the app that the file comes from. Its conversations get IDs that begin with it, such as
  ///     `ChatGPT:1`. Nil: they have the IDs of the file, and a conversation whose ID is a count is kept apart from
  ///     another one with that count.
  ///   - authors: who wrote the messages, where the file does not say it in words that are known here.
  ///   - bringingBackDeleted: imports conversations that were deleted on this device, too. Otherwise they are
  ///     skipped and counted, so that an import by mistake does not bring back deleted conversations.
  ///   - progress: called at least once for each transaction. An error that it throws ends the import. The stored
  ///     part stays, and the next import of the same file goes on behind it.
  /// - Returns: the imported entries in numbers, and the problems entry by entry. A damaged file is no error.
  /// - Throws: the errors of `progress`, unchanged. Otherwise ``ChatError`` with code `fileUnreadable`;
  ///   `fileUnrecognized` when the file is none of these; or a code that starts with `storage`.
  @discardableResult
  public nonisolated func importHistory(
    from file: URL, named source: String? = nil, authors: ImportAuthors = ImportAuthors(),
    bringingBackDeleted: Bool = false,
    progress: (InterchangeProgress) throws -> Void = { _ in }
  ) throws -> ImportReport {
    try bring(source, authors, bringingBackDeleted, progress) { progress throws(ChatError) in
      try ImportedFile(file, progress)
    }
  }

  /// Imports bytes in memory, such as those that an app kept under a key of its user defaults (SPEC H10). Everything
  /// else is as with a file (``importHistory(from:named:authors:bringingBackDeleted:progress:)-(URL,_,_,_,_)``).
  ///
  /// Bytes have no name. Where each message of a queue is a text that says nothing of its state, the name of the key does:
  /// ``ImportSource/values(of:keys:)``.
  ///
  /// ```swift
  /// if let queue = UserDefaults.standard.data(forKey: "queue") { try client.importHistory(from: queue) }
  /// ```
  ///
  /// - Throws: as for a file.
  @discardableResult
  public nonisolated func importHistory(
    from data: Data, named source: String? = nil, authors: ImportAuthors = ImportAuthors(),
    bringingBackDeleted: Bool = false,
    progress: (InterchangeProgress) throws -> Void = { _ in }
  ) throws -> ImportReport {
    try bring(source, authors, bringingBackDeleted, progress) { progress throws(ChatError) in
      ImportedFile(data, progress)
    }
  }

  /// Imports what an earlier app left in one of its usual places (SPEC H10). Everything else is as with a file
  /// (``importHistory(from:named:authors:bringingBackDeleted:progress:)-(URL,_,_,_,_)``).
  ///
  /// ```swift
  /// for source in ImportSource.found() where source.format != nil { try client.importHistory(from: source) }
  /// ```
  ///
  /// - Throws: as for a file. The place of a window is `fileUnrecognized` here, because it needs the app's own types:
  ///   ``importPlace(from:into:as:version:sheet:)`` reads it.
  @discardableResult
  public nonisolated func importHistory(
    from source: ImportSource, named name: String? = nil, authors: ImportAuthors = ImportAuthors(),
    bringingBackDeleted: Bool = false,
    progress: (InterchangeProgress) throws -> Void = { _ in }
  ) throws -> ImportReport {
    try bring(name, authors, bringingBackDeleted, progress) { progress throws(ChatError) in
      try source.open(progress)
    }
  }

  private nonisolated func bring(
    _ source: String?, _ authors: ImportAuthors, _ bringsBackDeleted: Bool,
    _ progress: (InterchangeProgress) throws -> Void,
    _ open: (@escaping (InterchangeProgress) throws -> Void) throws(ChatError) -> ImportedFile
  ) throws -> ImportReport {
    try Store.telling(progress) { progress throws(ChatError) in
      let file = try open(progress)
      return try Store.typed {
        try file.importAll(into: self, from: source, authors, bringingBackDeleted: bringsBackDeleted)
      }
    }
  }
}

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
    folder = ExportedFiles.folder(beside: file)
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

  /// The format, told by the contents. Nil when nothing in them can be imported.
  ///
  /// - Parameter user: the user into whose store the file comes. Nil while that is not known.
  func format(for user: UserID? = nil, _ authors: ImportAuthors = ImportAuthors()) throws -> ImportFormat? {
    let dates = ImportDates(now: Date(timeIntervalSince1970: 0)) { [] }
    return try ImportFormat(reading: cursor, reading(for: user, dates, authors), name: name)
  }

  private func survey(_ reading: EntryReading) -> LazySurvey {
    LazySurvey { [cursor] in
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
    reading.accounts = AccountSurvey { [cursor] in try cursor.accountsDiffer(plain) }
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
    return report.worded(with: client.configuration.texts)
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

  /// What a list of messages with conversations is. Nil when the file is another one.
  private func flatSurvey(_ format: ImportFormat, _ history: HistoryImport) throws -> FlatSurvey? {
    guard format == .queue || format == .messages else { return nil }
    var start = cursor
    try start.skipMark()
    guard try start.peekValue() == .openArray, try start.firstConversation() == nil else { return nil }
    let survey = try FlatSurvey(cursor, history.reading, name: name)
    return format == .queue || survey.hasConversations ? survey : nil
  }

  /// Copies the files that messages here wait for. A file that nothing refers to stays where it is.
  private func bringFiles(in folder: AttachmentFolder, into client: ChatClient, _ report: inout ImportReport)
    throws
  {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.url.path)) ?? []
    for checksum in names.sorted().map(ChatAttachment.Checksum.init(rawValue:)) where checksum.isWellFormed {
      guard let stored = try client.store.read({ try $0.attachments.stored(checksum) }), !stored.isHere,
        let file = try? OpenFile(reading: folder.file(of: checksum))
      else { continue }
      // The caller can end the import between two files.
      try reached(byteCount)
      try client.store.copying { () throws(ChatError) in
        let copy = try client.store.copyAttachment(named: client.environment.makeID(), atMost: .max) {
          try file.read(OpenFile.pieceBytes, at: $0)
        }
        defer { client.store.attachments.abandon(copy) }
        guard copy.checksum == checksum else {
          return report.note(.attachmentDamaged, "attachments/\(checksum)", at: byteCount)
        }
        var attachment = stored.attachment
        attachment.byteCount = copy.byteCount
        let now = client.environment.now()
        try client.store.write { transaction in
          try client.store.attachments.settle(copy)
          try transaction.attachments.insert(attachment, isHere: true, now: now)
        }
        report.attachments += 1
      }
    }
  }

  /// A cursor at the beginning of the bytes.
  var cursor: JSONCursor {
    JSONCursor { [self] offset in
      // The caller can end a long look ahead too.
      try progress(InterchangeProgress(completed: completed, total: byteCount))
      do { return try read(offset) } catch { throw ChatError.fileUnreadable }
    }
  }

  private func reached(_ offset: Int64) throws {
    completed = max(completed, min(offset, byteCount))
    try progress(InterchangeProgress(completed: completed, total: byteCount))
  }
}

extension ImportFormat {
  /// The keys of a draft that other objects seldom have. Settings have texts too.
  private static let telling: Set = ["attachments", "savedAt"]

  /// Nil when the file is none of them.
  init?(reading start: JSONCursor, _ reading: EntryReading, name: String?) throws {
    var cursor = start
    try cursor.skipMark()
    do {
      let found: ImportFormat?
      switch try cursor.peekValue() {
      case .openArray: found = try Self.format(ofArray: cursor, reading, name)
      case .openObject: found = try Self.format(ofObject: cursor)
      default: throw JSONDamage.malformed
      }
      guard let found else { return nil }
      self = found
    } catch is JSONDamage {
      // A history with a damaged beginning is still recognized.
      guard try cursor.seekLandmark() == .conversation else { return nil }
      self = .history
    }
  }

  /// Tells the format of a list by its first conversation, or by all of its messages.
  private static func format(
    ofArray cursor: JSONCursor, _ reading: EntryReading, _ name: String?
  ) throws -> ImportFormat? {
    if let format = try cursor.firstConversation() { return format }
    return try FlatSurvey(cursor, reading, name: name).format
  }

  /// Tells the format by the first key that only one of the formats has. Nil when there is none.
  private static func format(ofObject start: JSONCursor) throws -> ImportFormat? {
    do {
      if let format = try start.containerFormat() ?? start.elementKind()?.conversation { return format }
    } catch is JSONDamage {
      // A key before the damage may tell.
    }
    return try formatOfOthers(start)
  }

  /// Drafts, or the place of a window. A file is drafts if each of its entries has the keys of a draft and no others.
  private static func formatOfOthers(_ start: JSONCursor) throws -> ImportFormat? {
    var cursor = start
    cursor.step()
    var (isFirst, isAnyDraft, isAnyOther) = (true, false, false)
    while let key = try cursor.nextKey(isFirst: isFirst, atMost: 64 << 10) {
      isFirst = false
      if key.hasPrefix("draftInput") { return try singleDraft(start) }
      if PlaceFields.recognized.contains(key) { return .place }
      let next = try cursor.peekValue()
      guard next == .openObject else {
        // Drafts by project are objects, or null where there is none.
        guard next == UInt8(ascii: "n") else { return try formatOfPlace(&cursor) }
        try cursor.skip()
        continue
      }
      let keys = try keysOfObject(cursor)
      isAnyDraft = isAnyDraft || !keys.isDisjoint(with: telling)
      isAnyOther = isAnyOther || !keys.isSubset(of: DraftFields.keys)
      do { try cursor.skip() } catch let damage as JSONDamage {
        // The drafts before the damage are imported.
        if isAnyDraft, !isAnyOther { return .draftsByProject }
        throw damage
      }
    }
    return isAnyDraft && !isAnyOther ? .draftsByProject : nil
  }

  /// The rest of an object that has other values: the place of a window, or nothing that is known.
  private static func formatOfPlace(_ cursor: inout JSONCursor) throws -> ImportFormat? {
    try cursor.skip()
    while let key = try cursor.nextKey(isFirst: false, atMost: 64 << 10) {
      if key.hasPrefix("draftInput") { return nil }
      if PlaceFields.recognized.contains(key) { return .place }
      try cursor.skip()
    }
    return nil
  }

  /// A single draft has no other fields.
  private static func singleDraft(_ start: JSONCursor) throws -> ImportFormat? {
    var cursor = start
    cursor.step()
    var isFirst = true
    do {
      while let key = try cursor.nextKey(isFirst: isFirst, atMost: 64 << 10) {
        isFirst = false
        guard key.hasPrefix("draft") else { return nil }
        try cursor.skip()
      }
    } catch is JSONDamage {
      // What is whole of it is imported.
    }
    return .singleDraft
  }

  /// The keys of an object, as far as it is whole.
  private static func keysOfObject(_ start: JSONCursor) throws -> Set<String> {
    var cursor = start
    cursor.step()
    var keys: Set<String> = []
    do {
      while let key = try cursor.nextKey(isFirst: keys.isEmpty) {
        keys.insert(key)
        // An object of many other keys is no draft, however they are called.
        if keys.count > DraftFields.keys.count { break }
        try cursor.skip()
      }
    } catch is JSONDamage {}
    return keys
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
      if try start.peekValue() == .openArray, try start.firstConversation() == nil {
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

  /// The format of the first conversation in the list at the cursor. An array in the list is one, too. Nil when the list
  /// has no conversation among its first elements.
  func firstConversation() throws -> ImportFormat? {
    var cursor = self
    do {
      try cursor.skipMark()
      try cursor.expect(.openArray)
      for number in 0..<100 {
        guard try cursor.nextElement(isFirst: number == 0) else { return nil }
        if let kind = try cursor.elementKind() {
          if let format = kind.conversation { return format }
          if kind.isArray { return .messages }
          if kind.isMessage { return nil }
        }
        try cursor.skip()
      }
    } catch is JSONDamage {}
    return nil
  }
}

extension ChatError {
  static let fileUnreadable = ChatError(
    .fileUnreadable, "The file cannot be read. Check that it exists, is a file, and that you may read it.")
  /// Says what was looked for.
  static let fileUnrecognized = ChatError(
    .fileUnrecognized,
    """
    The file has nothing that can be imported. Looked for: a history.json, a queue of unsent messages, a list of messages, \
    drafts, and the exports of ChatGPT, Claude, Open WebUI, LibreChat and ShareGPT. Choose another file.
    """)
}
