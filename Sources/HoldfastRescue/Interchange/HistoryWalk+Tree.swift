import Foundation
import HoldfastCore

/// Conversations with branches (rule H13): the shown branch becomes the conversation, and the other messages stay in
/// the metadata of the message beside them.
extension HistoryWalk {
  /// A message that is about to be reported, and the text of the unshown messages beside it.
  private struct Shown {
    var entry: HistoryEntry
    var place: ImportPlace
    var bytes: Int
    var unshown: [JSONValue] = []
    var unshownPlaces: [ImportPlace] = []
    /// The bytes left in the metadata for unshown messages. Nil before the first one.
    var room: Int?
  }

  /// The maximum depth of a conversation. A deeper one is damaged or hostile.
  private static var deepestChildren: Int { 2_000 }

  /// Reads the messages from the bracket of their array or object, and reports the shown ones.
  mutating func tree(_ found: ConversationPlaces.Found, upTo leaf: String?) throws {
    var nodes: [MessageTree.Node] = []
    do { try index(found.form, into: &nodes) } catch let damage as JSONDamage {
      search.note(from: found.offset, to: cursor.offset)
      try report(damage, at: cursor.offset)
    }
    var (last, waiting): (Shown?, [Shown]) = (nil, [])
    for (node, beside) in MessageTree(nodes).shown(upTo: leaf) {
      if let shown = try self.shown(found.form, node) {
        if shown.entry.isHidden {
          waiting.append(shown)
        } else {
          try emit(last)
          last = shown
          for other in waiting { try add(other, to: &last) }
          waiting = []
        }
      }
      for node in beside {
        guard let other = try shown(found.form, node) else { continue }
        if last == nil { waiting.append(other) } else { try add(other, to: &last) }
      }
    }
    for other in waiting { try add(other, to: &last) }
    try emit(last)
  }

  private func emit(_ shown: Shown?) throws {
    guard var shown else { return }
    if !shown.unshown.isEmpty, var metadata = EntryMetadata(shown.entry.message.content.metadata) {
      metadata.set("unshown", .array(shown.unshown))
      shown.entry.message.content.metadata = metadata.data
    }
    try visit(.message(shown.entry, shown.place, bytes: shown.bytes))
    for place in shown.unshownPlaces { try visit(.unshown(place)) }
  }

  /// Puts an unshown message into the metadata of a shown one, if it fits.
  private func add(_ other: Shown, to last: inout Shown?) throws {
    let content = other.entry.message.content
    guard !content.text.isEmpty || content.reasoning != nil else { return try visit(.unshown(other.place)) }
    // Each value is encoded once, regardless of the number beside one message.
    let value = Self.value(of: other.entry)
    let room = last.map { shown in shown.room ?? Self.room(beside: shown.entry) } ?? 0
    guard let bytes = value.data?.count, last != nil, bytes < room else {
      last?.room = room
      return try visit(.problem(.branchLeftOut, other.place, isEntry: true))
    }
    last?.room = room - bytes - 1
    last?.unshown.append(value)
    last?.unshownPlaces.append(other.place)
  }

  /// The bytes left in a message's metadata for a list. Each value in it takes its own size and a comma.
  private static func room(beside entry: HistoryEntry) -> Int {
    guard var metadata = EntryMetadata(entry.message.content.metadata), metadata.set("unshown", .array([]))
    else {
      return 0
    }
    return MessageContent.maximumMetadataBytes - (metadata.data?.count ?? 0) + 1
  }

  private static func value(of entry: HistoryEntry) -> JSONValue {
    var fields: [String: JSONValue] = [
      "role": .text(entry.message.role.rawValue), "content": .text(entry.message.content.text),
    ]
    if let id = entry.message.id { fields["id"] = .text(id) }
    if let reasoning = entry.message.content.reasoning { fields["reasoning"] = .text(reasoning) }
    if let date = entry.message.createdAt { fields["timestamp"] = .text(InterchangeDate.text(date)) }
    return .object(fields)
  }

  /// Reads one message again. Nil when there is no message, or it cannot be read: the reason has been reported.
  private mutating func shown(_ form: any ConversationFormat, _ node: MessageTree.Node) throws -> Shown? {
    let place = place(at: node.offset, message: node.number)
    cursor.move(to: node.offset)
    guard let value = try nodeValue(node, place) else { return nil }
    guard let entry = try reporting(place, { reading in try form.entry(value, reading) }), let entry else {
      return nil
    }
    return Shown(entry: entry, place: place, bytes: Int(cursor.offset - node.offset))
  }

  private mutating func nodeValue(_ node: MessageTree.Node, _ place: ImportPlace) throws -> JSONValue? {
    do {
      let (value, problem) = try cursor.shallowValue(atMost: Self.largestMessage) { cursor in
        // Children that were passed before are not passed again.
        if let children = node.children, cursor.offset == children.lowerBound {
          cursor.move(to: children.upperBound)
        } else {
          try cursor.skip()
        }
      }
      if let problem { throw problem }
      return value
    } catch let damage as JSONDamage {
      try visit(.problem(.init(damage), place, isEntry: true))
      return nil
    }
  }

