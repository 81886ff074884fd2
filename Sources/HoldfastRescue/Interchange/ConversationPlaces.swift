import HoldfastCore

/// The places of a conversation's messages, found while its head is read. Some exports have them twice.
struct ConversationPlaces {
  struct Found {
    var form: any ConversationFormat
    var offset: Int64
    fileprivate var rank: Int
  }

  /// The keys of an object that has conversations.
  static let lists: Set = ["conversations", "chats", "threads", "sessions", "history", "data", "items"]
  /// Objects inside of a conversation, among whose fields its head and its messages stand.
  static let inner: Set = ["chat", "history"]
  private static let turns: Set = ["conversations", "conversation", "turns"]
  private static let others: Set = [
    "chat", "history", "messagelist", "chathistory", "dialog", "dialogue", "log",
  ]

  private(set) var best: Found?
  /// There is null under the key `messages`: the conversation has none.
  var isNull = false

  private var ranks: [Int] = []

  /// Whether there are messages elsewhere than at the best place. A list beside a tree only repeats what was shown.
  var hasOthers: Bool { ranks.count(where: { best?.rank != 4 || $0 == 4 || $0 == 1 }) > 1 }

  /// Adds a place. The one with a tree is better than a list of what was shown, and any is better than an empty one.
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

  /// The form of the messages under a key. Nil when they are none.
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

  /// The messages of LibreChat say what they answer.
  private static func form(ofList head: HistoryHead, _ cursor: JSONCursor) throws -> any ConversationFormat {
    if let format = try cursor.messengerFormat() { return format }
    let keys = try cursor.firstElement()?.keys ?? []
    return keys.contains("parentmessageid") || keys.contains("iscreatedbyuser")
      ? LibreChatFormat() : PlainFormat()
  }
}

/// What an element of an array is, told by its keys.
struct ElementKind {
  /// The keys in their plain form, up to the first one that tells.
  var keys: Set<String>
  /// The format of a conversation. Nil when the element is none.
  var conversation: ImportFormat?
  /// An array of messages.
  var isArray = false

  private static let messageKeys: Set = [
    "role", "content", "text", "from", "value", "body", "message", "sender", "chatid", "conversationid",
    "iscreatedbyuser",
    "timestamp", "status", "author",
  ]

  /// Whether the element has what only a message has, before it has a conversation.
  fileprivate var isTurn: Bool {
    !keys.isDisjoint(with: ["role", "from", "content", "value", "text", "body"])
  }

  /// Whether the element may be a message.
  var isMessage: Bool { conversation == nil && !isArray && !keys.isDisjoint(with: Self.messageKeys) }
}

extension JSONCursor {
  private static let mostKeys = 200

  /// Whether the array or object at the cursor has nothing in it.
  func isEmptyInside() throws -> Bool {
    var cursor = self
    cursor.step()
    let next = try cursor.peekValue()
    return next == .closeArray || next == .closeObject
  }

  /// Whether the messages at the cursor are none. A tree of nodes without messages must not hide a list beside it.
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

  /// The form of the messages in the array at the cursor, if it is a messenger's, told by the first of them.
  func messengerFormat() throws -> (any ConversationFormat)? {
    let keys = try firstElement()?.keys ?? []
    if FacebookFormat.isFirst(keys) { return FacebookFormat() }
    return ElementFormat.isFirst(keys) ? ElementFormat() : nil
  }

  /// Whether the array at the cursor has an object, and not only IDs.
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

  /// What the first element of the array at the cursor is. Nil when it is no object and no array, or damaged.
  ///
  /// - Parameter level: how far inside of other elements it lies.
  func firstElement(_ level: Int = 0) throws -> ElementKind? {
    var cursor = self
    do {
      guard try cursor.peekValue() == .openArray else { return nil }
      cursor.step()
      guard try cursor.nextElement(isFirst: true) else { return nil }
      return try cursor.elementKind(level)
    } catch is JSONDamage { return nil }
  }

  /// What the value at the cursor is. A message far inside is no conversation, so that no nesting makes this long.
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
      // The keys before the damage tell.
    }
    return kind
  }

  /// The format of the conversation whose messages stand under a key.
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

  /// The format of the conversations under a key of an object. Nil when there are none: only `conversations` may be empty,
  /// or begin with an element that is not known. A conversation without messages looks like a message when it has a
  /// `status`, so that the elements behind it tell.
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

  /// Whether one of the first elements of the array at the cursor is a conversation. A turn stays a turn, whatever is inside
  /// of it.
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

  /// Whether the object at the cursor has conversations, and is not one itself.
  func hasConversations() throws -> Bool { try containerFormat() != nil }

  /// The format of the conversations that the object at the cursor has. Nil when it has none. Throws ``JSONDamage`` when
  /// damage stands before them.
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
