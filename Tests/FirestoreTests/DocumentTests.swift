#if Firestore
  import Foundation
  import Holdfast
  import HoldfastTransport
  import SwiftProtobuf
  import Testing

  @testable import HoldfastFirestore

  @Suite struct DocumentTests {
    private static let database = FirestoreDatabase(project: "p", name: "(default)", server: nil)

    // B9.3
    @Test(arguments: ["plain", "a/b", "100 %", ".", "..", "...", "__init__", "__", "é", "a~b", "%2F"])
    func `a document's ID is the message's, and can be read back`(text: String) throws {
      let id = DocumentID(of: text)
      #expect(id.text == text)
      #expect(!id.rawValue.contains("/"))
      #expect(id.rawValue != "." && id.rawValue != ".." && !id.rawValue.hasPrefix("__"))
      if text.allSatisfy({ $0.isLetter }) { #expect(id.rawValue == text) }
    }

    // E1.1
    @Test(arguments: [
      "alice%2Dbob", "a%2fb", "%61", "m%", "%", "%zz", ".", "..", "__init__", "%2Ex", "%2E.x", "%5Fa",
      "%2E%2E",
    ])
    func `a form that another ID would have to be is no ID`(form: String) {
      #expect(DocumentID(rawValue: form).text == nil)
    }

    // E3.1
    @Test(arguments: ["http://firestore.example.org", "http://10.0.0.7:8080"])
    func `a token goes to another machine encrypted or not at all`(address: String) {
      let database = FirestoreDatabase(
        project: "p", name: "(default)", server: URL(string: address))
      let failure = #expect(throws: ConnectionFailure.self) { try database.endpoint() }
      #expect(failure?.reason == .insecure)
    }

    @Test func `another ID is another document`() {
      let ids = ["a/b", "a%2Fb", "a%252Fb", ".", "%2E", "__a", "%5F_a"]
      #expect(Set(ids.map { DocumentID(of: $0) }).count == ids.count)
    }

    // B9.1
    @Test(arguments: [
      ("a~b", "c", "a%7Eb~c"), ("a", "b~c", "a~b%7Ec"), ("a%7Eb", "c", "a%257Eb~c"),
      ("a", "b%7Ec", "a~b%257Ec"),
      ("club", "alice", "club~alice"), ("a/b", "c/d", "a%2Fb~c%2Fd"), ("~", "~", "%7E~%7E"),
      ("..", ".", "%2E.~."),
    ])
    func `the ID of a read mark has one reading`(conversation: String, reader: String, id: String) throws {
      let mark = IncomingItem.ReadMark(
        conversation: ConversationID(rawValue: conversation), reader: UserID(rawValue: reader), message: "m",
        order: 3)
      var document = ReadMarkDocument.write(
        mark, by: mark.reader, members: [mark.reader], in: Self.database
      ).update
      #expect(document.id.rawValue == id)
      #expect(ReadMarkDocument.mark(document) == mark)
      // As an earlier version wrote it.
      document.name = Self.database.document(
        DocumentID(rawValue: "\(conversation)~\(reader)"), in: .readMarks)
      #expect(ReadMarkDocument.mark(document) == mark)
    }

    @Test func `a title is cut at the bytes that the rules take`() {
      let message = OutgoingMessage(
        id: "m", conversation: "c", members: ["alice"], title: String(repeating: "👍", count: 251),
        content: MessageContent("hello"), createdAt: Date(timeIntervalSince1970: 1), transmission: 1)
      let write = ConversationDocument.creation(for: message, members: ["alice"], in: Self.database)
      #expect(write.update.fields["title"]?.string == String(repeating: "👍", count: 250))
    }

    @Test(arguments: [
      ("alice", "reactions.alice"), ("7up", "reactions.`7up`"), ("a.b", "reactions.`a.b`"),
      ("", "reactions.``"),
      ("a`b\\c", "reactions.`a\\`b\\\\c`"), ("👍", "reactions.`👍`"),
    ])
    func `the path of a field quotes what is no plain name`(name: String, path: String) {
      #expect(fieldPath("reactions", name) == path)
    }

    @Test func `every field of a message comes back`() throws {
      let content = MessageContent(
        "hello", formatting: Data([1, 2]), reasoning: "because", replyTo: "q/1", request: "r1",
        metadata: Data([3]),
        images: ["i1", "i2"], videos: ["v"])
      let message = OutgoingMessage(
        id: "m/1", conversation: "c/1", sender: "alice/assistant/model", role: .assistant, content: content,
        createdAt: Date(timeIntervalSince1970: 1), transmission: 1)
      let write = MessageDocument.creation(
        of: message, by: "alice", members: ["alice", "bob"], number: 3, in: Self.database)
      #expect(write.currentDocument.exists == false)
      var document = write.update
      document.fields["sentAt"] = .time(microseconds: 1_790_000_000_123_000)
      document.createTime = Google_Protobuf_Timestamp(microseconds: 5)
      document.updateTime = Google_Protobuf_Timestamp(microseconds: 5)
      let read = try #require(MessageDocument.message(document))
      #expect(read.content == content)
      #expect((read.id, read.conversation, read.sender) == ("m/1", "c/1", "alice/assistant/model"))
      #expect((read.role, read.revision) == (.assistant, 0))
      document.updateTime = Google_Protobuf_Timestamp(microseconds: 9)
      #expect(MessageDocument.message(document)?.revision == 9)
    }

    @Test func `a document without a message's fields is passed over`() {
      var document = FSDocument()
      document.name = Self.database.document(DocumentID(of: "m"), in: .messages)
      #expect(MessageDocument.message(document) == nil)
    }

    @Test func `the order follows time, then the number in the commit`() {
      func order(_ milliseconds: Int64, _ number: Int64, _ id: String = "x") -> Int64 {
        MessageDocument.order(
          sentAt: Google_Protobuf_Timestamp(microseconds: milliseconds * 1000), number: number, id: id)
      }
      let now: Int64 = 1_790_000_000_000
      #expect(order(now, 0) < order(now, 1))
      #expect(order(now, 99) < order(now + 1, 0))
      #expect(order(now, 0, "a") != order(now, 0, "b"))
      // The engine takes orders below 2^60.
      #expect(order(4_102_444_800_000, 0) < 1 << 60, "until 2100")
    }

    @Test func `an answer is classified by what is done about it`() {
      #expect(FirestoreVerdict(CancellationError()) == .outcomeUnknown)
    }
  }
#endif
