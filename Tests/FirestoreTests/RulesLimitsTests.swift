#if Firestore
  import BackendServers
  import Foundation
  import Holdfast
  import HoldfastTransport
  import Testing

  @testable import HoldfastFirestore

  /// The rules and the engine, compared by random documents around each limit. `HOLDFAST_RULES_DOCUMENTS` is the number of
  /// documents for each of them.
  @Suite(.serialized, .timeLimit(.minutes(10))) struct RulesLimitsTests {
    private static let count =
      ProcessInfo.processInfo.environment["HOLDFAST_RULES_DOCUMENTS"].flatMap(Int.init) ?? 60
    /// The requests that are on their way at once.
    private static let width = 8

    // Each part has an emulator of its own, which keeps all documents in memory.
    // B9.1
    @Test(arguments: 0..<4 as Range<UInt64>)
    func `the rules take what the engine takes, and nothing else`(part: UInt64) async throws {
      try await withEmulator { emulator in
        let writes = Writes(emulator: emulator)
        try await emulator.commit([writes.conversation("club", RulesTests.club)])
        try await emulator.commit([writes.message("m", in: "club", from: "alice", to: RulesTests.club)])
        for limit in RandomDocument.Limit.allCases where limit.rawValue % 4 == part {
          // A mark moves forward alone, so each is of a conversation of its own.
          for start in stride(from: 0, to: limit == .order ? Self.count : 0, by: 100) {
            try await emulator.commit(
              (start..<start + 100).map { writes.conversation("order-\($0)", RulesTests.club) })
          }
          let (wrong, allowed) = try await Self.compare(limit, writes)
          #expect(wrong.isEmpty, "\(limit): \(wrong.prefix(5))")
          // Each of the verdicts is asked for.
          #expect(allowed > Self.count / 8 && allowed < Self.count * 7 / 8, "\(limit): \(allowed)")
        }
      }
    }

    /// The documents on which the rules and the engine do not agree, and the number that the engine takes.
    private static func compare(
      _ limit: RandomDocument.Limit, _ writes: Writes
    ) async throws -> (wrong: [String], allowed: Int) {
      try await withThrowingTaskGroup(of: (wrong: [String], allowed: Int).self) { group in
        for lane in 0..<width {
          group.addTask {
            var (wrong, allowed): ([String], Int) = ([], 0)
            for number in stride(from: lane, to: count, by: width) {
              let document = RandomDocument(limit, number: number, writes)
              let isTaken = try await isTaken(document.write, writes.emulator)
              if document.isAllowed { allowed += 1 }
              if isTaken != document.isAllowed {
                wrong.append("\(number): \(document.description), and the rules say \(isTaken)")
              }
            }
            return (wrong, allowed)
          }
        }
        return try await group.reduce(into: ([], 0)) { sum, part in
          sum.0 += part.wrong
          sum.1 += part.allowed
        }
      }
    }

    private static func isTaken(_ write: Data, _ emulator: FirestoreEmulator) async throws -> Bool {
      do {
        try await emulator.commit([write], as: "alice")
        return true
      } catch let refused as FirestoreEmulator.Refused where refused.status == 403 {
        return false
      }
    }
  }

  /// A document by a number, with one field near its limit. The same number makes the same document.
  struct RandomDocument {
    enum Limit: UInt64, CaseIterable {
      case text = 1, reasoning, formatting, metadata, images, videos, replyTo, request
      case number, assistant, messageID, reactions, title, members, conversationID, order, markedMessage
    }

    let write: Data
    /// Whether the engine takes it.
    let isAllowed: Bool
    let description: String

    init(_ limit: Limit, number: Int, _ writes: Writes) {
      var dice = Dice(seed: limit.rawValue << 32 | UInt64(number))
      let field = Field(limit, number: number, &dice)
      (isAllowed, description) = (field.isAllowed, "\(limit) \(field.description)")
      let (id, club) = ("\(limit)-\(number)", RulesTests.club)
      switch limit {
      case .text, .reasoning, .formatting, .metadata, .images, .videos, .replyTo, .request:
        write = writes.message(
          id, in: "club", from: "alice", to: club, with: ["\(limit)": field.value])
      case .number: write = writes.message(id, in: "club", from: "alice", to: club, with: ["n": field.value])
      case .assistant:
        write = writes.message(id, in: "club", from: "alice", to: club, with: ["sender": field.value])
      case .messageID: write = writes.message(field.id, in: "club", from: "alice", to: club)
      case .reactions: write = writes.reactions("m", of: "alice", field.value)
      case .title, .members:
        let fields = ["members": Writes.Value.texts(club)].merging(["\(limit)": field.value]) { $1 }
        write = writes.write("conversations", id, fields, times: ["createdAt", "changedAt"])
      case .conversationID: write = writes.conversation(field.id, club)
      case .order: write = writes.mark(id, "alice", 1, to: club, with: ["order": field.value])
      case .markedMessage: write = writes.mark("club", "alice", 1, to: club, with: ["message": field.value])
      }
    }
  }

  /// The field of a random document, and what the engine says of it.
  private struct Field {
    var value = Writes.Value.null
    /// The ID of the document, where that is what is tried.
    var id = ""
    var isAllowed: Bool
    var description: String

    init(_ limit: RandomDocument.Limit, number: Int, _ dice: inout Dice) {
      if let wrong = Self.wrongType(limit, &dice) {
        (value, isAllowed, description) = (wrong, false, "of a wrong type: \(wrong)")
        return
      }
      var content = MessageContent("hello")
      switch limit {
      case .text:
        content.text = dice.text(near: 100_000)
        value = .text(content.text)
      case .reasoning:
        content.reasoning = dice.text(near: 100_000)
        value = .text(content.reasoning ?? "")
      case .formatting:
        content.formatting = dice.data(near: 100_000)
        value = .data(content.formatting ?? Data())
      case .metadata:
        content.metadata = dice.data(near: MessageContent.maximumMetadataBytes)
        value = .data(content.metadata ?? Data())
      case .images:
        content.images = dice.references()
        value = .texts(content.images)
      case .videos:
        content.videos = dice.references()
        value = .texts(content.videos)
      case .replyTo:
        content.replyTo = MessageID(rawValue: dice.name(near: 255))
        value = .text(content.replyTo?.rawValue ?? "")
      case .request:
        content.request = RequestID(rawValue: dice.name(near: 255))
        value = .text(content.request?.rawValue ?? "")
      default:
        self = Field(beside: limit, number: number, &dice)
        return
      }
      // A text that leaves has no U+0000, which the store replaces.
      let hasNull = (content.images + content.videos).contains { $0.utf8.contains(0) }
      isAllowed = content.problem(atMost: 100_000) == nil && !hasNull
      description = content.problem(atMost: 100_000).map { "\($0)" } ?? "as allowed"
    }

    /// A field that is not part of a message's content.
    private init(beside limit: RandomDocument.Limit, number: Int, _ dice: inout Dice) {
      switch limit {
      case .number:
        let number = dice.roll(0...1) == 0 ? dice.roll(-3...2) : dice.roll(125...130)
        (value, isAllowed, description) = (.number(number), (0..<128).contains(number), "\(number)")
      case .assistant:
        let name = dice.roll(0...9) == 0 ? "a/b" : dice.name(near: 64)
        (value, isAllowed) = (.text("alice/assistant/" + name), UserID.isAssistantName(name))
        description = "of \(name.utf8.count) bytes"
      case .messageID, .conversationID:
        // Each document has an ID of its own. One ID in four is not escaped.
        let end = "-\(number)"
        let pieces = ["%", "/", "~", ".", "_", "a", "é", "👍"]
        let name = dice.name(near: 255 - end.utf8.count, of: pieces) + end
        let given = DocumentID(
          rawValue: dice.roll(0...3) == 0
            ? "x" + name.replacing("/", with: "-") : DocumentID(of: name).rawValue)
        id = given.rawValue.isEmpty ? "%" : given.rawValue
        isAllowed = given.text.map(MessageID.isWellFormed) ?? false
        description = id
      case .reactions:
        let values = (0..<dice.roll(18...21)).map { "\($0)" + dice.name(near: 62, isRarelyWrong: true) }
        let isTwice = dice.roll(0...9) == 0
        value = .texts(isTwice ? values.dropLast() + values.prefix(1) : values)
        isAllowed = !isTwice && values.count <= 20 && values.allSatisfy(IncomingMessage.Reaction.isWellFormed)
        description = "\(values), \(isTwice)"
      case .title:
        let title = dice.text(near: 1_000)
        (value, isAllowed, description) = (.text(title), title.utf8.count <= 1_000, "\(title.utf8.count)")
      case .members:
        let count = dice.roll(0...3) == 0 ? dice.roll(998...1_001) : dice.roll(1...5)
        var members = ["alice"] + (1..<count).map { "\($0)" }
        if dice.roll(0...1) == 0 { members.append(dice.name(near: 255)) }
        if dice.roll(0...9) == 0 { members.append("alice") }
        value = .texts(members)
        isAllowed =
          members.count <= 1_000 && Set(members).count == members.count
          && members.allSatisfy(MessageID.isWellFormed)
        description = "\(members.count), \(members.last ?? "")"
      case .order:
        let order = (dice.roll(0...1) == 0 ? 1 << 60 : 0) + dice.roll(-4...3)
        (value, isAllowed, description) = (.number(order), (0..<1 << 60).contains(order), "\(order)")
      default:
        let name = dice.name(near: 255)
        (value, isAllowed, description) = (
          .text(name), MessageID.isWellFormed(name), "of \(name.utf8.count) bytes"
        )
      }
    }

    /// One field in ten has another type.
    private static func wrongType(_ limit: RandomDocument.Limit, _ dice: inout Dice) -> Writes.Value? {
      guard limit != .messageID, limit != .conversationID, dice.roll(0...9) == 0 else { return nil }
      let isData = limit == .formatting || limit == .metadata
      let wrong: [Writes.Value] = [
        .flag(true), .null, .fraction(1.5), .map(["a": .text("b")]), .list([.number(1)]), .list([.map([:])]),
        .list([.text("alice"), .null]), isData ? .text("a") : .data(Data([97])),
      ]
      return wrong[dice.roll(0...(wrong.count - 1))]
    }
  }

  extension Dice {
    private static let pieces = ["a", "é", "€", "👍"]

    /// A text whose size in bytes is near a limit.
    fileprivate mutating func text(near limit: Int) -> String {
      let size = limit + roll(-4...4)
      let piece = Self.pieces[roll(0...3)]
      return String(repeating: piece, count: size / piece.utf8.count)
        + String(repeating: "b", count: size % piece.utf8.count)
    }

    fileprivate mutating func data(near limit: Int) -> Data {
      Data(repeating: UInt8(roll(0...255)), count: limit + roll(-3...3))
    }

    /// A name of a few bytes, or of about as many as it may have. Some have control characters, and some are empty.
    fileprivate mutating func name(
      near limit: Int, of pieces: [String] = Dice.pieces, isRarelyWrong: Bool = false
    ) -> String {
      let size =
        roll(0...2) == 0 ? roll(0...3) : limit + roll(-4...(isRarelyWrong && roll(0...9) > 0 ? 0 : 4))
      var name = ""
      while true {
        let piece = pieces[roll(0...(pieces.count - 1))]
        guard name.utf8.count + piece.utf8.count <= size else { break }
        name += piece
      }
      name += String(repeating: "b", count: size - name.utf8.count)
      let controls = ["\n", "\0", "\u{1F}", "\u{7F}", "\u{85}", "\u{A0}"]
      if roll(0...(isRarelyWrong ? 99 : 7)) == 0 { name = controls[roll(0...5)] + name.dropFirst() }
      return name
    }

    fileprivate mutating func references() -> [String] {
      (0..<roll(29...33)).map { _ in
        switch roll(0...99) {
        case 0: ""
        case 1: text(near: 2_048)
        case 2: "\0"
        case 3...20: text(near: 2_044)
        default: name(near: 50, isRarelyWrong: true) + "\n"
        }
      }
    }
  }
#endif
