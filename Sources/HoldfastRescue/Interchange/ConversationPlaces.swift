import HoldfastCore

/// The places of a conversation's messages, found while its head is read. Some exports have the messages twice.
struct ConversationPlaces {
  struct Found {
    var form: any ConversationFormat
    var offset: Int64
    fileprivate var rank: Int
  }

  /// The keys of an object under which conversations are listed.
  static let lists: Set = ["conversations", "chats", "threads", "sessions", "history", "data", "items"]
  /// Objects inside a conversation that contain its head and its messages.
  static let inner: Set = ["chat", "history"]
  private static let turns: Set = ["conversations", "conversation", "turns"]
  private static let others: Set = [
    "chat", "history", "messagelist", "chathistory", "dialog", "dialogue", "log",
  ]

  private(set) var best: Found?
  /// Whether the key `messages` is null: the conversation has no messages.
  var isNull = false

  private var ranks: [Int] = []

  /// Whether there are messages outside the best place. A list beside a tree only repeats the shown messages.
  var hasOthers: Bool { ranks.count(where: { best?.rank != 4 || $0 == 4 || $0 == 1 }) > 1 }

  /// Adds a place. A tree is better than a list of the shown messages, and any place is better than an empty one.
  mutating func add(_ form: any ConversationFormat, at offset: Int64, isEmpty: Bool = false) {
    let rank = isEmpty ? 0 : Self.rank(form)
    if !isEmpty { ranks.append(rank) }
    guard rank > best?.rank ?? -1 else { return }
    best = Found(form: form, offset: offset, rank: rank)
  }

  private static func rank(_ form: any ConversationFormat) -> Int {
    switch form {
    case is ChatGPTFormat, is OpenWebUIFormat: 4
    case is ClaudeFormat, is LibreChatFormat: 3
    case is PlainFormat, is FacebookFormat, is ElementFormat: 2
    default: 1
    }
  }

  /// The form of the messages under a key. Nil when the value has no messages.
  func form(
    of name: String, _ next: UInt8?, _ head: HistoryHead, _ cursor: inout JSONCursor
  ) throws -> (any ConversationFormat)? {
    switch (name, next) {
    case ("mapping", .openObject): return ChatGPTFormat()
    case ("chatmessages", .openArray): return ClaudeFormat()
    case ("messages", .openObject): return OpenWebUIFormat()
    case ("messages", .openArray): return try Self.form(ofList: head, cursor)
    case (_, .openArray) where Self.turns.contains(name): return ShareGPTFormat()
    case (_, .openArray) where Self.others.contains(name):
      return try cursor.firstElement()?.isMessage == true ? PlainFormat() : nil
    default: return nil
    }
  }

  /// The form of a list. LibreChat's messages name their parent.
  private static func form(ofList head: HistoryHead, _ cursor: JSONCursor) throws -> any ConversationFormat {
    if let format = try cursor.messengerFormat() { return format }
    let keys = try cursor.firstElement()?.keys ?? []
    return keys.contains("parentmessageid") || keys.contains("iscreatedbyuser")
      ? LibreChatFormat() : PlainFormat()
  }
}

/// The kind of an array's element, detected from its keys.
struct ElementKind {
  /// The keys in their plain form, up to the first one that decides.
  var keys: Set<String>
  /// The format of a conversation. Nil when the element is not a conversation.
  var conversation: ImportFormat?
  /// Whether the element is an array of messages.
  var isArray = false

  private static let messageKeys: Set = [
    "role", "content", "text", "from", "value", "body", "message", "sender", "chatid", "conversationid",
    "iscreatedbyuser",
    "timestamp", "status", "author",
  ]

  /// Whether the element has a key that only a message has, before it has a conversation.
  fileprivate var isTurn: Bool {
    !keys.isDisjoint(with: ["role", "from", "content", "value", "text", "body"])
  }

  /// Whether the element may be a message.
  var isMessage: Bool { conversation == nil && !isArray && !keys.isDisjoint(with: Self.messageKeys) }
}

extension JSONCursor {
  private static let mostKeys = 200

  /// Whether the array or object at the cursor is empty.
  func isEmptyInside() throws -> Bool {
    var cursor = self
    cursor.step()
    let next = try cursor.peekValue()
    return next == .closeArray || next == .closeObject
  }

  /// Whether there are no messages at the cursor. A tree of nodes without messages must not hide a list beside it.
  func isEmpty(of form: any ConversationFormat) throws -> Bool {
    guard form is ChatGPTFormat else { return try isEmptyInside() }
    var (cursor, isFirst) = (self, true)
    cursor.step()
    do {
      while try cursor.nextKey(isFirst: isFirst) != nil {
        isFirst = false
        guard try cursor.isNodeWithoutMessage() else { return false }
        try cursor.skip()
      }
      return true
    } catch is JSONDamage { return false }
  }

  private func isNodeWithoutMessage() throws -> Bool {
    var (cursor, isFirst) = (self, true)
    guard try cursor.peekValue() == .openObject else { return false }
    cursor.step()
    while let key = try cursor.nextKey(isFirst: isFirst) {
      isFirst = false
      let (name, next) = (LooseFields.plain(key), try cursor.peekValue())
      if ChatGPTFormat.messageKeys.contains(name), next != UInt8(ascii: "n") { return false }
      if key == "children", next == .openArray, try cursor.hasObjectInside() { return false }
      try cursor.skip()
    }
    return true
  }

