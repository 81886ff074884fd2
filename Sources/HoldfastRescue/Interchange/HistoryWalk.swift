import Foundation
import HoldfastCore
import HoldfastStore

/// Walks through a history of any length (rules H9, H13): for each conversation its head, then its messages one by
/// one. One message at a time is in memory. The ID and title of a conversation may come after its messages. Each
/// conversation is therefore passed once for its head and once more for its messages: the file is read twice, and
/// none of it is kept. For a conversation with branches, the offsets of its messages are kept.
///
/// After damage, the walk continues at the next part that it recognizes (``JSONCursor/seekLandmark()``). A message
/// after damage belongs to the conversation before it, unless another `messages` array began in between. That
/// array's head is lost, and the conversation of its messages is unknown.
struct HistoryWalk {
  /// A larger message is reported and skipped.
  static let largestMessage = EntryReading.largestMessage
  /// The maximum depth of nested heads, such as `chat` and `history` of Open WebUI.
  private static let deepestHead = 8

  var cursor: JSONCursor
  let reading: EntryReading
  let visit: (HistoryEvent) throws -> Void
  private var number = -1
  private var isInList = false
  var search = LandmarkSearch()
  private var madeUp: [String: Int] = [:]
  /// The number of messages and problems of the present list that have been reported.
  private var emitted = 0

  init(_ cursor: JSONCursor, _ reading: EntryReading, _ visit: @escaping (HistoryEvent) throws -> Void) {
    (self.cursor, self.reading, self.visit) = (cursor, reading, visit)
  }

  mutating func walk() throws {
    do {
      try cursor.skipMark()
      repeat { try walkValue() } while try !search.isSpent && cursor.peekValue() != nil
    } catch let damage as JSONDamage {
      try report(damage, at: cursor.offset)
      if try seekConversation() { try conversations(isAtFirst: true) }
    }
  }

  /// Walks through one of the values of a file. Most files have one. Some have a conversation in each line.
  private mutating func walkValue() throws {
    let start = cursor.offset
    switch try cursor.peekValue() {
    case .openArray:
      let first = try cursor.firstElement()
      guard first.map({ $0.isMessage }) != true else { return try onlyConversation() }
      isInList = true
      cursor.step()
      try conversations()
    case .openObject:
      guard try cursor.hasConversations() else { return try onlyConversation() }
      try container()
    default:
      guard try passLine() else {
        cursor.move(to: start)
        throw JSONDamage.malformed
      }
    }
  }

  /// Passes a line that is a word, a number or a text. False when the cursor is at anything else.
  private mutating func passLine() throws -> Bool {
    let begin = cursor.offset
    var ahead = cursor
    do { try ahead.skip() } catch is JSONDamage { return false }
    guard try [nil, 0x0A, 0x0D].contains(ahead.peek()) else { return false }
    cursor = ahead
    number += 1
    isInList = true
    try visit(.problem(.wrongFields, place(at: begin), isEntry: true))
    return true
  }

  /// A file that is one conversation, or a line that is one.
  private mutating func onlyConversation() throws {
    number += 1
    isInList = true
    guard try conversation() else { throw JSONDamage.malformed }
  }

  private mutating func container() throws {
    try cursor.expect(.openObject)
    var isFirst = true
    while let key = try cursor.nextKey(isFirst: isFirst) {
      isFirst = false
      switch (LooseFields.plain(key), try cursor.peekValue()) {
      case (let key, .openArray) where try key == "conversations" || cursor.listFormat(under: key) != nil:
        // Values that look like messages, beside drafts or other conversations, are reported one by one.
        cursor.step()
        try conversations()
      case (let key, .openObject) where try cursor.listFormat(under: key) != nil:
        try conversationsByID()
      case (let key, .openArray) where ConversationPlaces.lists.contains(key),
        (let key, .openObject) where ConversationPlaces.lists.contains(key):
        try passUnread()
      case ("drafts", .openArray):
        try visit(.drafts(cursor.offset))
        try cursor.skip()
      case ("activeconversationid", _):
        let place = cursor.offset
        let value = try cursor.cutValue()
        if let id = value?.text {
          try visit(.active(id))
        } else if value?.isNull != true {
          try visit(.problem(.wrongFields, ImportPlace(offset: place), isEntry: false))
        }
      default: try cursor.skip()
      }
    }
  }

