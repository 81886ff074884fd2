import Foundation
import HoldfastCore

/// A list in which the messages of several conversations are mixed. Walks through it one message at a time. After
/// damage, the walk continues at the next message that it recognizes.
struct FlatList {
  private static let largestEntry = 16 << 20
  private static let keys: Set = [
    "text", "content", "body", "chatID", "chatId", "chat_id", "conversationID", "conversationId",
    "conversation_id",
    "retryCount", "role", "status", "message",
  ]

  /// An entry, or the reason why it cannot be read.
  typealias Entry = Result<(value: JSONValue, bytes: Int, repeatsKeys: Bool), JSONDamage>

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

  /// The entry that begins at an offset.
  mutating func entry(at offset: Int64, number: Int) throws -> (entry: Entry, place: ImportPlace) {
    try cursor.moveBack(to: offset)
    let place = ImportPlace(conversation: number, offset: offset, isInList: true)
    do { return (try entry(), place) } catch let damage as JSONDamage { return (.failure(damage), place) }
  }

  private(set) var isOver = false

  /// Moves to the next element, of this list or of another one after it. False at the end of the file.
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
    var repeatsKeys = false
    do {
      return .success((try JSONValue(data, repeatsKeys: &repeatsKeys), data.count, repeatsKeys))
    } catch { return .failure(error) }
  }

  private func place(at offset: Int64) -> ImportPlace {
    ImportPlace(conversation: number, offset: offset, isInList: true)
  }
}

/// The kind of a list of messages, detected from all of them and from the name of the file (rule H12).
struct FlatSurvey {
  private(set) var authors = AuthorSurvey()
  /// Whether messages have a role and no status: then only a message that states so is unsent.
  private var hasRoles = false
  private(set) var hasConversations = false
  /// Whether a message has the status of an unsent one.
  private(set) var saysUnsent = false
  private var (hasQueued, hasMessages) = (false, false)
  /// The order of dates by conversation, to find those with the newest message first.
  private var orders: [ConversationID: DateOrder] = [:]
  private var (count, damaged) = (0, 0)
  private let isNamedQueue: Bool

  /// - Parameter name: the name of the file, or of the key in the user defaults.
  init(_ cursor: JSONCursor, _ reading: EntryReading, name: String?) throws {
    isNamedQueue = QueueName.names(name ?? "")
    var list = FlatList(cursor)
    try list.begin()
    do {
      while !list.isOver, let (entry, _) = try list.next() { try note(entry, reading) }
    } catch is JSONDamage {
      // The import reports it.
      authors.isDamaged = true
    }
  }

  private mutating func note(_ entry: FlatList.Entry, _ reading: EntryReading) throws {
    count += 1
    guard case .success(let (value, _, repeatsKeys)) = entry else {
      authors.isDamaged = true
      return damaged += 1
    }
    if repeatsKeys { authors.isMixed = true }
    guard let fields = LooseFields(value) else { return }
    guard let entry = try? reading.entry(value) else {
      // A message that cannot be imported still shows its author.
      return authors.note(try reading.author(fields), isInQueue: false)
    }
    if let name = entry.conversation {
      orders[name, default: DateOrder()].note(entry.message.order == nil ? entry.message.createdAt : nil)
    }
    if let author = entry.author { authors.note(author, isInQueue: entry.isInQueue) }
    let hasRole = fields.text("role") != nil
    if hasRole, entry.status == nil, !entry.isInQueue { hasRoles = true }
    if entry.conversation != nil { hasConversations = true }
    if entry.isUnsent { saysUnsent = true }
    if entry.isOwn != false, entry.isInQueue { hasQueued = true }
    if hasRole || entry.status != nil || entry.isOwn != nil || entry.message.createdAt != nil
      || hasConversations
    {
      hasMessages = true
    }
  }

  /// Whether some conversations of an undamaged list have their newest message first.
  var hasNewestFirst: Bool {
    damaged == 0 && !authors.isDamaged && orders.values.contains(where: \.isNewestFirst)
  }

  func isNewestFirst(_ conversation: ConversationID) -> Bool { orders[conversation]?.isNewestFirst == true }

  private var isHistory: Bool { authors.hasOthers || hasRoles }

  /// Whether queue fields prove that a message is unsent, given the whole list.
  var isOfUnsent: Bool { !isHistory && authors.isWhole }

  /// Whether a message shows that the list is a queue of unsent messages.
  var saysQueue: Bool { saysUnsent || hasQueued && !authors.othersAreQueued }

