import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

/// Stores the events of a walk through a file, in transactions of a bounded size.
final class HistoryImport {
  /// A transaction of this size is so short that other writers do not notice the delay.
  static let messagesAtOnce = 250
  private static let bytesAtOnce = 256 << 10

  private enum Step {
    case conversation(HistoryHead)
    case message(HistoryEntry, ImportPlace)
    case unshown

    /// Whether the message may go into the outbox.
    var mayWait: Bool { if case .message(let entry, _) = self { entry.isUnsent } else { false } }
  }

  /// The conversation that the messages belong to.
  struct Current {
    /// The conversation's ID in the file, or the one that the import gave it.
    var name: ConversationID
    /// The conversation's present ID in this store.
    var id: ConversationKey
    /// Whether the conversation is skipped because it was deleted here.
    var isPassedOver: Bool
    var needsTitle: Bool
    /// Whether the import made the conversation.
    var isNew = false
    /// Whether the import made the conversation, and the file does not name its members.
    var isWithoutMembers = false
    var places = ImportedPlaces()
    /// Whether the next stored message after the last one has not been looked up yet.
    var isNextUnknown = true
    /// The date of that message. Nil when it has no date.
    var nextDate: Int64?
    /// The latest date of a message of the file.
    var latest: Int64?
    /// The date of the previous message, or of the conversation.
    var lastDate: Int64
    /// Whether the dates of a new conversation come from its messages.
    var isUndated = (created: false, updated: false)
    /// The last change according to the file. Nil when it has none.
    var updatedAt: Int64?
    /// The range of the dates of the imported messages.
    var dates: ClosedRange<Int64>?
    /// The last place of a message that was imported as read.
    var readPlace: Int64?
    /// The previous message's fingerprint; empty when that message had an ID. `repeats` counts the consecutive equal
    /// messages before it.
    var fingerprint = ""
    var repeats = 0
  }

  let client: ChatClient
  let dates: ImportDates
  let reading: EntryReading
  /// The evidence of the whole file about its authors.
  let survey: Once<AuthorSurvey>
  private let source: String?
  private let bringsBackDeleted: Bool
  private let reached: (Int64) throws -> Void
  /// The folder beside the file, with the bytes of attachments.
  let folder: AttachmentFolder?
  var report: ImportReport
  /// The conversation whose first message has not come yet.
  private var waitingHead: (head: HistoryHead, hasProblems: Bool, unshown: Int)?
  private var steps: [Step] = []
  /// The files whose bytes are in the steps.
  private(set) var inlineFiles: [ChatAttachment.Checksum: Data] = [:]
  private var bytes = 0
  var current: Current?
  /// Thoughts, tool calls and their results, until their answer comes.
  private var beforeAnswer: AnswerParts?
  private var active: ConversationID?
  /// Conversations whose waiting messages are held until their user has decided.
  var held: Set<ConversationKey> = []
  /// The offset of the file's drafts, which are imported after the messages. Nil when there are none.
  private(set) var draftsAt: Int64?

  init(
    _ client: ChatClient, _ format: ImportFormat, _ reading: EntryReading, _ survey: Once<AuthorSurvey>,
    source: String? = nil,
    folder: AttachmentFolder? = nil, bringingBackDeleted: Bool,
    reached: @escaping (_ offset: Int64) throws -> Void
  ) {
    (self.client, self.reading, self.dates, self.survey) = (client, reading, reading.dates, survey)
    (self.source, self.folder) = (source, folder)
    (bringsBackDeleted, self.reached, report) = (bringingBackDeleted, reached, ImportReport(format))
  }

  /// Imports a file of conversations.
  func run(_ cursor: JSONCursor) throws -> ImportReport {
    var walk = HistoryWalk(cursor, reading) { [self] in try add($0) }
    try walk.walk()
    return try finish()
  }

  /// Stores the rest. The last transaction is synced, and with it all earlier ones.
  func finish() throws -> ImportReport {
    try endAnswerParts()
    endHead()
    try store(isLast: true)
    return report
  }

  func add(_ event: HistoryEvent) throws {
    switch event {
    case .conversation(let head):
      try endAnswerParts()
      endHead()
      waitingHead = (head, false, 0)
    case .message(let entry, let place, _) where entry.isOfAnswer:
      for code in entry.problems { report.note(code, place.name, at: place.offset) }
      if beforeAnswer?.add(entry) == nil { beforeAnswer = AnswerParts(entry, place) }
    case .message(var entry, let place, let count):
      // The survey reads the file outside of any transaction.
      if !entry.isResolved, entry.author != nil, entry.status?.isUnsent == true || entry.isInQueue,
        try !survey().resolve(&entry)
      {
        return try add(.problem(.authorUnknown, place, isEntry: true))
      }
      if entry.message.role == .assistant, entry.message.deletedAt == nil, let parts = beforeAnswer {
        beforeAnswer = nil
        parts.join(&entry)
        try append(entry, place, bytes: count, unshown: parts.count)
      } else {
        // An image made by a tool comes before its answer.
        if entry.message.role != .tool { try endAnswerParts() }
        try append(entry, place, bytes: count)
      }
    case .unshown: addUnshown(1)
    case .active(let id): active = ConversationID(imported: id)
    case .drafts(let offset): draftsAt = offset
    case .problem(let code, let place, let isEntry):
      report.note(code, place.name, at: place.offset)
      guard isEntry else { return }
      report.leftOut += 1
      waitingHead?.hasProblems = true
    }
  }

