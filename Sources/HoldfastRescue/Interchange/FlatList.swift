import Foundation
import HoldfastCore

/// A list in which the messages of several conversations stand side by side. Walks through it one message at a time.
/// Behind damage, the walk goes on at the next message that it recognizes.
struct FlatList {
  private static let largestEntry = 16 << 20
  private static let keys: Set = [
    "text", "content", "body", "chatID", "chatId", "chat_id", "conversationID", "conversationId",
    "conversation_id",
    "retryCount", "role", "status", "message",
  ]

  /// An entry, or the reason why it cannot be read.
  typealias Entry = Result<(value: JSONValue, bytes: Int), JSONDamage>

  private var cursor: JSONCursor
  private var (isFirst, isAt, number) = (true, false, 0)
  private var search = LandmarkSearch()

  init(_ cursor: JSONCursor) { self.cursor = cursor }

  /// Passes the bracket of the list.
  mutating func begin() throws {
    try cursor.skipMark()
    try cursor.expect(.openArray)
  }

  /// The next entry. Nil at the end of the list, or of the file.
  mutating func next() throws -> (entry: Entry, place: ImportPlace)? {
    var offset = cursor.offset
    defer { number += 1 }
    do {
      if !isAt {
        guard try nextElement() else { return nil }
      }
      (isFirst, isAt, offset) = (false, false, cursor.offset)
      return (try entry(), place(at: offset))
    } catch let damage as JSONDamage {
      search.note(from: offset, to: cursor.offset)
      cursor.move(to: offset + 1)
      isAt = true
      if search.isSpent {
        isOver = true
      } else if try cursor.seekLandmark(messageKeys: Self.keys, conversationKeys: []) != .message {
        isOver = true
      }
      return (.failure(damage), place(at: offset))
    }
  }

  private(set) var isOver = false

  /// Moves to the next element, of this list or of another one behind it. False at the end of the file.
  private mutating func nextElement() throws -> Bool {
    while try !cursor.nextElement(isFirst: isFirst) {
      guard try cursor.peekValue() != nil else { return false }
      try cursor.expect(.openArray)
      isFirst = true
    }
    return true
  }

  private mutating func entry() throws -> Entry {
    let data: Data
    do { data = try cursor.cut(atMost: Self.largestEntry) } catch let damage as JSONDamage
      where damage == .tooLarge || damage == .tooDeep
    { return .failure(damage) }
    do { return .success((try JSONValue(data), data.count)) } catch { return .failure(error) }
  }

  private func place(at offset: Int64) -> ImportPlace {
    ImportPlace(conversation: number, offset: offset, isInList: true)
  }
}

/// What a list of messages is, told by all of them (SPEC H12).
struct FlatSurvey {
  /// Somebody else wrote a message, or messages name their role: only a message that says so is unsent.
  private(set) var isHistory = false
  private(set) var hasConversations = false
  private var (hasUnsent, mayBeUnsent, hasMessages) = (false, false, false)
  private var (count, damaged) = (0, 0)

  init(_ cursor: JSONCursor, _ reading: EntryReading) throws {
    var list = FlatList(cursor)
    try list.begin()
    do {
      while !list.isOver, let (entry, _) = try list.next() { note(entry, reading) }
    } catch is JSONDamage {
      // The import reports it.
    }
  }

  private mutating func note(_ entry: FlatList.Entry, _ reading: EntryReading) {
    count += 1
    guard case .success(let (value, _)) = entry else { return damaged += 1 }
    guard let fields = LooseFields(value), let entry = try? reading.entry(value) else { return }
    let hasRole = fields.text("role") != nil
    if entry.isOwn == false || entry.message.role != .user { isHistory = true }
    if hasRole, entry.status == nil, !entry.isInQueue { isHistory = true }
    if entry.conversation != nil { hasConversations = true }
    let isOpen = entry.status == nil || entry.status == .unknown
    if entry.isUnsent || entry.isOwn != false && isOpen && entry.isInQueue { hasUnsent = true }
    if entry.isOwn != false, entry.status == nil, entry.conversation != nil { mayBeUnsent = true }
    if hasRole || entry.status != nil || entry.isOwn != nil || entry.message.createdAt != nil {
      hasMessages = true
    }
  }

  /// Nil when nothing in the list looks like a message. An empty list is a queue with nothing in it.
  var format: ImportFormat? {
    if count == damaged || hasUnsent || mayBeUnsent && !isHistory { return .queue }
    return hasMessages ? .messages : nil
  }
}

/// Imports a list in which the messages of several conversations stand side by side (SPEC H10, H12): those that were not
/// sent go into the outbox, the others into the history.
struct FlatImport {
  private let history: HistoryImport
  private let survey: FlatSurvey
  private let reading: EntryReading
  private var conversation: ConversationID?

  init(_ history: HistoryImport, _ survey: FlatSurvey) {
    (self.history, self.survey) = (history, survey)
    reading = EntryReading(user: history.client.user, dates: history.dates)
  }

  mutating func run(_ cursor: JSONCursor) throws -> ImportReport {
    var list = FlatList(cursor)
    try list.begin()
    var end = cursor.offset
    do {
      while !list.isOver, let (entry, place) = try list.next() {
        end = place.offset
        if let code = try add(entry, place) { try history.add(.problem(code, place, isEntry: true)) }
      }
    } catch let damage as JSONDamage {
      try history.add(.problem(.init(damage), ImportPlace(offset: end), isEntry: false))
    }
    return try history.finish()
  }

  /// Returns the reason why the entry cannot be imported. Nil when it is.
  private mutating func add(_ entry: FlatList.Entry, _ place: ImportPlace) throws -> ImportProblem.Code? {
    let (value, bytes): (JSONValue, Int)
    switch entry {
    case .failure(let damage): return .init(damage)
    case .success(let read): (value, bytes) = (read.value, read.bytes)
    }
    var message: HistoryEntry
    do { message = try reading.entry(value) } catch let problem as EntryProblem { return problem.code }
    guard let name = message.conversation else { return .conversationUnknown }
    guard message.status != .withdrawn else { return .withdrawn }
    settle(&message)
    if conversation != name {
      conversation = name
      try history.add(.conversation(HistoryHead(name, place: place)))
    }
    try history.add(.message(message, place, bytes: bytes))
    return nil
  }

  /// A message without a status is unsent in a queue, and was sent in a history. Of one in a queue whose status is not known
  /// here, nobody can say whether it was sent: its user decides.
  private func settle(_ message: inout HistoryEntry) {
    guard message.isOwn != false, message.message.role == .user else { return }
    let isQueued = message.isInQueue || !survey.isHistory && history.report.format == .queue
    if message.status == nil { message.status = isQueued ? .waiting : .sent }
    if message.status == .unknown, isQueued { message.status = .unfinished }
  }
}
