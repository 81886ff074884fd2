import Foundation
import HoldfastCore
import HoldfastStore

/// The events of a walk through a history, in the order of the file.
enum HistoryEvent {
  /// The head of a conversation, as complete as the file has it. Its messages follow.
  case conversation(HistoryHead)
  /// One message of the conversation, as its bytes.
  case message(Data, ImportPlace)
  case active(String)
  /// The array of drafts, which begins at this offset.
  case drafts(Int64)
  case problem(ImportProblem.Code, ImportPlace)
}

/// A place in a file. Its name is made only when the place is reported.
struct ImportPlace: Equatable {
  var conversation: Int?
  var message: Int?
  var offset: Int64

  var name: String {
    guard let conversation else { return "file" }
    return "conversations[\(conversation)]" + (message.map { ".messages[\($0)]" } ?? "")
  }
}

/// Walks through a `history.json` of any length (SPEC H9): for each conversation its head, then its messages one by
/// one. One message at a time is in memory. The ID and title of a conversation may stand behind its messages. Each
/// conversation is therefore passed once for its head and once more for its messages: the file is read twice, and
/// none of it is kept.
///
/// Behind damage, the walk goes on at the next part that it recognizes (``JSONCursor/seekLandmark()``). A message
/// behind damage belongs to the conversation before it, unless another `messages` array began in between. That
/// array's head is lost, and the conversation of its messages is unknown.
struct HistoryWalk {
  /// A larger message is reported and skipped.
  static let largestMessage = 64 << 20
  private static let largestHead = 1 << 20

  private var cursor: JSONCursor
  private let visit: (HistoryEvent) throws -> Void
  private var number = -1

  init(_ cursor: JSONCursor, _ visit: @escaping (HistoryEvent) throws -> Void) {
    (self.cursor, self.visit) = (cursor, visit)
  }

  mutating func walk() throws {
    var isThere = false
    do {
      try cursor.skipMark()
      try cursor.expect(.openObject)
      var isFirst = true
      while let key = try cursor.nextKey(isFirst: isFirst) {
        isFirst = false
        switch key {
        case "conversations" where try cursor.peekValue() == .openArray:
          isThere = true
          cursor.step()
          try conversations()
        case "drafts" where try cursor.peekValue() == .openArray:
          try visit(.drafts(cursor.offset))
          try cursor.skip()
        case "activeConversationID":
          let place = cursor.offset
          let value = try cursor.cutHead()
          if let id = try? JSONDecoder().decode(String.self, from: value) {
            try visit(.active(id))
          } else if value != Data("null".utf8) {
            try visit(.problem(.wrongFields, ImportPlace(offset: place)))
          }
        default: try cursor.skip()
        }
      }
      if try cursor.peekValue() != nil { throw JSONDamage.malformed }
    } catch let damage as JSONDamage {
      try report(damage, at: cursor.offset)
      if !isThere, try seekConversation() { try conversations(isAtFirst: true) }
    }
  }

  /// Goes on to the end of the array, or to the end of the file when damage hides the array's end.
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

  /// Moves to the next conversation behind damage. False when there is none up to the end. Messages on the way are
  /// reported, because their conversation is unknown.
  private mutating func seekConversation() throws -> Bool {
    var isTold = false
    while let landmark = try cursor.seekLandmark() {
      if landmark == .conversation { return true }
      if !isTold { try visit(.problem(.conversationUnknown, place(at: cursor.offset))) }
      isTold = true
      cursor.step()
    }
    return false
  }

  /// Returns whether the cursor stands behind the whole conversation. False when it stands somewhere within damage.
  mutating func conversation() throws -> Bool {
    let begin = cursor.offset
    guard try cursor.peekValue() == .openObject else {
      try visit(.problem(.wrongFields, place(at: begin)))
      do { try cursor.skip() } catch let damage as JSONDamage {
        try report(damage, at: begin)
        return false
      }
      return true
    }
    var head = HistoryHead(place: place(at: begin))
    var messagesAt: Int64?
    var isWhole = false
    do {
      isWhole = try readHead(into: &head, &messagesAt)
    } catch let damage as JSONDamage {
      try report(damage, at: cursor.offset)
    }
    if !isWhole, messagesAt == nil, try cursor.seekLandmark() != .conversation { messagesAt = cursor.offset }
    let end = cursor.offset
    if isWhole { head.nameWithoutID() }
    guard head.id != nil else {
      try visit(.problem(.conversationUnknown, place(at: begin)))
      return isWhole
    }
    try visit(.conversation(head))
    guard let messagesAt else { return isWhole }
    cursor.move(to: messagesAt)
    let hasEnded = try messages(isTold: true)
    guard isWhole else { return try hasEnded && passRest() }
    cursor.move(to: end)
    return true
  }

