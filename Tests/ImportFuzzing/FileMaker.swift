import HoldfastTesting

/// Makes well-formed files of each form, with the unusual values that apps write.
struct FileMaker {
  private var dice: SeededRandom
  private let seed: UInt64

  init(seed: UInt64) { (self.seed, dice) = (seed, SeededRandom(seed: seed)) }

  /// The values of a file. All forms but lines have one.
  mutating func file(_ form: FileForm) -> [Shape] {
    switch form {
    case .history: [history()]
    case .queue: [.list(some(0...8) { $0.queued() })]
    case .messages: [.list(some(0...8) { $0.flat() })]
    case .openAI: [openAI()]
    case .lines: lines()
    case .chatGPT: [.list(some(1...3) { $0.chatGPT() })]
    case .claude: [.list(some(1...3) { $0.claude() })]
    case .openWebUI: [.list(some(1...3) { $0.openWebUI() })]
    case .libreChat: [libreChat()]
    case .nestedLibreChat: [nestedLibreChat()]
    case .shareGPT: [.list(some(1...4) { $0.shareGPT() })]
    case .singleDraft: [singleDraft()]
    case .draftsByProject: [draftsByProject()]
    }
  }

  // MARK: Forms

  private mutating func history() -> Shape {
    var file: [Shape.Field] = [
      Shape.Field(name: "conversations", value: .list(some(0...4) { $0.conversation() }))
    ]
    if dice.chance(0.4) { file.insert(.init(name: "activeConversationID", value: id("c")), at: 0) }
    if dice.chance(0.3) {
      file.append(.init(name: "drafts", value: .list(some(0...3) { $0.exportedDraft() })))
    }
    if dice.chance(0.2) { file.append(.init(name: "version", value: .number(3))) }
    return .fields(file)
  }

  private mutating func conversation() -> Shape {
    with(
      ["messages": .list(some(0...7) { $0.message() })],
      often: [("id", id("c")), ("title", words()), ("createdAt", date()), ("updatedAt", date())],
      seldom: [("members", ["alice", "bob"]), ("titleIsCustom", .plain("true")), ("lastMessageAt", date())])
  }

  private mutating func message() -> Shape {
    with(
      ["role": role(), "content": content()],
      often: [("id", id("m")), ("timestamp", date())],
      seldom: [
        ("status", status()), ("reasoning", words()), ("images", ["i.png"]), ("order", .number(roll(0...99))),
        ("sender", id("u")), ("editedAt", date()), ("deletedAt", date()), ("replyTo", id("m")),
        ("attachments", .list(some(0...2) { $0.file() })), ("readBy", ["bob"]),
        ("revision", .number(roll(0...3))),
        ("tool_calls", [["id": "t", "type": "function"]]), ("metadata", ["a": words()]),
        ("error", .plain("true")),
      ])
  }

  private mutating func queued() -> Shape {
    with(
      ["text": content()],
      often: [
        ("id", id("m")), ("chatID", id("c")), ("timestamp", date()), ("retryCount", .number(roll(0...5))),
      ],
      seldom: [("status", status()), ("attachments", .list(some(0...2) { $0.file() })), ("localId", id("l"))])
  }

  private mutating func flat() -> Shape {
    with(
      ["content": content()],
      often: [("conversationId", id("c")), ("role", role()), ("id", id("m")), ("createdAt", date())],
      seldom: [
        ("status", status()), ("sender", id("u")), ("fromMe", pick([.plain("true"), .plain("false")])),
        ("sent", pick([.plain("true"), .plain("false"), .plain("1")])), ("isDeleted", .plain("true")),
      ])
  }

  private mutating func openAI() -> Shape {
    let list = Shape.list(some(1...7) { $0.turn() })
    return pick([
      list, ["messages": list], ["model": "m", "messages": list], [["messages": list], ["messages": list]],
      [list, list],
    ])
  }

