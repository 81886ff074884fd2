import HoldfastTesting

/// The damage to a file between the app that wrote it and the import.
struct Damage {
  private(set) var dice: SeededRandom

  init(seed: UInt64) { dice = SeededRandom(seed: seed &* 0x2545_F491_4F6C_DD1D &+ 1) }

  /// A number from 1 on.
  mutating func number(upTo most: Int) -> Int { Int.random(in: 1...most, using: &dice) }

  // MARK: Of the structure

  private static let names = [
    "messages", "conversations", "chats", "mapping", "chat_messages", "chat", "history", "id", "role",
    "content",
    "text", "message", "parent", "children", "parentMessageId", "timestamp", "createdAt", "draftInput",
    "drafts",
    "conversationId", "status", "isCreatedByUser", "turns", "sessions", "Messages", "log", "from", "value",
    "x",
  ]

  /// Corrupts one value somewhere in the file: it is removed, duplicated, moved, or gets another type or name.
  mutating func spoil(_ file: [Shape]) -> [Shape] {
    let whole = Shape.list(file)
    let count = whole.count
    guard count > 1 else { return file }
    let donor = whole.at(Int.random(in: 1..<count, using: &dice))
    let target = Int.random(in: 1..<count, using: &dice)
    let act = Int.random(in: 0...9, using: &dice)
    return whole.changing(at: target) { spoil($0, act, donor) }.list ?? file
  }

  private mutating func spoil(_ value: Shape, _ act: Int, _ donor: Shape) -> Shape {
    switch act {
    case 0: without(value)
    case 1: doubled(value)
    case 2: other(value)
    case 3, 4: renamed(value)
    case 5: donor
    case 6: circled(value)
    case 7: nested(value)
    case 8: shuffled(value)
    default: inserted(donor, into: value)
    }
  }

  private mutating func without(_ value: Shape) -> Shape {
    change(value) { (values: inout [Shape], index) in
      values.remove(at: index)
    } fields: { fields, index in
      fields.remove(at: index)
    }
  }

  private mutating func doubled(_ value: Shape) -> Shape {
    change(value) { (values: inout [Shape], index) in
      values.append(values[index])
    } fields: { fields, index in
      fields.append(fields[index])
    }
  }

  private mutating func inserted(_ donor: Shape, into value: Shape) -> Shape {
    change(value) { (values: inout [Shape], index) in
      values.insert(donor, at: index)
    } fields: { fields, index in
      fields[index].value = donor
    }
  }

  private mutating func change(
    _ value: Shape, _ list: (inout [Shape], Int) -> Void, fields change: (inout [Shape.Field], Int) -> Void
  ) -> Shape {
    switch value {
    case .list(var values) where !values.isEmpty:
      list(&values, Int.random(in: values.indices, using: &dice))
      return .list(values)
    case .fields(var fields) where !fields.isEmpty:
      change(&fields, Int.random(in: fields.indices, using: &dice))
      return .fields(fields)
    default: return other(value)
    }
  }

  private mutating func other(_ value: Shape) -> Shape {
    dice.pick([
      .null, .plain("true"), .plain("7"), .plain("-1.5e3"), "text", "", [], [:], ["x"], [value], ["x": value],
      [.null, value],
      ["text": value],
    ]) ?? .null
  }

  private mutating func renamed(_ value: Shape) -> Shape {
    let name = dice.pick(Self.names) ?? "x"
    return change(value) { (_: inout [Shape], _) in
    } fields: { fields, index in
      fields[index].name = name
    }
  }

  /// Messages that reply to each other in a circle, or to themselves.
  private mutating func circled(_ value: Shape) -> Shape {
    let messages = value.inside.compactMap(\.fields)
    let ids = messages.compactMap { $0.first { Self.ids.contains($0.name) }?.value }
    guard !ids.isEmpty else { return renamed(value) }
    return value.mapping { message in
      guard let fields = message.fields else { return message }
      return .fields(
        fields.map { field in
          Self.parents.contains(field.name) ? .init(name: field.name, value: dice.pick(ids) ?? .null) : field
        })
    }
  }