  /// Skips a value without conversations under a name for conversations. It is reported, because the user may be
  /// looking for it.
  private mutating func passUnread() throws {
    let place = ImportPlace(offset: cursor.offset)
    if try !cursor.isEmptyInside() { try visit(.problem(.fieldLeftOut, place, isEntry: false)) }
    try cursor.skip()
  }

  /// Continues to the end of the array, or to the end of the file when damage hides the array's end.
  private mutating func conversations(isAtFirst: Bool = false) throws {
    var (isFirst, isAt) = (true, isAtFirst)
    while true {
      if !isAt {
        do {
          guard try cursor.nextElement(isFirst: isFirst) else { return }
        } catch let damage as JSONDamage {
          number += 1
          try report(damage, at: cursor.offset)
          number -= 1
          guard try seekConversation() else { return }
        }
      }
      (isFirst, isAt) = (false, false)
      number += 1
      if try conversation() { continue }
      guard try seekConversation() else { return }
      isAt = true
    }
  }

  /// Walks through an object that has the conversations by their IDs.
  private mutating func conversationsByID() throws {
    try cursor.expect(.openObject)
    var isFirst = true
    while let key = try cursor.nextKey(isFirst: isFirst, atMost: 64 << 10) {
      isFirst = false
      number += 1
      guard try conversation(key: key) else { throw JSONDamage.malformed }
    }
  }

  /// Moves to the next conversation after damage. False when no conversation follows. Messages in between are
  /// reported, because their conversation is unknown.
  private mutating func seekConversation() throws -> Bool {
    var isReported = false
    while let landmark = try seekLandmark() {
      if landmark == .conversation { return true }
      if !isReported { try visit(.problem(.conversationUnknown, place(at: cursor.offset), isEntry: false)) }
      isReported = true
      cursor.step()
    }
    return false
  }

  /// Moves to the next landmark. Nil when no landmark follows, or when too much would be read again.
  private mutating func seekLandmark() throws -> HistoryLandmark? {
    guard search.isSpent else { return try cursor.seekLandmark() }
    if search.reportEnd() { try visit(.problem(.tooDeep, place(at: cursor.offset), isEntry: false)) }
    return nil
  }

  /// Returns whether the cursor is past the whole conversation. False when it is somewhere within damage.
  mutating func conversation(key: String? = nil) throws -> Bool {
    let begin = cursor.offset
    var head = HistoryHead(place: place(at: begin), key: key)
    var places = ConversationPlaces()
    var isWhole = false
    switch try cursor.peekValue() {
    case .openObject:
      do {
        isWhole = try readHead(into: &head, &places)
      } catch let damage as JSONDamage {
        search.note(from: begin, to: cursor.offset)
        try report(damage, at: cursor.offset)
      }
    case .openArray:
      // A list of messages, without a head.
      places.add(try cursor.messengerFormat() ?? PlainFormat(), at: cursor.offset)
      do {
        try cursor.skip()
        isWhole = true
      } catch let damage as JSONDamage { try report(damage, at: cursor.offset) }
    default:
      try visit(.problem(.wrongFields, place(at: begin), isEntry: true))
      do { try cursor.skip() } catch let damage as JSONDamage {
        try report(damage, at: begin)
        return false
      }
      return true
    }
    if !isWhole, places.best == nil, try seekLandmark() != .conversation {
      places.add(PlainFormat(), at: cursor.offset)
    }
    let end = cursor.offset
    if isWhole {
      head.beginning = try beginning(at: places.best?.offset)
      try correct(&head, places.best?.form)
      head.nameWithoutID(besides: &madeUp)
      if places.hasOthers { try visit(.problem(.fieldLeftOut, place(at: begin), isEntry: false)) }
    }
    guard head.id != nil else {
      try visit(.problem(.conversationUnknown, place(at: begin), isEntry: false))
      return isWhole
    }
    guard let found = places.best else {
      // A conversation without any messages more likely has an unknown form.
      if isWhole, !places.isNull { try visit(.problem(.messagesMissing, place(at: begin), isEntry: true)) }
      if isWhole, places.isNull { try visit(.conversation(head)) }
      return isWhole
    }
    try visit(.conversation(head))
    cursor.move(to: found.offset)
    guard found.form.isList else {
      try tree(found, upTo: head.leaf)
      cursor.move(to: end)
      return isWhole
    }
    let form = try surveyed(found.form)
    if isWhole, !head.isOwn, let messages = try newestFirst(form) {
      for (number, offset) in messages {
        try cursor.moveBack(to: offset)
        try emit(form, place(at: offset, message: number))
      }
      cursor.move(to: end)
      return true
    }
    emitted = 0
    let hasEnded = try messages(isEmitted: true, form)
    // A room without messages.
    if isWhole, emitted == 0, form is ElementFormat {
      try visit(.problem(.messagesMissing, place(at: begin), isEntry: true))
    }
    guard isWhole else { return try hasEnded && passRest() }
    cursor.move(to: end)
    return true
  }

