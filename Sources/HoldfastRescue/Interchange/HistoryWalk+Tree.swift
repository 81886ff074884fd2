import Foundation
import HoldfastCore

/// Conversations with branches (SPEC H13): what was shown becomes the conversation, and what was not stays in the
/// metadata of the message beside it.
extension HistoryWalk {
  /// A message that is about to be reported, and the text of those that were not shown beside it.
  private struct Shown {
    var entry: HistoryEntry
    var place: ImportPlace
    var bytes: Int
    var unshown: [JSONValue] = []
    var unshownPlaces: [ImportPlace] = []
  }

  /// A conversation that is nested deeper is damaged, or hostile.
  private static var deepestChildren: Int { 2_000 }

  /// Reads the messages from the bracket of their array or object, and reports those that were shown.
  mutating func tree(_ found: ConversationPlaces.Found, upTo leaf: String?) throws {
    var nodes: [MessageTree.Node] = []
    do { try index(found.form, nil, 0, into: &nodes) } catch let damage as JSONDamage {
      try report(damage, at: cursor.offset)
    }
    var (last, waiting): (Shown?, [Shown]) = (nil, [])
    for (node, beside) in MessageTree(nodes).shown(upTo: leaf) {
      if let shown = try self.shown(found.form, node) {
        if shown.entry.isHidden {
          waiting.append(shown)
        } else {
          try tell(last)
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
    try tell(last)
  }

  private func tell(_ shown: Shown?) throws {
    guard var shown else { return }
    if !shown.unshown.isEmpty, var metadata = EntryMetadata(shown.entry.message.content.metadata) {
      metadata.set("unshown", .array(shown.unshown))
      shown.entry.message.content.metadata = metadata.data
    }
    try visit(.message(shown.entry, shown.place, bytes: shown.bytes))
    for place in shown.unshownPlaces { try visit(.unshown(place)) }
  }

  /// Puts a message that was not shown into the metadata of one that was, if it fits.
  private func add(_ other: Shown, to last: inout Shown?) throws {
    let content = other.entry.message.content
    guard !content.text.isEmpty || content.reasoning != nil else { return try visit(.unshown(other.place)) }
    guard var shown = last else { return try visit(.problem(.branchLeftOut, other.place, isEntry: true)) }
    let values = shown.unshown + [Self.value(of: other.entry)]
    var metadata = EntryMetadata(shown.entry.message.content.metadata)
    guard metadata?.set("unshown", .array(values)) == true else {
      return try visit(.problem(.branchLeftOut, other.place, isEntry: true))
    }
    shown.unshown = values
    shown.unshownPlaces.append(other.place)
    last = shown
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

  /// Reads one message again. Nil when it has none, or cannot be read: the reason has been reported.
  private mutating func shown(_ form: any ConversationFormat, _ node: MessageTree.Node) throws -> Shown? {
    let place = place(at: node.offset, message: node.number)
    cursor.move(to: node.offset)
    guard let value = try nodeValue(node, place) else { return nil }
    guard let entry = try telling(place, { reading in try form.entry(value, reading) }), let entry else {
      return nil
    }
    return Shown(entry: entry, place: place, bytes: Int(cursor.offset - node.offset))
  }

  private mutating func nodeValue(_ node: MessageTree.Node, _ place: ImportPlace) throws -> JSONValue? {
    do {
      let (value, problem) = try cursor.shallowValue(atMost: Self.largestMessage) { cursor in
        // What was passed before is not passed again.
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

  /// Notes where the messages begin and what they answer. The cursor stands on the bracket.
  private mutating func index(
    _ form: any ConversationFormat, _ parent: String?, _ depth: Int, into nodes: inout [MessageTree.Node]
  ) throws {
    let isArray = try cursor.peekValue() == .openArray
    cursor.step()
    var isFirst = true
    while true {
      var key: String?
      if isArray {
        guard try cursor.nextElement(isFirst: isFirst) else { return }
      } else {
        key = try cursor.nextKey(isFirst: isFirst, atMost: 1024)
        if key == nil { return }
      }
      isFirst = false
      _ = try cursor.peekValue()
      try indexNode(form, key, parent, depth, into: &nodes)
    }
  }

  private mutating func indexNode(
    _ form: any ConversationFormat, _ key: String?, _ parent: String?, _ depth: Int,
    into nodes: inout [MessageTree.Node]
  ) throws {
    let (begin, number) = (cursor.offset, nodes.count)
    nodes.append(MessageTree.Node(link: nil, offset: begin, number: number))
    var children: [Int64] = []
    do {
      let (value, problem) = try cursor.shallowValue(atMost: Self.largestMessage) { cursor in
        children.append(cursor.offset)
        try cursor.skip()
      }
      nodes[number].link = form.link(value, key: key)
      // The reason is reported when the message is read.
      if problem != nil { return }
    } catch let damage as JSONDamage {
      // Nothing is known about the message, and its end is not either.
      nodes.removeLast()
      try visit(.problem(.init(damage), place(at: begin, message: number), isEntry: true))
      throw damage
    }
    if nodes[number].link?.parent == nil, let parent { nodes[number].link?.parent = parent }
    let end = cursor.offset
    guard let at = children.first, try hasMessages(at: at) else { return cursor.move(to: end) }
    guard depth < Self.deepestChildren else {
      try visit(.problem(.tooDeep, place(at: at, message: number), isEntry: true))
      return cursor.move(to: end)
    }
    cursor.move(to: at)
    try index(form, nodes[number].link?.id, depth + 1, into: &nodes)
    nodes[number].children = at..<cursor.offset
    cursor.move(to: end)
  }

  /// Whether the array at an offset has messages, and not their IDs.
  private mutating func hasMessages(at offset: Int64) throws -> Bool {
    cursor.move(to: offset)
    guard try cursor.peekValue() == .openArray else { return false }
    cursor.step()
    return try cursor.nextElement(isFirst: true) && cursor.peekValue() == .openObject
  }
}

extension JSONCursor {
  /// Cuts out a value without its `children`, if it is an object. The cursor comes behind it.
  ///
  /// - Parameter pass: moves behind the children. The cursor stands on their first byte.
  /// - Returns: the value, and the reason why it is not whole.
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

  /// Cuts out a value. Null when it cannot be read, and its end is known.
  private mutating func field(atMost limit: Int) throws -> (value: JSONValue, problem: JSONDamage?) {
    let data: Data
    do { data = try cut(atMost: limit) } catch let damage as JSONDamage
      where damage == .tooLarge || damage == .tooDeep
    { return (.null, damage) }
    do { return (try JSONValue(data), nil) } catch { return (.null, error) }
  }
}
