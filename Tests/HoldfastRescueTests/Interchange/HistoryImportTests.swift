import EngineFixtures
import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRescue
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

@Suite(.timeLimit(.minutes(10))) struct HistoryImportTests {
  private let bench: Bench
  private let place: ScratchFolder

  init() throws {
    bench = try Bench(inMemory: true)
    place = try ScratchFolder(inMemory: true)
  }

  private func file(_ text: String, _ name: String = "f.json") throws -> URL {
    try file(Data(text.utf8), name)
  }

  private func file(_ data: Data, _ name: String = "f.json") throws -> URL {
    let url = place.url.appendingPathComponent(name)
    try data.write(to: url)
    return url
  }

  private func bodies(_ client: ChatClient, in id: ConversationID) throws -> [String] {
    try client.reader.conversation(id, limit: 1000).rows.map(\.text)
  }

  private func export(_ client: ChatClient, _ name: String) throws -> Data {
    let url = place.url.appendingPathComponent(name)
    try client.exportHistory(to: url)
    return try Data(contentsOf: url)
  }

  private let sample = #"""
    {"activeConversationID":"c2","version":3,"conversations":[
      {"messages":[
          {"content":"hello \"you\"","id":"m1","role":"user","timestamp":"2026-01-01T10:00:00Z","status":"sent"},
          {"id":"m2","role":"assistant","content":"hi","reasoning":"greet","images":["i.png"],"videos":[],
           "timestamp":"2026-01-01T10:00:01.250Z","status":"delivered"}],
       "updatedAt":"2026-01-01T10:00:01Z","title":"First","createdAt":"2026-01-01T10:00:00Z","id":"c1"},
      {"id":"c2","title":null,"createdAt":"2026-01-02T10:00:00Z","updatedAt":"2026-01-03T10:00:00Z","messages":[
          {"id":3,"role":"user","content":"three","timestamp":1769860800},
          {"role":"user","content":"ok"},{"role":"user","content":"ok"},{"role":"tool","content":"x"},
          {"role":"user","content":"ok"}]}
    ]}
    """#

  // H9.1
  @Test func `a history is imported with its keys in any order, and nothing of it is sent`() throws {
    let client = try bench.client()
    let report = try client.importHistory(from: file(sample))
    #expect(report.format == .history)
    #expect((report.conversations, report.messages, report.alreadyHere) == (2, 7, 0))
    #expect(report.isComplete, "\(report.problems)")
    #expect(try bodies(client, in: "c1") == ["hello \"you\"", "hi"])
    #expect(try bodies(client, in: "c2") == ["three", "ok", "ok", "x", "ok"])
    #expect(try client.outbox.unsentCount() == 0)
    #expect(try client.activeConversation() == "c2")
    let list = try client.reader.list(limit: 10).rows
    #expect(list.map(\.id) == [eg.conversation, "c2", "c1"], "By the last change, below what is used here.")
    #expect(list.map(\.title) == ["bob", "three", "First"])
    let details = try client.message("m2").details()
    #expect(details?.importedStatus == nil)
    #expect(try client.message("m1").details()?.importedStatus == "sent")
    let rows = try client.reader.conversation("c1", limit: 10).rows
    #expect(rows.map(\.role) == [.user, .assistant])
    #expect(rows.map(\.images) == [[], ["i.png"]])
    #expect(rows[1].createdAt == Date(timeIntervalSince1970: 1_767_261_601.25))
    #expect(rows[1].reasoning == "greet")
  }

  // H9, U19
  @Test func `importing twice changes nothing, and a longer file brings what is new`() throws {
    let client = try bench.client()
    try client.importHistory(from: file(sample))
    let before = try export(client, "a.json")
    let again = try client.importHistory(from: file(sample))
    #expect((again.conversations, again.messages, again.alreadyHere) == (0, 0, 7))
    #expect(try export(client, "b.json") == before)
    let longer = sample.replacingOccurrences(
      of: #"{"id":3,"#,
      with: #"{"id":"zero","role":"user","content":"zero"},{"id":3,"#)
    let third = try client.importHistory(from: file(longer))
    #expect((third.messages, third.alreadyHere) == (1, 7))
    #expect(try bodies(client, in: "c2") == ["zero", "three", "ok", "ok", "x", "ok"])
  }

  // H9.1, U19.2
  @Test func `messages without a date stay at the beginning of their conversation`() throws {
    let client = try bench.client()
    let messages = [
      #"{"role":"system","content":"be kind"}"#, #"{"role":"user","content":"hello"}"#,
      #"{"role":"user","content":"how are you","timestamp":"2024-03-01T10:00:00Z"}"#,
      #"{"role":"assistant","content":"well","timestamp":"2024-03-01T10:01:00Z"}"#,
    ]
    let text = #"{"conversations":[{"id":"c9","messages":[\#(messages.joined(separator: ","))]}]}"#
    for round in 0..<2 {
      #expect(try client.importHistory(from: file(text)).messages == (round == 0 ? 4 : 0))
      #expect(try bodies(client, in: "c9") == ["be kind", "hello", "how are you", "well"])
    }
  }

  /// A history with every field that a message can have.
  private func fill(_ client: ChatClient) throws {
    try client.createConversation("alone", title: "Mine \u{1}", members: [])
    let unsent = try client.send("unsent 😀 \u{2028}\t\"", in: "alone")
    try client.store.write { transaction in
      for number in 1...600 where number != 5 {
        let id = MessageID(rawValue: "r\(number)")
        var content = MessageContent("text \(number)", reasoning: number % 7 == 0 ? "why" : nil)
        if number == 3 { (content.replyTo, content.formatting) = ("r1", Data([1, 2, 255])) }
        try transaction.messages.insert(
          id, in: eg.conversation.key, sender: number % 2 == 0 ? eg.user : eg.other, role: .user,
          content: content, order: Int64(number),
          place: TimelinePlace.confirmed(order: Int64(number)),
          createdAt: Date(microseconds: 1_700_000_000_123_456 + Int64(number)))
      }
      try fillRareFields(transaction)
      try transaction.streams.begin(
        StreamPiece(
          id: "s", conversation: "alone", sender: "assistant", role: .assistant, sequence: 0, text: "",
          reasoning: ""),
        in: "alone", now: eg.date)
      try transaction.streams.append(
        TokenBuffer.Chunk(firstSequence: 0, nextSequence: 1, text: "half a", reasoning: "because"), to: "s",
        in: "alone")
      try transaction.outbox.fail(unsent, in: "alone", reason: eg.rejection)
    }
    try client.setActiveConversation("alone")
  }

  /// An attachment, a message with fields that only an import sets, and a deleted message.
  private func fillRareFields(_ transaction: Transaction) throws {
    let picture = ChatAttachment(
      checksum: ChatAttachment.Checksum(rawValue: String(repeating: "a", count: 64)), name: "p.png",
      mediaType: "image/png", byteCount: 7)
    try transaction.attachments.insert(picture, isHere: false, now: eg.date)
    try transaction.attachments.set([picture], of: .message("r4"))
    let imported = ImportedMessage(
      role: .user, content: MessageContent("text 5", images: ["a/b"]), order: 5, readBy: ["bob"],
      editedAt: 1_700_000_000_000_001, revision: 4,
      reactions: [ImportedMessage.Reaction(by: eg.other.rawValue, value: "👍")], attachments: [])
    try transaction.imports.addMessage(
      imported, as: "r5", sender: eg.other, in: eg.conversation.key, place: TimelinePlace.confirmed(order: 5),
      createdAt: 1_700_000_000_123_461, now: eg.date)
    let deletion = eg.incoming(
      "r6", from: eg.user, "", order: 6, revision: 2,
      deletedAt: Date(microseconds: 1_700_000_000_000_002))
    #expect(try transaction.messages.apply(deletion, now: eg.date) == .update)
  }

  // H1.1, H1.4, H9.1, H9.2, H9.5
  @Test func `store to file to empty store to file is the same file`() throws {
    let client = try bench.client()
    try fill(client)
    let first = try export(client, "a.json")
    let empty = try Bench(inMemory: true)
    let other = try ChatClient(
      storage: .folder(empty.scratch.url), transport: empty.transport, user: eg.user,
      configuration: ChatConfiguration(environment: empty.environment))
    let report = try other.importHistory(from: place.url.appendingPathComponent("a.json"))
    #expect((report.conversations, report.messages, report.failed, report.interrupted) == (2, 600, 1, 1))
    #expect(report.isComplete, "\(report.problems)")
    #expect(try export(other, "b.json") == first)
    #expect(try other.outbox.unsentCount() == 1)
    #expect(
      try other.reader.conversation("alone", limit: 9).rows.contains {
        $0.status.failure == FailureReason(.failedBeforeImport)
      })
    let text = String(decoding: first, as: UTF8.self)
    for part in ["\"failed\"", "\"interrupted\"", "half a", "\"by\"", "deletedAt", "byteCount", "readBy"] {
      #expect(text.contains(part), "\(part)")
    }
    let object = try JSONSerialization.jsonObject(with: first) as? [String: Any]
    #expect((object?["conversations"] as? [Any])?.count == 2)
    #expect(object?["activeConversationID"] as? String == "alone")
  }

  // H9.2
  @Test func `an export is private, overwrites nothing, and leaves nothing when it is stopped`() throws {
    struct Stop: Error {}
    let client = try bench.client()
    try fill(client)
    let url = place.url.appendingPathComponent("x.json")
    #expect(throws: Stop.self) { try client.exportHistory(to: url) { _ in throw Stop() } }
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.url.path) == [])
    let report = try client.exportHistory(to: url)
    #expect((report.conversations, report.messages) == (2, 602))
    #expect(report.bytes == Int64(try Data(contentsOf: url).count))
    #expect(try place.mode(of: "x.json") == 0o600)
    #expect(refusal { try client.exportHistory(to: url) } == .alreadyThere)
    let text = place.url.appendingPathComponent("x.txt")
    try client.exportHistory(to: text, as: .text)
    #expect(try String(contentsOf: text, encoding: .utf8).contains("text 600\n"))
  }

  // H9.4
  @Test func `a file that is cut off at any byte imports what is whole, and says what is not`() throws {
    let whole = Data(sample.utf8)
    var most = 0
    for length in stride(from: 1, to: whole.count - 1, by: 7) {
      let bench = try Bench(inMemory: true)
      let client = try bench.client()
      do {
        let report = try client.importHistory(from: file(whole.prefix(length)))
        #expect(!report.isComplete, "\(length)")
        #expect(report.messages >= most || length < 700, "\(length)")
        most = max(most, report.messages)
        // The missing messages arrive with the complete file, in their places.
        let rest = try client.importHistory(from: file(sample))
        #expect(report.messages + rest.messages == 7, "\(length)")
        #expect(try bodies(client, in: "c2") == ["three", "ok", "ok", "x", "ok"], "\(length)")
      } catch let error as ChatError {
        #expect(error.code == .fileUnrecognized, "\(length)")
        #expect(length < 90)
      }
    }
    #expect(most >= 6)
  }

  // H9.4
  @Test func `a damaged entry costs itself, and not the ones behind it`() throws {
    let entry = { (number: Int) in #"{"id":"m\#(number)","role":"user","content":"text \#(number)"}"# }
    for damage in [
      #"{"id":"m5","role":"user","content":"no end}"#, #"{"id":"m5","role":"user""content":"x"}"#, "{{{",
      #"{"id":"m5","role":"user"}"#, "7", "\u{0}\u{0}", #"{"id":"m5","role":"user","content":"x"]"#,
      #"{"role":"user","content":"x","a":\#(String(repeating: "[", count: 90))\#(String(repeating: "]", count: 90))}"#,
    ] {
      let bench = try Bench(inMemory: true)
      let client = try bench.client()
      let messages = (1...9).map { $0 == 5 ? damage : entry($0) }.joined(separator: ",\n")
      let report = try client.importHistory(
        from: file(
          #"{"conversations":[{"id":"c","title":"t","messages":[\#(messages)]},{"id":"d","messages":[\#(entry(10))]}]}"#
        ))
      #expect(report.messages == 9, "\(damage): \(report.problems)")
      #expect(try bodies(client, in: "c") == [1, 2, 3, 4, 6, 7, 8, 9].map { "text \($0)" }, "\(damage)")
      #expect(try bodies(client, in: "d") == ["text 10"], "\(damage)")
      #expect(
        report.problems.contains { $0.entry == "conversations[0].messages[4]" },
        "\(damage): \(report.problems)")
      #expect(!"\(report.problems)".contains("text"), "Nothing of the contents is in a report.")
    }
  }

  // H9.4
  @Test func `noise in any place of a history is reported, and never a crash`() throws {
    var random = SeededRandom(seed: 9)
    let whole = Array(sample.utf8)
    for round in 0..<150 {
      var bytes = whole
      for _ in 0..<(1 + Int(random.next() % 6)) {
        let at = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 3 {
        case 0: bytes[at] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.remove(at: at)
        default: bytes.insert(Array(#"{}[]",:\u"#.utf8)[Int(random.next() % 9)], at: at)
        }
      }
      let client = try Bench(inMemory: true).client()
      do {
        let report = try client.importHistory(from: file(Data(bytes)))
        #expect(report.messages <= 12, "\(round)")
      } catch {
        #expect((error as? ChatError)?.code == .fileUnrecognized, "\(round): \(error)")
      }
    }
  }

  // H9, S1
  @Test func `after a crash between two transactions whole ones are there, and the next import finishes`()
    throws
  {
    let client = try bench.client()
    let entries = (1...1000).map { #"{"id":"m\#($0)","role":"user","content":"text \#($0)"}"# }
    let url = try file(#"{"conversations":[{"id":"c","messages":[\#(entries.joined(separator: ","))]}]}"#)
    let bench = bench
    #expect(
      refusal {
        try client.importHistory(from: url) { progress in
          if progress.completed > 25_000 { bench.gate.fail() }
        }
      } == .storageFull)
    bench.gate.heal()
    let count = try client.storeDiagnostics().messages
    #expect(count > 0 && count < 1000)
    #expect(
      count % HistoryImport.messagesAtOnce == HistoryImport.messagesAtOnce - 1, "The head is a step too.")
    let report = try client.importHistory(from: url)
    #expect((report.messages, report.alreadyHere) == (1000 - count, count))
    #expect(try bodies(client, in: "c") == (1...1000).map { "text \($0)" })
  }

  // H5, H9
  @Test func `conversations that were deleted here do not come back, unless the caller asks for them`() throws
  {
    try Bench.simulate(inMemory: true) { bench in
      let url = bench.scratch.url.appendingPathComponent("h.json")
      try Data(#"{"conversations":[{"id":"c","messages":[{"id":"m","role":"user","content":"x"}]}]}"#.utf8)
        .write(to: url)
      try await bench.running { client in
        try client.importHistory(from: url)
        try await client.conversation("c").delete()
        let hidden = try client.importHistory(from: url)
        guard hidden.deletedHere == 1 else { throw ChatError(.storageFailed, "It was not passed over.") }
        try await bench.pass(.seconds(20))
        let gone = try client.importHistory(from: url)
        guard (gone.deletedHere, gone.messages) == (1, 0) else {
          throw ChatError(.storageFailed, "It came back.")
        }
        let back = try client.importHistory(from: url, bringingBackDeleted: true)
        guard back.messages == 1, try client.reader.conversation("c", limit: 9).rows.count == 1 else {
          throw ChatError(.storageFailed, "It did not come back.")
        }
      }
    }
  }

  // H9
  @Test func `messages that are numbered anew in each conversation do not take each other's places`() throws {
    let client = try bench.client()
    let conversation = { (name: String) in
      #"{"id":"\#(name)","messages":[{"id":"1","role":"user","content":"\#(name) 1"},{"id":"2","role":"user","content":"\#(name) 2"}]}"#
    }
    let url = try file(#"{"conversations":[\#(conversation("a")),\#(conversation("b"))]}"#)
    #expect(try client.importHistory(from: url).messages == 4)
    #expect(try client.importHistory(from: url).alreadyHere == 4)
    #expect(try bodies(client, in: "b") == ["b 1", "b 2"])
  }

  // H9
  @Test func `a file of another kind, or a missing file, gives an error`() throws {
    let client = try bench.client()
    #expect(
      refusal { try client.importHistory(from: place.url.appendingPathComponent("none")) } == .fileUnreadable)
    #expect(refusal { try client.importHistory(from: place.url) } == .fileUnreadable)
    for text in ["", "7", "{}", "<html>", #"{"a":1}"#, String(repeating: "[", count: 10) + "x"] {
      let result = refusal { try client.importHistory(from: file(text)) }
      #expect(result == (text.hasPrefix("[") ? nil : .fileUnrecognized), "\(text)")
    }
  }

  // H9
  @Test func `an import says how far it is, and ends where its caller says so`() throws {
    let client = try bench.client()
    let url = try file(sample)
    let steps = Mutexed<[InterchangeProgress]>([])
    try client.importHistory(from: url) { step in steps.withLock { $0.append(step) } }
    #expect(steps.withLock { $0.last?.completed } == Int64(sample.utf8.count))
    #expect(steps.withLock { $0.map(\.completed) == $0.map(\.completed).sorted() })
    #expect(throws: CancellationError.self) {
      try client.importHistory(from: url) { _ in throw CancellationError() }
    }
  }
}