  /// Adds to the head the data that depends on the form of the messages.
  private func correct(_ head: inout HistoryHead, _ form: (any ConversationFormat)?) throws {
    switch form {
    case is FacebookFormat: try head.correct(reading.decoded)
    case is ElementFormat:
      // Only the room's events contain its ID.
      guard let event = try? head.beginning.map({ try JSONValue($0) }), let id = LooseFields(event)?["roomid"]
      else { return }
      head.add("roomid", id)
    default: break
    }
  }

  /// The form, after it has learned which messages change others. The cursor is at the bracket of the messages.
  private func surveyed(_ form: any ConversationFormat) throws -> any ConversationFormat {
    guard form.needsSurvey else { return form }
    var form = form
    try passMessages { value, offset in
      form.survey(value, at: offset)
      return true
    }
    return form
  }

  /// Passes the messages to `body` one by one, until it returns false, or up to damage. Returns whether all were
  /// passed.
  @discardableResult
  private func passMessages(_ body: (JSONValue, Int64) throws -> Bool) throws -> Bool {
    var cursor = cursor
    guard try cursor.peekValue() == .openArray else { return false }
    cursor.step()
    var isFirst = true
    do {
      while try cursor.nextElement(isFirst: isFirst) {
        isFirst = false
        _ = try cursor.peekValue()
        let offset = cursor.offset
        guard try body(try JSONValue(try cursor.cut(atMost: Self.largestMessage)), offset) else {
          return false
        }
      }
      return true
    } catch is JSONDamage { return false }
  }

  /// The messages by their dates, with their numbers, if the newest comes first. Nil if they are in order: the first
  /// later date ends the look-ahead.
  private func newestFirst(_ form: any ConversationFormat) throws -> [(number: Int, offset: Int64)]? {
    var (order, messages) = (DateOrder(), [(date: Int64, number: Int, offset: Int64)]())
    let isWhole = try passMessages { value, offset in
      let date = try form.date(value, reading)
      order.note(date)
      messages.append((date ?? 0, messages.count, offset))
      return !order.cannotFall
    }
    guard isWhole, order.isNewestFirst else { return nil }
    return messages.sorted { ($0.date, $0.number) < ($1.date, $1.number) }.map { ($0.number, $0.offset) }
  }

  /// The beginning of the first message. Empty when there is no message, or it cannot be read.
  private mutating func beginning(at offset: Int64?) throws -> Data? {
    guard let offset else { return nil }
    let back = cursor.offset
    defer { cursor.move(to: back) }
    cursor.move(to: offset)
    do {
      guard try cursor.peekValue() == .openArray else { return try cursor.cut(atMost: 1 << 16) }
      cursor.step()
      return try cursor.nextElement(isFirst: true) ? try cursor.cut(atMost: 1 << 20) : nil
    } catch is JSONDamage { return nil }
  }

  /// Returns whether the cursor reached the end of the conversation. False when its messages are damaged and their
  /// end is unknown.
  private mutating func readHead(
    into head: inout HistoryHead, _ places: inout ConversationPlaces, _ depth: Int = 0
  ) throws -> Bool {
    cursor.step()
    var isFirst = true
    while let key = try cursor.nextKey(isFirst: isFirst) {
      isFirst = false
      let name = LooseFields.plain(key)
      let next = try cursor.peekValue()
      if next == .openObject, ConversationPlaces.inner.contains(name), depth < Self.deepestHead {
        guard try readHead(into: &head, &places, depth + 1) else { return false }
      } else if let form = try places.form(of: name, next, head, &cursor) {
        let begin = cursor.offset
        places.add(form, at: begin, isEmpty: try cursor.isEmpty(of: form))
        do { try cursor.skip() } catch let damage as JSONDamage {
          search.note(from: begin, to: cursor.offset)
          // The messages are at another place too, and these are not read again.
          if places.best?.offset != begin { try report(damage, at: cursor.offset) }
          cursor.move(to: begin)
          guard form.isList, try messages(isEmitted: false, form) else { return false }
        }
      } else if name == "messages" {
        let place = cursor.offset
        places.isNull = try cursor.cutValue()?.isNull == true
        // Not an entry: the messages at another place, or the conversation, are counted instead.
        if !places.isNull { try visit(.problem(.wrongFields, self.place(at: place), isEntry: false)) }
      } else if HistoryHead.keys.contains(name) {
        if let value = try cursor.cutValue() { head.add(name, value) }
      } else {
        try cursor.skip()
      }
    }
    return true
  }