  private mutating func turn() -> Shape {
    with(
      ["role": role(), "content": content()], often: [],
      seldom: [("name", "x"), ("tool_calls", [["id": "t"]])])
  }

  private mutating func lines() -> [Shape] {
    dice.chance(0.2) ? some(1...4) { .list($0.some(1...3) { $0.flat() }) } : some(1...5) { $0.line() }
  }

  private mutating func line() -> Shape {
    switch roll(0...4) {
    case 0: .list(some(1...3) { $0.turn() })
    case 1: conversation()
    case 2: shareGPT()
    default: ["messages": .list(some(1...4) { $0.turn() })]
    }
  }

  private mutating func chatGPT() -> Shape {
    let ids = (0..<roll(1...8)).map { "n\(seed)-\($0)" }
    let nodes = ids.indices.map { index in
      Shape.Field(name: ids[index], value: node(index, ids))
    }
    return with(
      ["mapping": .fields(nodes)],
      often: [
        ("title", words()), ("create_time", date()), ("current_node", pick(ids.map(Shape.words))),
        ("id", id("c")),
      ],
      seldom: [("update_time", date()), ("conversation_id", id("c"))])
  }

  private mutating func node(_ index: Int, _ ids: [String]) -> Shape {
    let parent: Shape = index == 0 ? .null : .words(ids[dice.chance(0.7) ? index - 1 : roll(0...index - 1)])
    return [
      "id": .words(ids[index]), "parent": parent,
      "children": .list(ids.dropFirst(index + 1).prefix(1).map(Shape.words)),
      "message": index == 0 && dice.chance(0.8) ? .null : chatGPTMessage(),
    ]
  }

  private mutating func chatGPTMessage() -> Shape {
    let parts = Shape.list(some(0...2) { $0.part() })
    let content: Shape = pick([
      ["content_type": "text", "parts": parts],
      ["content_type": "thoughts", "thoughts": [["summary": "s", "content": "t"]]],
      ["content_type": "multimodal_text", "parts": parts], ["content_type": "code", "text": "let x = 1"],
    ])
    return with(
      ["author": ["role": role()], "content": content],
      often: [("id", id("m")), ("create_time", date()), ("status", "finished_successfully")],
      seldom: [
        ("metadata", ["is_visually_hidden_from_conversation": .plain("true")]),
        ("metadata", ["model_slug": "m", "attachments": [["name": "a.pdf"]]]), ("status", status()),
      ])
  }

  private mutating func claude() -> Shape {
    let linked = dice.chance(0.6)
    let messages = (0..<roll(0...7)).map { index in
      with(
        ["sender": pick(["human", "assistant"]), "text": words()],
        often: [("created_at", date()), ("content", .list(some(0...2) { $0.part() }))],
        seldom: [
          ("attachments", [["file_name": "a.txt", "extracted_content": "x"]]),
          ("files", [["file_name": "b"]]),
        ]
      ).adding(linked ? ("uuid", .words("u\(seed)-\(index)")) : ("index", .number(index)))
        .adding(
          linked && index > 0
            ? ("parent_message_uuid", .words("u\(seed)-\(roll(0...index - 1))")) : ("x", .null))
    }
    return with(
      ["chat_messages": .list(messages)],
      often: [("uuid", id("c")), ("name", words()), ("created_at", date()), ("updated_at", date())],
      seldom: [])
  }

  private mutating func openWebUI() -> Shape {
    let count = roll(1...6)
    let messages = (0..<count).map { index in
      Shape.Field(
        name: "w\(index)",
        value: ([
          "id": .words("w\(index)"), "role": role(), "content": content(), "timestamp": date(),
          "parentId": index == 0 ? .null : .words("w\(roll(0...index - 1))"),
        ] as Shape).adding(dice.chance(0.3) ? ("done", .plain("false")) : ("childrenIds", [])))
    }
    let history: Shape = ["messages": .fields(messages), "currentId": .words("w\(roll(0...count - 1))")]
    let twin = Shape.list(messages.prefix(2).map(\.value))
    return with(
      ["chat": ["title": words(), "history": history, "messages": twin]], often: [("id", id("c"))],
      seldom: [("created_at", date())])
  }