  private static let ids: Set = ["id", "uuid", "messageId"]
  private static let parents: Set = ["parent", "parentId", "parent_message_uuid", "parentMessageId"]

  private mutating func nested(_ value: Shape) -> Shape {
    let name = dice.pick(Self.names) ?? "x"
    let (isObject, isList) = (dice.chance(0.8), dice.chance(0.6))
    return (0..<(dice.pick([2, 3, 9, 20, 31, 32, 33, 63, 64, 65, 300]) ?? 3)).reduce(value) { value, _ in
      let inner: Shape = isList || !isObject ? [value] : value
      return isObject ? .fields([.init(name: name, value: inner)]) : inner
    }
  }

  private mutating func shuffled(_ value: Shape) -> Shape {
    switch value {
    case .list(let values): .list(values.shuffled(using: &dice))
    case .fields(let fields): .fields(fields.shuffled(using: &dice))
    default: other(value)
    }
  }

  // MARK: Of the bytes

  /// Corrupts bytes: one changes, some are removed, inserted or duplicated, or the end is lost.
  ///
  /// Some files begin nested objects that never end.
  mutating func spoil(_ bytes: [UInt8]) -> [UInt8] {
    guard !bytes.isEmpty else { return bytes }
    var bytes = bytes
    let at = Int.random(in: bytes.indices, using: &dice)
    let end = min(bytes.count, at + Int.random(in: 1...40, using: &dice))
    switch Int.random(in: 0...28, using: &dice) / 4 {
    case 7: bytes.insert(contentsOf: tower(), at: at)
    case 0: bytes[at] ^= 1 << UInt8.random(in: 0...7, using: &dice)
    case 1: bytes[at] = dice.pick(Array(#"{}[]",:\0tn"#.utf8)) ?? 0
    case 2: bytes.removeSubrange(at..<end)
    case 3: bytes.insert(contentsOf: noise(), at: at)
    case 4: bytes.removeSubrange(at...)
    case 5: bytes.insert(contentsOf: bytes[at..<end], at: Int.random(in: bytes.indices, using: &dice))
    default: bytes[at] = UInt8.random(in: .min ... .max, using: &dice)
    }
    return bytes
  }

  private mutating func tower() -> [UInt8] {
    let part = "{\"\(dice.pick(Self.names) ?? "x")\":" + (dice.chance(0.5) ? "[" : "")
    return Array(String(repeating: part, count: dice.pick([2, 30, 70, 500, 2_000]) ?? 2).utf8)
  }

  private mutating func noise() -> [UInt8] {
    (0..<Int.random(in: 1...9, using: &dice)).map { _ in
      dice.chance(0.5)
        ? dice.pick(Array(#"{}[]",:\u0 "#.utf8)) ?? 0 : UInt8.random(in: .min ... .max, using: &dice)
    }
  }
}

extension Shape {
  /// The number of nested values, including itself.
  fileprivate var count: Int { inside.reduce(1) { $0 + $1.count } }

  /// The value at a place, counted from outside in.
  fileprivate func at(_ place: Int) -> Shape {
    var rest = place
    return find(&rest) ?? self
  }

  private func find(_ rest: inout Int) -> Shape? {
    if rest == 0 { return self }
    rest -= 1
    for value in inside {
      if let found = value.find(&rest) { return found }
    }
    return nil
  }

  fileprivate func changing(at place: Int, _ change: (Shape) -> Shape) -> Shape {
    var rest = place
    return changing(&rest, change)
  }

  private func changing(_ rest: inout Int, _ change: (Shape) -> Shape) -> Shape {
    rest -= 1
    if rest == -1 { return change(self) }
    guard rest >= 0 else { return self }
    return mapping { $0.changing(&rest, change) }
  }

  fileprivate func mapping(_ change: (Shape) -> Shape) -> Shape {
    switch self {
    case .list(let values): .list(values.map(change))
    case .fields(let fields): .fields(fields.map { Field(name: $0.name, value: change($0.value)) })
    default: self
    }
  }
}