  /// Returns whether the cursor came to the end of the conversation. False when its messages are damaged and their
  /// end is unknown.
  private mutating func readHead(into head: inout HistoryHead, _ messagesAt: inout Int64?) throws -> Bool {
    cursor.step()
    var isFirst = true
    while let key = try cursor.nextKey(isFirst: isFirst) {
      isFirst = false
      switch key {
      case "messages":
        guard try cursor.peekValue() == .openArray else {
          let place = cursor.offset
          let value = try cursor.cutHead()
          if value != Data("null".utf8) { try visit(.problem(.wrongFields, self.place(at: place))) }
          continue
        }
        let begin = cursor.offset
        messagesAt = begin
        do { try cursor.skip() } catch is JSONDamage {
          cursor.move(to: begin)
          guard try messages(isTold: false) else { return false }
        }
      case _ where HistoryHead.keys.contains(key): head.values[key] = try cursor.cutHead()
      default: try cursor.skip()
      }
    }
    return true
  }

  /// Skips the rest of a conversation behind its messages, after some of it could not be read. Returns whether the
  /// rest could be read.
  private mutating func passRest() throws -> Bool {
    do {
      while try cursor.nextKey(isFirst: false) != nil { try cursor.skip() }
      return true
    } catch let damage as JSONDamage {
      try report(damage, at: cursor.offset)
      // The file has a bracket too many, and more messages behind it.
      guard try cursor.seekLandmark() == .message else { return false }
      return try messages(isTold: true) && passRest()
    }
  }

  /// Reads messages from the array's bracket, or from a message behind damage. With `isTold`, messages and problems
  /// are reported; otherwise they are skipped. Returns whether the cursor came to the array's end.
  private mutating func messages(isTold: Bool) throws -> Bool {
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
        guard isTold else {
          try cursor.skip()
          continue
        }
        let place = place(at: resumeAt, message: message)
        message += 1
        do {
          try visit(.message(try cursor.cut(atMost: Self.largestMessage), place))
        } catch JSONDamage.tooLarge {
          try visit(.problem(.tooLarge, place))
        } catch JSONDamage.tooDeep {
          try visit(.problem(.tooDeep, place))
        }
      } catch let damage as JSONDamage {
        if isTold {
          let number = isInEntry ? message - 1 : message
          try visit(.problem(.init(damage), place(at: resumeAt, message: number)))
        }
        cursor.move(to: isInEntry ? resumeAt + 1 : cursor.offset)
        guard try cursor.seekLandmark() == .message else { return false }
        isAt = true
      }
    }
  }

  func place(at offset: Int64, message: Int? = nil) -> ImportPlace {
    ImportPlace(conversation: number < 0 ? nil : number, message: message, offset: offset)
  }

  private func report(_ damage: JSONDamage, at offset: Int64) throws {
    try visit(.problem(.init(damage), place(at: offset)))
  }
}

extension JSONCursor {
  /// Cuts out a value of a head, which is small. A value that is too large or too deep gives empty data, which does
  /// not decode.
  mutating func cutHead() throws -> Data {
    do { return try cut(atMost: 1 << 20) } catch JSONDamage.tooLarge { return Data() } catch JSONDamage
      .tooDeep
    {
      return Data()
    }
  }

  /// Skips a byte order mark, with which some programs begin a file.
  mutating func skipMark() throws {
    let begin = offset
    for byte in [0xEF, 0xBB, 0xBF] as [UInt8] {
      guard try peek() == byte else { return move(to: begin) }
      step()
    }
  }
}
