import HoldfastRescue

/// The number of the entries of a file, counted by their shape, independently of the importer.
struct EntryCount {
  /// The least and the most entries of one conversation, in the order of the file.
  private(set) var conversations: [ClosedRange<Int>] = []
  private(set) var drafts = 0
  /// Whether lines are of several kinds. The contents of a line of another kind may be counted one by one, or as one
  /// entry that is left out.
  private(set) var isMixed = false

  /// Whether a name for conversations has an unrecognizable value. It has no entries, and must be reported.
  private(set) var hasUnread = false

  private static let lists: Set = [
    "conversations", "chats", "threads", "sessions", "history", "data", "items",
  ]
  private static let turns: Set = ["conversations", "conversation", "turns"]
  private static let logs: Set = [
    "chat", "history", "messagelist", "chathistory", "dialog", "dialogue", "log",
  ]
  private static let messageNames: Set = [
    "role", "content", "text", "from", "value", "body", "message", "sender", "chatid", "conversationid",
    "iscreatedbyuser", "timestamp", "status", "author",
  ]
  /// If an object has one of these fields twice, its readers may disagree about its meaning.
  static let placeNames = lists.union(turns).union(logs).union([
    "messages", "mapping", "chatmessages", "children", "message", "drafts", "role", "content", "text",
    "parentmessageid",
    "iscreatedbyuser",
  ])

  /// - Parameter format: the format that the importer detected.
  init(_ file: [Shape], _ format: ImportFormat) {
    isMixed = file.count > 1 && file.first?.list != nil && !file.allSatisfy(Self.isFlat)
    switch format {
    case .singleDraft: drafts = 1
    case .draftsByProject: drafts = file.reduce(0) { $0 + ($1.fields?.count ?? 1) }
    case .queue: conversations = file.flatMap { $0.list ?? [$0] }.map { _ in 1...1 }
    default: for value in file { take(value) }
    }
  }

  private mutating func take(_ value: Shape) {
    switch value {
    case .list(let values):
      if values.first.map(Self.isMessage) == true { return takeMessages(values) }
      for value in values { conversations.append(Self.entries(ofConversation: value)) }
    case .fields(let fields) where Self.isContainer(fields):
      for field in fields { takeList(field) }
    default: conversations.append(Self.entries(ofConversation: value))
    }
  }

  /// A list whose first element is a message is one conversation, or the messages of several. An importer may take
  /// the others for conversations, and leave out those that are not.
  private mutating func takeMessages(_ values: [Shape]) {
    let most = values.reduce(0) { $0 + max(1, Self.entries(ofConversation: $1).upperBound) }
    let isMixed = values.contains { $0.list != nil || Self.isConversation($0) }
    let least = values.reduce(0) { $0 + min(1, Self.entries(ofConversation: $1).lowerBound) }
    conversations.append(isMixed ? least...most : values.count...values.count)
  }

  private mutating func takeList(_ field: Shape.Field) {
    let (name, list) = (Shape.spelled(field.name), field.value.list)
    if name == "drafts" { drafts += list?.count ?? 0 }
    guard Self.lists.contains(name) else { return }
    guard Self.hasConversations(field) || name == "conversations" && list != nil else {
      return hasUnread = hasUnread || !field.value.inside.isEmpty
    }
    for value in field.value.inside { conversations.append(Self.entries(ofConversation: value)) }
  }

  /// The first recognized field decides: conversations, or the messages of one.
  private static func isContainer(_ fields: [Shape.Field]) -> Bool {
    for field in fields {
      let name = Shape.spelled(field.name)
      if name == "drafts" && field.value.list != nil || hasConversations(field) { return true }
      if ["messages", "mapping", "chatmessages"].contains(name) { return false }
    }
    return false
  }

  /// A list under another name than `conversations` is recognized by its first element. `conversations` may contain
  /// an object, nothing, unknown values, or turns. They are not turns if a conversation is among them.
  private static func hasConversations(_ field: Shape.Field) -> Bool {
    let name = Shape.spelled(field.name)
    guard lists.contains(name) else { return false }
    guard let list = field.value.list else { return name == "conversations" && field.value.fields != nil }
    if list.first.map(isDistinctive) == true { return true }
    return name == "conversations"
      && (list.first.map(isMessage) != true || list.contains { isDistinctive($0) && !isTurn($0) })
  }