  private mutating func libreChatMessage(_ index: Int, parent: Bool) -> Shape {
    with(
      [
        "messageId": .words("l\(seed)-\(index)"), "isCreatedByUser": pick([.plain("true"), .plain("false")]),
      ],
      often: [("text", words()), ("createdAt", date()), ("sender", pick(["User", "GPT"]))],
      seldom: [
        ("content", .list(some(0...2) { $0.part() })), ("unfinished", .plain("true")), ("_id", id("o")),
      ]
    ).adding(
      "parentMessageId",
      !parent
        ? .null
        : index == 0 ? "00000000-0000-0000-0000-000000000000" : .words("l\(seed)-\(roll(0...index - 1))"))
  }

  private mutating func libreChat() -> Shape {
    let messages = (0..<roll(1...7)).map { libreChatMessage($0, parent: true) }
    return with(
      ["conversationId": id("c"), "endpoint": "openAI", "messages": .list(messages)],
      often: [("title", words()), ("exportAt", date())], seldom: [("recursive", .plain("false"))])
  }

  private mutating func nestedLibreChat() -> Shape {
    var next = 0
    let roots = Shape.list(some(1...2) { $0.nested(&next, 0) })
    return ["conversationId": id("c"), "recursive": .plain("true"), "title": words(), "messages": roots]
  }

  private mutating func nested(_ next: inout Int, _ depth: Int) -> Shape {
    next += 1
    let message = libreChatMessage(next, parent: true)
    guard depth < 4, dice.chance(0.7) else { return message.adding(("children", [])) }
    return message.adding(("children", .list((0..<roll(1...2)).map { _ in nested(&next, depth + 1) })))
  }

  private mutating func shareGPT() -> Shape {
    let turns = some(1...5) { maker -> Shape in
      ["from": maker.pick(["human", "gpt", "system", "tool", "bing"]), "value": maker.words()]
    }
    return with(
      [dice.chance(0.5) ? "conversations" : "conversation": .list(turns)], often: [("id", id("c"))],
      seldom: [("title", words())])
  }

  private mutating func singleDraft() -> Shape {
    with(
      ["draftInput": words(), "draftInputSessionId": id("c")], often: [("draftInputTimestamp", date())],
      seldom: [("draftInputProjectPath", "/a/b"), ("theme", "dark")])
  }

  private mutating func draftsByProject() -> Shape {
    .fields((0..<roll(1...4)).map { .init(name: "p\(seed)-\($0)", value: draft()) })
  }

  private mutating func draft() -> Shape {
    with(
      ["text": words(), "savedAt": date()],
      often: [("attachments", .list(some(0...2) { $0.draftFile() }))],
      seldom: [("cursorStart", .number(roll(0...9)))])
  }

  private mutating func exportedDraft() -> Shape {
    draft().adding(("conversation", id("c"))).adding(
      dice.chance(0.2) ? ("editing", id("m")) : ("replyTo", id("m")))
  }

  // MARK: Values

  private mutating func draftFile() -> Shape {
    pick([
      ["type": "file", "data": "YWJj", "filename": "a.txt"], ["type": "image", "data": "iVBORw0KGgo="],
      ["type": "file", "filename": "gone"], ["data": "no base64!"], .number(7),
      ["name": "x", "checksum": .words(String(repeating: "ab", count: 32))],
    ])
  }

  private mutating func file() -> Shape {
    pick([
      ["name": "a.pdf"], ["url": "https://example.org/a"], "a.png", .null,
      [
        "checksum": .words(String(repeating: "cd", count: 32)), "name": "a", "mediaType": "text/plain",
        "byteCount": .number(3),
      ],
    ])
  }

  private mutating func content() -> Shape {
    pick([
      words(), words(), words(), words(), words(), .list(some(0...3) { $0.part() }), part(),
      .number(roll(0...9)), "",
      .null,
    ])
  }