  /// Makes the conversation when its first message comes, or when it has none. It is not made when none of its
  /// messages can be read.
  private func endHead() {
    if waitingHead?.hasProblems == false { beginWaitingHead() }
    report.unshown += waitingHead?.unshown ?? 0
    waitingHead = nil
  }

  private func beginWaitingHead() {
    guard let (head, _, unshown) = waitingHead else { return }
    waitingHead = nil
    steps.append(.conversation(head))
    addUnshown(unshown)
  }

  private func addUnshown(_ count: Int) {
    if waitingHead != nil {
      waitingHead?.unshown += count
    } else {
      steps += Array(repeating: .unshown, count: count)
    }
  }

  private func append(_ original: HistoryEntry, _ place: ImportPlace, bytes count: Int, unshown: Int = 0)
    throws
  {
    var entry = original
    for file in entry.inlineFiles { read(file, into: &entry) }
    entry.inlineFiles = []
    beginWaitingHead()
    steps.append(.message(entry, place))
    addUnshown(unshown)
    bytes += count
    guard steps.count >= Self.messagesAtOnce || bytes >= Self.bytesAtOnce else { return }
    try store(isLast: false)
    try reached(place.offset)
  }

  private func read(_ file: InlineFile, into entry: inout HistoryEntry) {
    if let (attachment, bytes) = file.decoded, entry.message.attachments.count < ChatAttachment.mostReceived {
      entry.message.attachments.append(attachment)
      inlineFiles[attachment.checksum] = bytes
    } else if !entry.problems.contains(.attachmentsLeftOut) {
      entry.problems.append(.attachmentsLeftOut)
    }
  }

