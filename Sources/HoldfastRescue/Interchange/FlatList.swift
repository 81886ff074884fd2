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
    var repeatsKeys = false
    do {
      return .success((try JSONValue(data, repeatsKeys: &repeatsKeys), data.count, repeatsKeys))
    } catch { return .failure(error) }
  }

  private func place(at offset: Int64) -> ImportPlace {
    ImportPlace(conversation: number, offset: offset, isInList: true)
  }
}

/// What a list of messages is, told by all of them and by the name of the file (SPEC H12).
struct FlatSurvey {
  /// Somebody else wrote a message, or messages name their role: only a message that says so is unsent.
  private(set) var isHistory = false
  private(set) var hasConversations = false
  /// A message says that the user of the store wrote it.
  private(set) var hasOwn = false
  /// A message has a status of one that was not sent.
  private(set) var saysUnsent = false
  /// A field of a queue stands beside messages of others too, and says nothing.
  private(set) var othersAreQueued = false
  private var (hasQueued, hasMessages) = (false, false)
  /// Whether some messages say who wrote them, and whether others do not.
  private var (isAuthorTold, hasUntold) = (false, false)
  private var (count, damaged) = (0, 0)
  /// An entry has a field twice: it may be two, of which a part is gone.
  private var isMixed = false
  /// The names of the authors, and the accounts beside roles: two are enough.
  private var (authors, accounts): (Set<String>, Set<String>) = ([], [])
  private var isAccountMissing = false
  /// The values of fields that could name an author, by field.
  private var candidates: [String: Candidate] = [:]
  private var isNamedQueue: Bool

  private struct Candidate {
    var values: Set<String> = []
    var count = 0
    /// An author writes more than one message, and an ID stands in each message anew.
    var isLikely: Bool { values.count > 1 && (values.count < count || count < 4) }
  }
  private static let (mostCandidates, mostValues, longestName) = (64, 64, 100)

  /// - Parameter name: that of the file, or of the key in the user defaults.
  init(_ cursor: JSONCursor, _ reading: EntryReading, name: String?) throws {
    let name = LooseFields.plain(name ?? "")
    isNamedQueue = ["queue", "pending", "unsent", "outbox"].contains { name.contains($0) }
    var list = FlatList(cursor)
    try list.begin()
    do {
      while !list.isOver, let (entry, _) = try list.next() { note(entry, reading) }
    } catch is JSONDamage {
      // The import reports it.
      damaged += 1
    }
    namesAccounts = accounts.count > 1
    if authors.count > 1 || namesAccounts { isHistory = true }
    if namesAccounts, !reading.namesAccounts {
      var reading = reading
      reading.namesAccounts = true
      self = try FlatSurvey(cursor, reading, name: name)
    }
  }

  private mutating func note(_ entry: FlatList.Entry, _ reading: EntryReading) {
    count += 1
    guard case .success(let (value, _, repeatsKeys)) = entry else { return damaged += 1 }
    if repeatsKeys { isMixed = true }
    guard let fields = LooseFields(value) else { return }
    note(reading.author(fields), fields)
    // One that cannot be imported says all the same who wrote it.
    guard let entry = try? reading.entry(value) else { return }
    let hasRole = fields.text("role") != nil
    if entry.isInQueue, entry.isOwn == false || entry.message.role != .user { othersAreQueued = true }
    if hasRole, entry.status == nil, !entry.isInQueue { isHistory = true }
    if entry.conversation != nil { hasConversations = true }
    if entry.isOwn == true { hasOwn = true }
    if entry.isUnsent { saysUnsent = true }
    if entry.isOwn != false, entry.isInQueue { hasQueued = true }
    if hasRole || entry.status != nil || entry.isOwn != nil || entry.message.createdAt != nil || hasConversations {
      hasMessages = true
    }
  }

  private mutating func note(_ author: Author, _ fields: LooseFields) {
    if author.isOwn == false || author.role != .user { isHistory = true }
    if let name = author.name, authors.count < 2 { authors.insert(name) }
    if let account = author.account {
      if accounts.count < 2 { accounts.insert(account) }
    } else if author.name == nil {
      isAccountMissing = true
    }
    if author.isTold || AuthorFields.isThere(in: fields) { isAuthorTold = true }
    guard !author.isTold else { return }
    hasUntold = true
    noteCandidates(fields)
  }

  private mutating func noteCandidates(_ fields: LooseFields) {
    for key in fields.names where AuthorFields.mayBeAuthor(key) {
      guard let name = fields.name(key), name.utf8.count <= Self.longestName, !name.contains("\n") else { continue }
      guard candidates[key] != nil || candidates.count < Self.mostCandidates else { continue }
      candidates[key, default: Candidate()].count += 1
      if candidates[key]?.values.count ?? 0 < Self.mostValues { candidates[key]?.values.insert(name) }
    }
  }

  /// The accounts beside the roles differ, so that they are those of the authors.
  private(set) var namesAccounts = false

  /// A field of a queue says that the message is unsent, as far as the whole list is known: where some messages say who wrote
  /// them, all do.
  var isOfUnsent: Bool {
    let isInPart = hasUntold || isMixed || damaged > 0 || isAccountMissing && !accounts.isEmpty
    return !isHistory && !(isAuthorTold && isInPart)
  }

  /// A message says that the list is one of unsent messages.
  var saysQueue: Bool { saysUnsent || hasQueued && !othersAreQueued }

  /// Whether a message that does not say whose it is can only be the user's: no other says it either, and no field could.
  var isOfOne: Bool {
    !isAuthorTold && !candidates.values.contains(where: \.isLikely) && (damaged == 0 || candidates.isEmpty)
  }

  /// A list is a queue when it says so. An empty one is a queue with nothing in it. Nil when nothing in it is a message.
  var format: ImportFormat? {
    if count <= damaged || saysQueue || isQueue { return .queue }
    return hasMessages ? .messages : nil
  }

  /// The name of the file says that its messages are unsent, and nothing in it says another thing.
  var isQueue: Bool { isNamedQueue && !isHistory && isOfOne }
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
    var reading = history.reading
    reading.namesAccounts = survey.namesAccounts
    self.reading = reading
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
    guard settle(&message) else { return .authorUnknown }
    if conversation != name {
      conversation = name
      try history.add(.conversation(HistoryHead(name, place: place)))
    }
    try history.add(.message(message, place, bytes: bytes))
    return nil
  }

  /// A message is unsent when it says so, and in a queue when it says nothing else. Where nobody can say whether it was sent,
  /// its user decides: in a queue with other words for the state, or beside messages of others.
  ///
  /// Returns whether the message can be imported. An unsent one is not, when its author may be another than the user.
  private func settle(_ message: inout HistoryEntry) -> Bool {
    guard message.message.role == .user else { return true }
    let isQueued = message.isInQueue && !survey.othersAreQueued
    let author = message.author
    guard message.isOwn != false else {
      // The user may have another name in this file.
      let mayBeUnsent = message.isInQueue && message.status == nil || message.status?.isUnsent == true
      return survey.hasOwn || author?.isNamedOther != true || !mayBeUnsent
    }
    switch message.status {
    case nil where survey.isQueue: message.status = .waiting
    case nil where isQueued: message.status = survey.isOfUnsent ? .waiting : .unfinished
    case nil: message.status = survey.saysQueue && survey.isOfUnsent && survey.isOfOne ? .unfinished : .sent
    case .unknown where isQueued: message.status = .unfinished
    default: break
    }
    return !message.isUnsent || message.isOwn == true || author?.isTold != false || survey.isOfOne
  }
}