  private mutating func part() -> Shape {
    pick([
      words(), ["type": "text", "text": words()], ["type": "thinking", "thinking": words()],
      ["type": "image_url", "image_url": ["url": "https://example.org/i.png"]],
      ["type": "file", "name": "f"],
      ["type": "tool_use", "id": "t", "input": ["q": .number(1)]], ["type": "odd"], .plain("true"), .null,
      ["content_type": "image_asset_pointer", "asset_pointer": "file-service://x"],
    ])
  }

  /// An ID that is mostly this file's own. Others are those of other files, counts, numbers and invalid IDs.
  private mutating func id(_ kind: String) -> Shape {
    switch roll(0...19) {
    case 0: .number(roll(0...3))
    case 1: .words("\(kind)\(roll(0...3))")
    case 2: .words(String(roll(0...3)))
    case 3:
      pick([
        .null, "", "a\u{7}b", .words(String(repeating: "x", count: 300)), .text(#"\ud83d"#), ["$oid": "5f"],
      ])
    default: .words("\(kind)\(seed)-\(roll(0...5))")
    }
  }

  private mutating func words() -> Shape {
    switch roll(0...19) {
    case 0: .text(#"half \ud83d of a pair"#)
    case 1: .text(#"\uD83D\uDE00 \u2028 \/ \t"#)
    case 2: .words(String(repeating: "long ", count: roll(1...2_000)))
    case 3: pick(["", " ", "\n", "\u{0}", "ok", "ok"])
    case 4: "a \u{301}\u{202E}b\u{FEFF}"
    default: .words("text \(roll(0...99)) of \(seed)")
    }
  }

  private mutating func role() -> Shape {
    pick([
      "user", "user", "user", "assistant", "assistant", "system", "tool", "developer", "narrator", "", .null,
    ])
  }

  private mutating func status() -> Shape {
    pick([
      "sent", "delivered", "pending", "queued", "failed", "streaming", "cancelled", "interrupted", "odd", "",
      .number(1), .plain("true"), .null,
    ])
  }

  private mutating func date() -> Shape {
    pick([
      "2026-01-01T10:00:00Z", "2026-01-01T10:00:00.250+02:00", "2026-01-02 10:00:00", "2026-01-03",
      .number(1_767_225_600),
      .number(1_767_225_600_000 + roll(0...9_999)), .plain("790000000.25"), .plain("1767225600.123456"),
      "1767225600", "yesterday", "", .null, .plain("true"), ["$date": "2026-01-01T10:00:00Z"],
      ["_seconds": .number(1_767_225_600), "_nanoseconds": .number(5)], .plain("1e300"), .number(-5),
      .number(0),
      "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", .plain("9223372036854775807"), .number(790_000_000),
    ])
  }

  // MARK: Dice

  private mutating func roll(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &dice) }
  private mutating func pick(_ choices: [Shape]) -> Shape { choices[roll(0...choices.count - 1)] }

  private mutating func some<Value>(_ range: ClosedRange<Int>, _ make: (inout Self) -> Value) -> [Value] {
    (0..<roll(range)).map { _ in make(&self) }
  }

  /// Adds to the fields most of the common ones, and few of the others, in a random order.
  private mutating func with(_ fields: Shape, often: [(String, Shape)], seldom: [(String, Shape)]) -> Shape {
    var all = fields.fields ?? []
    for (name, value) in often where dice.chance(0.85) { all.append(.init(name: name, value: value)) }
    for (name, value) in seldom where dice.chance(0.12) { all.append(.init(name: name, value: value)) }
    return .fields(dice.chance(0.5) ? all : all.shuffled(using: &dice))
  }
}

extension Shape {
  fileprivate func adding(_ field: (String, Shape)) -> Shape { adding(field.0, field.1) }

  fileprivate func adding(_ name: String, _ value: Shape) -> Shape {
    .fields((fields ?? []) + [Field(name: name, value: value)])
  }
}