  /// Whether an object has a field that only conversations have.
  private static func isDistinctive(_ value: Shape) -> Bool {
    value.fields?.contains(where: isDistinctive) == true
  }

  private static func isDistinctive(_ field: Shape.Field) -> Bool {
    switch Shape.spelled(field.name) {
    case "mapping", "chat", "history": field.value.fields != nil
    case "chatmessages": field.value.list != nil
    case "messages": field.value.list != nil || field.value.fields != nil
    case "conversations", "conversation": field.value.list?.first.map(isMessage) == true
    default: false
    }
  }

  /// A turn begins with its speaker or its text.
  private static func isTurn(_ value: Shape) -> Bool {
    value.fields?.prefix { !isDistinctive($0) }.contains {
      ["role", "from", "content", "value", "text", "body"].contains(Shape.spelled($0.name))
    } == true
  }

  private static func isConversation(_ value: Shape) -> Bool { !places(of: value).isEmpty }

  private static func isMessage(_ value: Shape) -> Bool {
    guard let fields = value.fields else { return false }
    return !isDistinctive(value) && fields.contains { messageNames.contains(Shape.spelled($0.name)) }
  }

  private static func isFlat(_ value: Shape) -> Bool {
    value.list?.allSatisfy { $0.list == nil && !isConversation($0) } == true
  }

  // MARK: One conversation

  /// A conversation without messages, or an invalid one, is one entry: it is left out as a whole. A conversation
  /// with an explicit null has no entries.
  private static func entries(ofConversation value: Shape) -> ClosedRange<Int> {
    if let messages = value.list { return messages.count...messages.count }
    let places = places(of: value)
    guard !places.isEmpty else { return (saysNone(value) ? 0 : 1)...1 }
    // A list beside a tree repeats the shown messages.
    let hasTree = places.contains { $0.rank == 4 && $0.entries > 0 }
    let all = places.filter { !hasTree || $0.rank == 4 || $0.rank == 1 }.reduce(0) { $0 + $1.entries }
    return all...all
  }

  private static func saysNone(_ conversation: Shape) -> Bool {
    conversation.fields?.contains { Shape.spelled($0.name) == "messages" && $0.value.isNull } == true
  }

  private struct Place {
    /// A tree is better than a list of the shown messages.
    var rank: Int
    var entries: Int
  }

  private static func places(of conversation: Shape) -> [Place] {
    (conversation.fields ?? []).flatMap { field -> [Place] in
      let name = Shape.spelled(field.name)
      if field.value.fields != nil {
        if name == "mapping" { return [Place(rank: 4, entries: tree(field.value, isEntry: hasMessage))] }
        if name == "messages" { return [Place(rank: 4, entries: tree(field.value))] }
        return name == "chat" || name == "history" ? places(of: field.value) : []
      }
      return field.value.list.flatMap { place(name, $0, field.value) }.map { [$0] } ?? []
    }
  }

  private static func place(_ name: String, _ list: [Shape], _ value: Shape) -> Place? {
    if name == "chatmessages" { return Place(rank: 3, entries: tree(value)) }
    if name == "messages" {
      let names = (list.first?.fields ?? []).map { Shape.spelled($0.name) }
      let isTree = names.contains("parentmessageid") || names.contains("iscreatedbyuser")
      return isTree ? Place(rank: 3, entries: tree(value)) : Place(rank: 2, entries: list.count)
    }
    if turns.contains(name) { return Place(rank: 1, entries: list.count) }
    return logs.contains(name) && list.first.map(isMessage) == true
      ? Place(rank: 2, entries: list.count) : nil
  }

  /// Whether a node of a mapping has a message, or is one.
  private static func hasMessage(_ node: Shape) -> Bool {
    ["message", "role", "content"].contains { node[$0] != nil }
  }

  /// The messages of a tree, and those nested in the `children` of others. A node that is not an object is an
  /// unreadable entry.
  private static func tree(_ value: Shape, isEntry: (Shape) -> Bool = { _ in true }) -> Int {
    value.inside.reduce(0) { count, node in
      let children = (node.fields ?? []).filter { $0.name == "children" }.compactMap(\.value.list)
      let nested = children.filter { $0.contains { $0.fields != nil } }
      return count + (node.fields == nil || isEntry(node) ? 1 : 0)
        + nested.reduce(0) { $0 + tree(.list($1), isEntry: isEntry) }
    }
  }
}
