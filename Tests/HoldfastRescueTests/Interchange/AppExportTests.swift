import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRescue
@testable import HoldfastStore

private typealias eg = EngineExample

/// The exports of other apps (rule H13).
@Suite(.timeLimit(.minutes(10))) struct AppExportTests {
  /// One export with the result of its import.
  struct Sample: Sendable, CustomTestStringConvertible {
    var format: ImportFormat
    var file: String
    var conversation: ConversationID
    var title: String?
    var texts: [String]
    /// The texts of hidden branches.
    var unshown: [String] = []
    var testDescription: String { "\(format)" }
  }

  private static func chatGPTNode(_ id: String, _ parent: String?, _ message: String) -> String {
    #""\#(id)":{"id":"\#(id)","parent":\#(parent.map { "\"\($0)\"" } ?? "null"),"children":[],"message":\#(message)}"#
  }

  private static func chatGPTMessage(_ id: String, _ role: String, _ content: String, _ more: String = "")
    -> String
  {
    #"{"id":"\#(id)","author":{"role":"\#(role)","name":null,"metadata":{}},"create_time":1714564800.25,"#
      + #""content":\#(content),"status":"finished_successfully","weight":1.0,"recipient":"all"\#(more)}"#
  }

  private static func parts(_ text: String) -> String { #"{"content_type":"text","parts":["\#(text)"]}"# }

  static let chatGPT: String = {
    let nodes = [
      chatGPTNode("root", nil, "null"),
      chatGPTNode(
        "s", "root",
        chatGPTMessage(
          "s", "system", parts(""), #","metadata":{"is_visually_hidden_from_conversation":true}"#)),
      chatGPTNode("q", "s", chatGPTMessage("q", "user", parts("Where to?"))),
      chatGPTNode("a1", "q", chatGPTMessage("a1", "assistant", parts("Rome."))),
      chatGPTNode("q1", "a1", chatGPTMessage("q1", "user", parts("Why Rome?"))),
      chatGPTNode(
        "t", "q",
        chatGPTMessage(
          "t", "assistant",
          #"{"content_type":"thoughts","thoughts":[{"summary":"Choice","content":"They want art."}]}"#)),
      chatGPTNode(
        "a2", "t",
        chatGPTMessage(
          "a2", "assistant", parts("Paris."), #","metadata":{"model_slug":"gpt-4o","attachments":[]}"#)),
      chatGPTNode(
        "q2", "a2",
        chatGPTMessage(
          "q2", "user",
          #"{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer","asset_pointer":"file-1"},"Like this?"]}"#,
          #","metadata":{"attachments":[{"id":"1","name":"tower.png"}]}"#)),
    ]
    return #"[{"title":"Trip","create_time":1714564800.1,"update_time":1714568400.2,"mapping":{"#
      + nodes.joined(separator: ",")
      + #"},"moderation_results":[],"current_node":"q2","conversation_id":"gpt-1","id":"gpt-1"}]"#
  }()

  private static let claude =
    #"[{"uuid":"cl-1","name":"Names","created_at":"2024-05-01T12:00:00.5Z","updated_at":"2024-05-01T13:00:00Z","#
    + #""account":{"uuid":"u"},"chat_messages":[{"uuid":"m1","text":"hello","sender":"human","#
    + #""content":[{"type":"text","text":"hello"}],"created_at":"2024-05-01T12:00:01Z","attachments":[{"file_name":"a.txt","#
    + #""extracted_content":"AAA"}],"files":[{"file_name":"b.png"}]},{"uuid":"m2","text":"","sender":"assistant","#
    + #""content":[{"type":"thinking","thinking":"greet"},{"type":"tool_use","name":"x","input":{}},{"type":"text","text":"hi"}],"#
    + #""created_at":"2024-05-01T12:00:02Z","attachments":[],"files":[]}]}]"#

  private static let openWebUI =
    #"[{"id":"ow-1","user_id":"u","title":"Llamas","chat":{"id":"","title":"Llamas","models":["l"],"history":{"messages":{"#
    + #""1":{"id":"1","parentId":null,"childrenIds":["2","3"],"role":"user","content":"q","timestamp":1714564800},"#
    + #""2":{"id":"2","parentId":"1","childrenIds":[],"role":"assistant","content":"first","timestamp":1714564801},"#
    + #""3":{"id":"3","parentId":"1","childrenIds":[],"role":"assistant","content":"second","model":"l","timestamp":1714564802}},"#
    + #""currentId":"3"},"messages":[{"id":"1","role":"user","content":"q"}],"timestamp":1714564800000},"#
    + #""updated_at":1714568400,"created_at":1714564800,"archived":false,"meta":{}}]"#

  private static let nested =
    #"{"conversationId":"lc-1","endpoint":"openAI","title":"Deep","exportAt":"14:00:00","branches":true,"recursive":true,"#
    + #""messages":[{"messageId":"m1","parentMessageId":"00000000-0000-0000-0000-000000000000","text":"q","sender":"User","#
    + #""isCreatedByUser":true,"createdAt":"2024-05-01T12:00:00Z","children":[{"messageId":"m2","parentMessageId":"m1","#
    + #""text":"first","sender":"GPT-4","isCreatedByUser":false,"createdAt":"2024-05-01T12:00:01Z","children":[]},"#
    + #"{"messageId":"m3","parentMessageId":"m1","text":"","content":[{"type":"think","think":"hm"},{"type":"text","text":"second"}],"#
    + #""sender":"GPT-4","isCreatedByUser":false,"createdAt":"2024-05-01T12:00:02Z","children":[{"messageId":"m4","#
    + #""parentMessageId":"m3","text":"thanks","sender":"User","isCreatedByUser":true,"createdAt":"2024-05-01T12:00:03Z","#
    + #""children":[]}]}]}]}"#

  private static let samples = [
    Sample(
      format: .chatGPT, file: chatGPT, conversation: "gpt-1", title: "Trip",
      texts: ["Where to?", "Paris.", "Like this?"], unshown: ["Rome.", "Why Rome?"]),
    Sample(format: .claude, file: claude, conversation: "cl-1", title: "Names", texts: ["hello", "hi"]),
    Sample(
      format: .openWebUI, file: openWebUI, conversation: "ow-1", title: "Llamas", texts: ["q", "second"],
      unshown: ["first"]),
    Sample(
      format: .libreChat, file: nested, conversation: "lc-1", title: "Deep",
      texts: ["q", "second", "thanks"],
      unshown: ["first"]),
    Sample(
      format: .shareGPT,
      file:
        #"{"id":"sg-1","conversations":[{"from":"human","value":"hi"},{"from":"gpt","value":"hello"},{"from":"system","value":"s"}]}"#,
      conversation: "sg-1", title: "hi", texts: ["hi", "hello", "s"]),
    Sample(
      format: .history,
      file: #"{"conversations":{"a":{"title":"By ID","messages":[{"role":"user","content":"x"}]}}}"#,
      conversation: "a", title: "By ID", texts: ["x"]),
    Sample(
      format: .history,
      file:
        #"{"version":4,"history":[{"id":"b","name":"Bot","messages":[{"role":"user","content":"x"}]}],"folders":[],"prompts":[]}"#,
      conversation: "b", title: "Bot", texts: ["x"]),
    Sample(
      format: .chatGPT, file: #"{"conversations":\#(chatGPT)}"#, conversation: "gpt-1", title: "Trip",
      texts: ["Where to?", "Paris.", "Like this?"], unshown: ["Rome.", "Why Rome?"]),
  ]

  private func rows(_ client: ChatClient, _ id: ConversationID) throws -> [MessageRow] {
    try client.reader.conversation(id, limit: 100).rows
  }

  // H13.1, H12.1
  @Test(arguments: samples) func `an export is read, once, and nothing of it is sent`(sample: Sample) throws {
    let client = try Bench(inMemory: true).client()
    let report = try client.importHistory(from: Data(sample.file.utf8))
    #expect(report.format == sample.format)
    #expect(
      (report.isComplete, report.conversations, report.messages) == (true, 1, sample.texts.count), "\(report)"
    )
    #expect(try rows(client, sample.conversation).map(\.text) == sample.texts)
    let list = try client.reader.list(limit: 9).rows.first { $0.id == sample.conversation }
    #expect((list?.title, list?.unreadCount) == (sample.title, 0))
    #expect(try client.outbox.unsentCount() == 0)
    let metadata = try rows(client, sample.conversation).compactMap(\.metadata).map {
      String(decoding: $0, as: UTF8.self)
    }
    for text in sample.unshown { #expect(metadata.contains { $0.contains(#""\#(text)""#) }, "\(metadata)") }
    let again = try client.importHistory(from: Data(sample.file.utf8))
    #expect((again.newMessages, again.conversations, again.alreadyHere) == (0, 0, sample.texts.count))
  }

  // H13.2
  @Test func `roles, dates, reasoning, the model and the names of files come along`() throws {
    let client = try Bench(inMemory: true).client()
    try client.importHistory(from: Data(Self.chatGPT.utf8))
    let gpt = try rows(client, "gpt-1")
    #expect(gpt.map(\.role) == [.user, .assistant, .user])
    #expect(gpt[1].reasoning == "Choice\nThey want art.")
    #expect(gpt[0].createdAt == Date(timeIntervalSince1970: 1_714_564_800.25))
    #expect(gpt[1].metadata.map { String(decoding: $0, as: UTF8.self) }?.contains("gpt-4o") == true)
    #expect(gpt[2].metadata.map { String(decoding: $0, as: UTF8.self) }?.contains("tower.png") == true)
    try client.importHistory(from: Data(Self.claude.utf8))
    let claude = try rows(client, "cl-1")
    #expect(claude[1].reasoning == "greet")
    let files = String(decoding: try #require(claude[0].metadata), as: UTF8.self)
    #expect(["a.txt", "b.png", "AAA"].allSatisfy(files.contains))
  }

  // H13.1
  @Test(arguments: [
    #"[{"role":"system","content":"be kind"},{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}]"#,
    #"{"messages":[{"role":"system","content":"be kind"},{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}]}"#,
    #"[[{"role":"system","content":"be kind"},{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}]]"#,
    #"[{"messages":[{"role":"system","content":"be kind"},{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}]}]"#,
  ])
  func `messages in the form of OpenAI's interface are one conversation, once`(file: String) throws {
    let client = try Bench(inMemory: true).client()
    let report = try client.importHistory(from: Data(file.utf8))
    #expect((report.format, report.conversations, report.messages) == (.messages, 1, 3), "\(report)")
    let conversation = try #require(try client.reader.list(limit: 9).rows.first { $0.title == "hi" })
    #expect(try rows(client, conversation.id).map(\.text) == ["be kind", "hi", "hello"])
    #expect(try client.importHistory(from: Data(file.utf8)).alreadyHere == 3)
    let longer = file.replacingOccurrences(
      of: #""hello"}"#, with: #""hello"},{"role":"user","content":"more"}"#)
    #expect(
      try client.importHistory(from: Data(longer.utf8)).messages == 1,
      "A longer file is the same conversation.")
    #expect(try rows(client, conversation.id).map(\.text) == ["be kind", "hi", "hello", "more"])
  }

  // H13.1
  @Test func `a file with a conversation in each line is read`() throws {
    let client = try Bench(inMemory: true).client()
    let line = { (text: String) in #"{"messages":[{"role":"user","content":"\#(text)"}]}"# }
    let report = try client.importHistory(
      from: Data([line("a"), line("b"), line("a")].joined(separator: "\n").utf8))
    #expect((report.conversations, report.messages, report.isComplete) == (3, 3, true), "\(report)")
  }

  // H13.3
  @Test(arguments: samples) func `a file that is cut off imports what is whole, and says where it broke`(
    sample: Sample
  ) throws {
    let whole = Data(sample.file.utf8)
    for length in stride(from: 60, to: whole.count - 1, by: 41) {
      let client = try Bench(inMemory: true).client()
      do {
        let report = try client.importHistory(from: whole.prefix(length))
        #expect(!report.isComplete, "\(length)")
        try client.importHistory(from: whole)
        let texts = try rows(client, sample.conversation).map(\.text)
        #expect(Set(sample.texts).isSubset(of: Set(texts)), "\(length): \(texts)")
      } catch let error as ChatError {
        #expect(error.code == .fileUnrecognized, "\(length)")
      }
    }
  }

  // H13.2
  @Test func `a message that is not there, and a circle of answers, cost nothing else`() throws {
    let client = try Bench(inMemory: true).client()
    let nodes = [
      Self.chatGPTNode("a", "b", Self.chatGPTMessage("a", "user", Self.parts("one"))),
      Self.chatGPTNode("b", "a", Self.chatGPTMessage("b", "assistant", Self.parts("two"))),
      Self.chatGPTNode("c", "lost", Self.chatGPTMessage("c", "user", Self.parts("three"))),
    ]
    let report = try client.importHistory(
      from: Data(#"[{"id":"x","mapping":{\#(nodes.joined(separator: ","))},"current_node":"gone"}]"#.utf8))
    #expect(report.messages + report.unshown == 3 && report.isComplete, "\(report)")
  }

  // H13.2
  @Test func `the shown branch of a tree is the one that its leaf ends`() {
    func node(_ id: String, _ parent: String?) -> MessageTree.Node {
      MessageTree.Node(link: MessageLink(id: id, parent: parent), offset: 0, number: 0)
    }
    let tree = MessageTree([node("q", nil), node("a", "q"), node("b", "q"), node("c", "b"), node("d", "a")])
    func path(_ leaf: String?) -> [String] { tree.shown(upTo: leaf).map { $0.node.link?.id ?? "" } }
    #expect(path("d") == ["q", "a", "d"])
    #expect(path("c") == ["q", "b", "c"])
    #expect(path(nil) == ["q", "a", "d"], "The last message without an answer.")
    #expect(path("none") == path(nil))
    #expect(tree.shown(upTo: "c").map { $0.beside.compactMap(\.link?.id) } == [[], ["a", "d"], []])
  }
}