  /// Nil when nothing in the list looks like a message. An empty list is an empty queue.
  var format: ImportFormat? {
    if count <= damaged || saysQueue || isQueue { return .queue }
    return hasMessages ? .messages : nil
  }

  /// Whether the name of the file says that its messages are unsent, and nothing in it contradicts that.
  var isQueue: Bool { isNamedQueue && !isHistory && authors.isOfOne }
}

/// The names of files, and of keys in the user defaults, that mark unsent messages.
enum QueueName {
  /// Whether a word of the name means unsent, and none means sent.
  static func names(_ name: String) -> Bool {
    var words: [String] = [""]
    for character in name {
      if !character.isLetter {
        words.append("")
      } else if character.isUppercase, words.last?.last?.isLowercase == true {
        words.append("")
      }
      if character.isLetter { words[words.count - 1].append(character) }
    }
    let found = Set(words.map { $0.lowercased() })
    return !found.isDisjoint(with: ["queue", "queued", "pending", "unsent", "outbox"])
      && found.isDisjoint(with: ["sent", "delivered", "done"])
  }
}

/// Imports a list in which the messages of several conversations are mixed (rules H10, H12): unsent messages go into
/// the outbox, the others into the history.
struct FlatImport {
  private let history: HistoryImport
  private let survey: FlatSurvey
  private let reading: EntryReading
  private var conversation: ConversationID?

  init(_ history: HistoryImport, _ survey: FlatSurvey) {
    (self.history, self.survey) = (history, survey)
    reading = history.reading
  }

  mutating func run(_ cursor: JSONCursor) throws -> ImportReport {
    var list = FlatList(cursor)
    try list.begin()
    var end = cursor.offset
    if survey.hasNewestFirst {
      for (number, offset) in try byDate(list) {
        let (entry, place) = try list.entry(at: offset, number: number)
        if let code = try add(entry, place) { try history.add(.problem(code, place, isEntry: true)) }
      }
      return try history.finish()
    }
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

  /// The entries from the last to the first. Those of each conversation are ordered by date if its newest one comes
  /// first, and otherwise in the order of the file.
  private func byDate(_ start: FlatList) throws -> [(number: Int, offset: Int64)] {
    typealias Entry = (date: Int64, number: Int, offset: Int64)
    var list = start
    var (names, entries) = ([ConversationID?](), [ConversationID?: [Entry]]())
    while !list.isOver, let (entry, place) = try list.next() {
      let read = (try? entry.get()).flatMap { try? reading.entry($0.value) }
      let name = read?.conversation
      let date = name.map(survey.isNewestFirst) == true ? read?.message.createdAt ?? 0 : 0
      entries[name, default: []].append((date, names.count, place.offset))
      names.append(name)
    }
    // In reverse order, so that entries can be taken from the end.
    entries = entries.mapValues { $0.sorted { ($0.date, $0.number) > ($1.date, $1.number) } }
    return names.reversed().compactMap { entries[$0]?.popLast() }.map { ($0.number, $0.offset) }
  }

  /// Returns the reason why the entry cannot be imported. Nil when it is imported.
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
    guard resolve(&message) else { return .authorUnknown }
    if conversation != name {
      conversation = name
      try history.add(.conversation(HistoryHead(name, place: place)))
    }
    try history.add(.message(message, place, bytes: bytes))
    return nil
  }

  /// Decides the status of a message. It is unsent when it states so, or when it is in a queue without another
  /// status. If it is unknown whether it was sent, its user decides: in a queue with unknown statuses, or beside
  /// messages of others.
  ///
  /// Returns whether the message can be imported. An unsent one is not imported when someone other than the user may
  /// be its author.
  private func resolve(_ message: inout HistoryEntry) -> Bool {
    message.isResolved = true
    let (authors, isOwn) = (survey.authors, message.isOwn != false && message.message.role == .user)
    let isQueued = message.isInQueue && !authors.othersAreQueued
    switch message.status {
    case _ where !isOwn: break
    case nil where survey.isQueue: message.status = .waiting
    case nil where isQueued && survey.isOfUnsent: message.status = .waiting
    case .unknown where isQueued: message.status = .unfinished
    case nil where survey.saysQueue && survey.isOfUnsent && authors.isOfOne: message.status = .unfinished
    default: break
    }
    guard authors.resolve(&message) else { return false }
    if isOwn, message.status == nil { message.status = .sent }
    return true
  }
}