  /// Stores the files of the messages that have been stored.
  private func bringInlineFiles() throws {
    for (checksum, bytes) in inlineFiles.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let isHere = try client.bring(checksum) { offset in
        bytes.dropFirst(Int(min(offset, Int64(bytes.count)))).prefix(OpenFile.pieceBytes)
      }
      if isHere == true { report.attachments += 1 }
    }
    inlineFiles.removeAll()
  }

  /// Thoughts without an answer become a message of their own. Other parts without an answer are not shown.
  private func endAnswerParts() throws {
    guard let parts = beforeAnswer else { return }
    beforeAnswer = nil
    if let entry = parts.alone {
      return try append(entry, parts.place, bytes: 0, unshown: parts.count - 1)
    }
    if parts.hasMetadata { report.count(.partsLeftOut, parts.place.name, at: parts.place.offset) }
    addUnshown(parts.count)
  }

  /// Stores the steps in one transaction. A failed transaction changes none of the numbers.
  private func store(isLast: Bool) throws {
    let before = (report, current, held)
    do {
      if held.isEmpty, !steps.contains(where: \.mayWait) {
        try isLast
          ? client.store.write { try store(in: $0, isLast: true) }
          : client.store.writeUnsynced { try store(in: $0, isLast: false) }
      } else {
        try client.held.queueHolding { transaction in
          try store(in: transaction, isLast: isLast)
          return held
        }
      }
    } catch {
      (report, current, held) = before
      throw error
    }
    steps.removeAll(keepingCapacity: true)
    bytes = 0
    try bringInlineFiles()
  }

  private func store(in transaction: Transaction, isLast: Bool) throws {
    for step in steps {
      switch step {
      case .conversation(let head):
        try endConversation(transaction)
        try begin(head, transaction)
      case .message(let entry, let place): try store(entry, place, transaction)
      case .unshown: count(current?.isPassedOver == true ? \.deletedHere : \.unshown)
      }
    }
    guard isLast else { return }
    try endConversation(transaction)
    try activate(transaction)
  }

  func count(_ number: WritableKeyPath<ImportReport, Int>) { report[keyPath: number] += 1 }

  // MARK: Conversations

  private func begin(_ head: HistoryHead, _ transaction: Transaction) throws {
    guard let original = head.id else { return }
    let createdAt = date(head, try head.createdAt(dates))
    let updatedAt = date(head, try head.updatedAt(dates))
    let name = try name(of: head, original, createdAt, transaction)
    let id = transaction.key(of: name)
    let first = createdAt ?? updatedAt ?? client.environment.now().microseconds
    let isDeleted = transaction.localDeletions.horizons[id]?.isEvicted == false && !bringsBackDeleted
    // Unsent messages take priority over an unfinished deletion, which is completed first.
    if report.format == .queue { try transaction.deletions.eraseToMakeAnew(id) }
    current = Current(
      name: name, id: id,
      isPassedOver: report.format != .queue && (transaction.deletions.isHidden(id) || isDeleted),
      needsTitle: false, lastDate: first,
      updatedAt: updatedAt)
    guard current?.isPassedOver == false else { return }
    let members = head.members ?? []
    let isNew = try transaction.imports.addConversation(
      ImportedHead(
        id: id, title: Self.title(head.title), titleIsCustom: head.titleIsCustom,
        members: members.contains(client.user) ? members : [client.user] + members, metadata: head.metadata,
        createdAt: first,
        updatedAt: updatedAt ?? first))
    if isNew { report.conversations += 1 }
    current?.isNew = isNew
    current?.needsTitle = isNew && head.title == nil
    current?.isWithoutMembers = isNew && head.members == nil
    if isNew { current?.isUndated = (createdAt == nil, updatedAt == nil) }
  }

  /// Notes how the date was read.
  private func date(_ head: HistoryHead, _ date: ImportedDate?) -> Int64? {
    switch date {
    case .withoutZone: report.count(.withoutZone, head.place.name, at: head.place.offset)
    case .unlikely: report.count(.unlikelyDate, head.place.name, at: head.place.offset)
    case .unreadable: report.note(.dateUnreadable, head.place.name, at: head.place.offset)
    case .at, nil: break
    }
    return date?.microseconds
  }

  /// The ID under which the conversation is stored. An ID that is a count is distinguished from that of another
  /// app's conversation by the title and the date: two conversations that count from 1 are not mixed.
  private func name(
    of head: HistoryHead, _ original: ConversationID, _ createdAt: Int64?, _ transaction: Transaction
  ) throws -> ConversationID {
    if let source { return ConversationID(imported: source + ":" + original.rawValue) }
    guard ImportedID.isCount(original.rawValue), report.format != .queue else { return original }
    let title = Self.title(head.title)
    let own = ImportedID.make(["conversation", original.rawValue] + Self.marks(of: head, title, createdAt))
    let (apart, item) = (ConversationID(rawValue: own), "conversation:" + own)
    if try transaction.conversations.isHere(transaction.key(of: apart)) { return apart }
    if try transaction.imports.contains(item) { return original }
    guard let here = try transaction.conversations.stored(transaction.key(of: original)),
      try transaction.imports.hasMessages(in: here.id), !Self.isSame(here, title, createdAt)
    else {
      _ = try transaction.imports.note(item)
      return original
    }
    report.count(.keptApart, head.place.name, at: head.place.offset)
    return apart
  }

  /// The marks that distinguish the conversation from another one with the same count: its title and its date, or
  /// its beginning.
  private static func marks(of head: HistoryHead, _ title: String?, _ createdAt: Int64?) -> [String] {
    if title != nil || createdAt != nil { return [title ?? "", createdAt.map(String.init) ?? ""] }
    return ["", ""] + (head.beginning.map { [String(decoding: $0, as: UTF8.self)] } ?? [])
  }

  /// Compares by date first, because many conversations are called "New chat".
  private static func isSame(_ here: StoredConversation, _ title: String?, _ createdAt: Int64?) -> Bool {
    if let createdAt { return here.createdAt.microseconds == createdAt }
    return title != nil && here.title == title
  }

  /// The title, cut to the maximum length. Nil when there is no title.
  static func title(_ title: String?) -> String? {
    guard let title, !title.isEmpty else { return nil }
    var cut = title.storable
    while cut.utf8.count > ConversationTitle.maximumBytes {
      cut = String(
        cut.unicodeScalars.prefix(
          max(1, cut.unicodeScalars.count - 1 - (cut.utf8.count - ConversationTitle.maximumBytes) / 4)))
    }
    return cut
  }

  private func endConversation(_ transaction: Transaction) throws {
    if let current, !current.isPassedOver {
      if current.needsTitle { try transaction.imports.setTitle(current.id, by: client.user) }
      if let place = current.readPlace { try transaction.imports.read(in: current.id, upTo: place) }
      if let dates = current.dates { try date(current, dates, transaction) }
    }
    current = nil
  }

  /// The list shows the date of the newest message, unless the file has the date of the last change.
  private func date(_ current: Current, _ dates: ClosedRange<Int64>, _ transaction: Transaction) throws {
    if current.isUndated.created { try transaction.imports.setCreation(current.id, at: dates.lowerBound) }
    let last =
      current.isNew ? current.updatedAt ?? dates.upperBound : max(dates.upperBound, current.updatedAt ?? .min)
    try transaction.imports.setDate(current.id, last, isNew: current.isUndated.updated)
  }

  /// An import that adds no conversation does not change the active conversation.
  private func activate(_ transaction: Transaction) throws {
    guard let active, report.conversations > 0, try transaction.conversations.active() == nil else { return }
    let id = transaction.key(of: active)
    guard id.isWellFormed, !transaction.deletions.isHidden(id), try transaction.conversations.isHere(id)
    else { return }
    try transaction.conversations.setActive(id)
  }
}

extension HistoryImport.Current {
  /// Moves past a message that is stored already.
  mutating func pass(_ place: Int64) {
    places.pass(place, next: nil)
    isNextUnknown = true
  }
}