  /// The form of the messages in the array at the cursor, if it is a messenger's, detected from the first message.
  func messengerFormat() throws -> (any ConversationFormat)? {
    let keys = try firstElement()?.keys ?? []
    if FacebookFormat.isFirst(keys) { return FacebookFormat() }
    return ElementFormat.isFirst(keys) ? ElementFormat() : nil
  }

  /// Whether the array at the cursor contains an object, and not only IDs.
  func hasObjectInside() throws -> Bool {
    var (cursor, isFirst) = (self, true)
    cursor.step()
    while try cursor.nextElement(isFirst: isFirst) {
      isFirst = false
      if try cursor.peekValue() == .openObject { return true }
      try cursor.skip()
    }
    return false
  }

  /// The kind of the first element of the array at the cursor. Nil when it is neither an object nor an array, or is
  /// damaged.
  ///
  /// - Parameter level: its depth inside other elements.
  func firstElement(_ level: Int = 0) throws -> ElementKind? {
    var cursor = self
    do {
      guard try cursor.peekValue() == .openArray else { return nil }
      cursor.step()
      guard try cursor.nextElement(isFirst: true) else { return nil }
      return try cursor.elementKind(level)
    } catch is JSONDamage { return nil }
  }

  /// The kind of the value at the cursor. A deeply nested message does not count as a conversation, which bounds the
  /// work.
  func elementKind(_ level: Int = 0) throws -> ElementKind? {
    var cursor = self
    let next = try cursor.peekValue()
    if next == .openArray { return ElementKind(keys: [], isArray: true) }
    guard next == .openObject else { return nil }
    cursor.step()
    var kind = ElementKind(keys: [])
    do {
      for number in 0..<Self.mostKeys {
        guard let key = try cursor.nextKey(isFirst: number == 0) else { break }
        let name = LooseFields.plain(key)
        kind.keys.insert(name)
        if level < 2 { kind.conversation = try cursor.conversationFormat(under: name, kind.keys, level + 1) }
        if kind.conversation != nil { break }
        try cursor.skip()
      }
    } catch is JSONDamage {
      // The keys before the damage decide.
    }
    return kind
  }

  /// The format of a conversation, detected from the messages under a key.
  private mutating func conversationFormat(
    under name: String, _ keys: Set<String>, _ level: Int
  ) throws -> ImportFormat? {
    switch (name, try peekValue()) {
    case ("mapping", .openObject): .chatGPT
    case ("chatmessages", .openArray): .claude
    case ("chat", .openObject), ("history", .openObject): .openWebUI
    case ("messages", .openObject): .history
    case ("messages", .openArray):
      try firstElement(level)?.keys.contains("parentmessageid") == true
        ? .libreChat
        : try firstElement(level)?.keys.contains("timestamp") == true || keys.contains("createdat")
          ? .history : .messages
    case ("conversations", .openArray), ("conversation", .openArray):
      try firstElement(level)?.isMessage == true ? .shareGPT : nil
    default: nil
    }
  }

  /// The format of the conversations under a key of an object. Nil when there are none: only `conversations` may be
  /// empty, or begin with an unknown element. A conversation without messages looks like a message when it has a
  /// `status`, so the elements after it decide.
  func listFormat(under name: String) throws -> ImportFormat? {
    guard ConversationPlaces.lists.contains(name) else { return nil }
    var cursor = self
    switch try cursor.peekValue() {
    case .openArray:
      let first = try cursor.firstElement()
      if let format = first?.conversation { return format == .messages ? .history : format }
      guard name == "conversations" else { return nil }
      return try first?.isMessage != true || cursor.hasConversationInside() ? .history : nil
    case .openObject: return name == "conversations" ? .history : nil
    default: return nil
    }
  }

  /// Whether one of the first elements of the array at the cursor is a conversation. A turn stays a turn, regardless
  /// of its contents.
  private func hasConversationInside() throws -> Bool {
    var cursor = self
    cursor.step()
    do {
      for number in 0..<100 {
        guard try cursor.nextElement(isFirst: number == 0) else { return false }
        if let kind = try cursor.elementKind(), kind.conversation != nil, !kind.isTurn { return true }
        try cursor.skip()
      }
    } catch is JSONDamage {}
    return false
  }

  /// Whether the object at the cursor contains conversations, and is not itself one.
  func hasConversations() throws -> Bool { try containerFormat() != nil }

  /// The format of the conversations inside the object at the cursor. Nil when it has none. Throws ``JSONDamage``
  /// when damage precedes them.
  func containerFormat() throws -> ImportFormat? {
    var cursor = self
    cursor.step()
    var isFirst = true
    while let key = try cursor.nextKey(isFirst: isFirst) {
      isFirst = false
      let (name, next) = (LooseFields.plain(key), try cursor.peekValue())
      if name == "drafts", next == .openArray { return .history }
      if let format = try cursor.listFormat(under: name) { return format }
      if ["messages", "mapping", "chatmessages"].contains(name) { return nil }
      try cursor.skip()
    }
    return nil
  }
}