  /// Skips the rest of a conversation after its messages, when part of it could not be read. Returns whether the
  /// rest could be read.
  private mutating func passRest() throws -> Bool {
    do {
      while try cursor.nextKey(isFirst: false) != nil { try cursor.skip() }
      return true
    } catch let damage as JSONDamage {
      try report(damage, at: cursor.offset)
      // The file has an extra bracket, and more messages after it.
      guard try seekLandmark() == .message else { return false }
      return try messages(isEmitted: true, PlainFormat()) && passRest()
    }
  }

  /// Reads messages from the array's bracket, or from a message after damage. With `isEmitted`, messages and problems
  /// are reported; otherwise they are skipped. Returns whether the cursor reached the array's end.
  private mutating func messages(isEmitted: Bool, _ form: any ConversationFormat) throws -> Bool {
    var isFirst = try cursor.peekValue() == .openArray
    var isAt = !isFirst
    if isFirst { cursor.step() }
    var message = 0
    while true {
      var resumeAt = cursor.offset
      var isInEntry = false
      do {
        if !isAt {
          guard try cursor.nextElement(isFirst: isFirst) else { return true }
        }
        (isFirst, isAt) = (false, false)
        (resumeAt, isInEntry) = (cursor.offset, true)
        guard isEmitted else {
          try cursor.skip()
          continue
        }
        message += 1
        try emit(form, place(at: resumeAt, message: message - 1))
      } catch let damage as JSONDamage {
        search.note(from: resumeAt, to: cursor.offset)
        if isEmitted {
          let number = isInEntry ? message - 1 : message
          try visit(.problem(.init(damage), place(at: resumeAt, message: number), isEntry: isInEntry))
        }
        cursor.move(to: isInEntry ? resumeAt + 1 : cursor.offset)
        guard try seekLandmark() == .message else { return false }
        isAt = true
      }
    }
  }

  /// Reads the message at the cursor and reports it, or the reason why it cannot be read.
  private mutating func emit(_ form: any ConversationFormat, _ place: ImportPlace) throws {
    guard let (entry, bytes) = try entry(form, place) else { return emitted += 1 }
    guard let entry else { return }
    emitted += 1
    if entry.isHidden, entry.message.content.text.isEmpty { return try visit(.unshown(place)) }
    try visit(.message(entry, place, bytes: bytes))
  }

  /// Nil when the message cannot be read: the reason has been reported. A nil entry has no message.
  private mutating func entry(
    _ form: any ConversationFormat, _ place: ImportPlace
  ) throws -> (entry: HistoryEntry?, bytes: Int)? {
    let data: Data
    do { data = try cursor.cut(atMost: Self.largestMessage) } catch JSONDamage.tooLarge {
      try visit(.problem(.tooLarge, place, isEntry: true))
      return nil
    } catch JSONDamage.tooDeep {
      try visit(.problem(.tooDeep, place, isEntry: true))
      return nil
    }
    return try reporting(place) { reading in
      let value = try JSONValue(data)
      guard let offset = form.replacement(of: value) else {
        return (try form.entry(value, reading), data.count)
      }
      var other = cursor
      other.move(to: offset)
      let replacement = try JSONValue(try other.cut(atMost: Self.largestMessage))
      return (try form.entry(value, replacedBy: replacement, reading), data.count)
    }
  }

  /// Reports the reason why an entry whose end is known cannot be read.
  func reporting<Result>(_ place: ImportPlace, _ read: (EntryReading) throws -> Result) throws -> Result? {
    let code: ImportProblem.Code
    do { return try read(reading) } catch let problem as EntryProblem {
      code = problem.code
    } catch is JSONDamage {
      code = .malformed
    }
    try visit(.problem(code, place, isEntry: true))
    return nil
  }

  func place(at offset: Int64, message: Int? = nil) -> ImportPlace {
    ImportPlace(
      conversation: number < 0 ? nil : number, message: message, offset: offset, isInList: isInList)
  }

  func report(_ damage: JSONDamage, at offset: Int64) throws {
    try visit(.problem(.init(damage), place(at: offset), isEntry: false))
  }
}