  /// A list of messages that is being passed: that of the conversation, or the `children` of a message.
  private struct NodeList {
    var isArray: Bool
    var begin: Int64
    /// The offset to continue from, after the message that contains the list.
    var end: Int64 = 0
    /// The message that contains the list, and its ID.
    var owner: Int?
    var parent: String?
    var isFirst = true
    /// The key of the present message. Nil in an array.
    var key: String?
  }

  /// Records the offsets of the messages and their parents. The cursor is at the bracket. It does not recurse,
  /// because each answer may be nested in the message that it answers.
  private mutating func index(
    _ form: any ConversationFormat, into nodes: inout [MessageTree.Node]
  ) throws {
    var lists = [try enter()]
    while var list = lists.popLast() {
      guard try moveToNode(of: &list) else {
        leave(list, &nodes)
        continue
      }
      lists.append(list)
      if let children = try indexNode(form, list, lists.count, into: &nodes) { lists.append(children) }
    }
  }

  private mutating func enter() throws -> NodeList {
    let list = NodeList(isArray: try cursor.peekValue() == .openArray, begin: cursor.offset)
    cursor.step()
    return list
  }

  private mutating func leave(_ list: NodeList, _ nodes: inout [MessageTree.Node]) {
    guard let owner = list.owner else { return }
    nodes[owner].children = list.begin..<cursor.offset
    cursor.move(to: list.end)
  }

  private mutating func moveToNode(of list: inout NodeList) throws -> Bool {
    defer { list.isFirst = false }
    if list.isArray {
      guard try cursor.nextElement(isFirst: list.isFirst) else { return false }
    } else {
      list.key = try cursor.nextKey(isFirst: list.isFirst, atMost: 1024)
      if list.key == nil { return false }
    }
    _ = try cursor.peekValue()
    return true
  }

  /// Returns the messages nested in this one. Nil when there are none.
  private mutating func indexNode(
    _ form: any ConversationFormat, _ list: NodeList, _ depth: Int, into nodes: inout [MessageTree.Node]
  ) throws -> NodeList? {
    let (begin, number) = (cursor.offset, nodes.count)
    var node = MessageTree.Node(link: nil, offset: begin, number: number)
    var children: [Int64] = []
    do {
      // An incomplete value is reported when the message is read.
      let (value, _) = try cursor.shallowValue(atMost: Self.largestMessage) { cursor in
        children.append(cursor.offset)
        try cursor.skip()
      }
      node.link = form.link(value, key: list.key)
      if node.link?.parent == nil { node.date = try form.date(value, reading) }
    } catch let damage as JSONDamage {
      // Neither the message nor its end can be read.
      try visit(.problem(.init(damage), place(at: begin, message: number), isEntry: true))
      throw damage
    }
    if node.link?.parent == nil, let parent = list.parent { node.link?.parent = parent }
    nodes.append(node)
    let end = cursor.offset
    guard let at = try children.first(where: { try hasMessages(at: $0) }) else {
      cursor.move(to: end)
      return nil
    }
    guard depth <= Self.deepestChildren else {
      cursor.move(to: end)
      try visit(.problem(.tooDeep, place(at: at, message: number), isEntry: true))
      return nil
    }
    cursor.move(to: at)
    var inner = try enter()
    (inner.end, inner.owner, inner.parent) = (end, number, node.link?.id)
    return inner
  }

  /// Whether the array at an offset contains messages, and not only their IDs.
  private mutating func hasMessages(at offset: Int64) throws -> Bool {
    cursor.move(to: offset)
    return try cursor.peekValue() == .openArray && cursor.hasObjectInside()
  }
}

extension JSONCursor {
  /// Cuts out a value without its `children`, if it is an object. The cursor moves past it.
  ///
  /// - Parameter pass: moves past the children. The cursor is at their first byte.
  /// - Returns: the value, and the reason why it is incomplete.
  mutating func shallowValue(
    atMost limit: Int, passingChildren pass: (inout JSONCursor) throws -> Void
  ) throws -> (value: JSONValue, problem: JSONDamage?) {
    guard try peekValue() == .openObject else { return try field(atMost: limit) }
    step()
    var (isFirst, rest) = (true, limit)
    var (fields, problem): ([String: JSONValue], JSONDamage?) = ([:], nil)
    while let key = try nextKey(isFirst: isFirst, atMost: 1024) {
      isFirst = false
      if key == "children" {
        _ = try peekValue()
        try pass(&self)
        continue
      }
      let begin = offset
      let (value, damage) = try field(atMost: max(0, rest))
      rest -= Int(offset - begin)
      fields[key] = value
      problem = problem ?? damage
    }
    return (.object(fields), problem)
  }

  /// Cuts out a value. Null when it cannot be read, but its end is known.
  private mutating func field(atMost limit: Int) throws -> (value: JSONValue, problem: JSONDamage?) {
    let data: Data
    do { data = try cut(atMost: limit) } catch let damage as JSONDamage
      where damage == .tooLarge || damage == .tooDeep
    { return (.null, damage) }
    do { return (try JSONValue(data), nil) } catch { return (.null, error) }
  }
}
