import EngineFixtures
import Foundation
import HoldfastTransport
import Testing

@testable import Holdfast
@testable import HoldfastCore

private typealias eg = EngineExample

/// The fields of a message that a server does not store.
@Suite(.timeLimit(.minutes(10))) struct FieldsTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var field: TransportCapabilities.Field
    var content: MessageContent
    var code: ChatError.Code
    var testDescription: String { field.rawValue }
  }

  static let cases = [
    Case(field: .reply, content: MessageContent("x", replyTo: "m"), code: .repliesUnsupported),
    Case(
      field: .formatting, content: MessageContent("x", formatting: Data([1])), code: .formattingUnsupported),
    Case(field: .reasoning, content: MessageContent("x", reasoning: "hm"), code: .reasoningUnsupported),
    Case(field: .metadata, content: MessageContent("x", metadata: Data([1])), code: .metadataUnsupported),
    Case(field: .references, content: MessageContent("x", images: ["a"]), code: .referencesUnsupported),
    Case(field: .references, content: MessageContent("x", videos: ["a"]), code: .referencesUnsupported),
  ]

  private func running(
    without field: TransportCapabilities.Field,
    _ body: @escaping @Sendable (Bench, ChatClient) async throws -> Void
  ) throws {
    try Bench.simulate(fields: Set(TransportCapabilities.Field.allCases).subtracting([field])) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try client.createConversation(eg.conversation)
        try await body(bench, client)
      }
    }
  }

  // B7.2, B7.3
  @Test(arguments: cases)
  func `a field that the server does not keep is refused by name, and nothing is stored`(_ refused: Case)
    throws
  {
    try running(without: refused.field) { bench, client in
      let chat = client.conversation(eg.conversation)
      #expect(refusal { try chat.send(refused.content) } == refused.code)
      #expect(refusal { try chat.sendOnce(refused.content, id: "once") } == refused.code)
      #expect(try client.rows().isEmpty)
      #expect(try client.outbox.unsentCount() == 0)
      for other in Self.cases where other.field != refused.field && other.field != .reply {
        try chat.send(other.content)
      }
      #expect(await bench.transport.transmission(1).content.fields.contains(refused.field) == false)
    }
  }

  // B7.2, L1
  @Test(arguments: cases)
  func `a conversation of this device alone keeps every field`(_ refused: Case) throws {
    try running(without: refused.field) { _, client in
      try client.createConversation("here", isOnDevice: true)
      try client.conversation("here").send(refused.content)
      #expect(try client.conversation("here").messages(last: 1).first?.content.fields == [refused.field])
    }
  }

  // B7.2, D1.8
  @Test func `a reply is refused in the composer, before it is typed`() throws {
    try running(without: .reply) { bench, client in
      let id = try client.send("question", in: eg.conversation)
      let composer = client.conversation(eg.conversation).composer()
      composer.edit("answer")
      #expect(refusal { try composer.reply(to: id) } == .repliesUnsupported)
      #expect(try composer.content() == DraftContent("answer"))
      try composer.reply(to: nil)
      try client.conversation(eg.conversation).sendDraft()
      #expect(try client.bodies() == ["question", "answer"])
    }
  }

  // B7.2
  @Test func `a draft that was written for another server stays in its composer`() throws {
    try running(without: .reply) { bench, client in
      try await bench.rest()
      client.drafts.edit(
        DraftKey(conversation: eg.conversation.key), DraftContent("answer", replyTo: "m"))
      #expect(refusal { try client.conversation(eg.conversation).sendDraft() } == .repliesUnsupported)
      #expect(client.drafts.text(in: eg.conversation) == "answer")
      #expect(try client.rows().isEmpty)
    }
  }

  // B7.2, O14
  @Test func `an edit with formatting is refused, and the message stays as it is`() throws {
    try running(without: .formatting) { bench, client in
      let id = try client.send("plain", in: eg.conversation)
      let composer = client.conversation(eg.conversation).composer()
      await bench.transport.transmission(1)
      bench.transport.say(.receipts([eg.receipt(id)]))
      try await bench.rest()
      _ = try composer.beginEdit(id, text: "plain")
      composer.edit("bold", formatting: Data([1]))
      #expect(try composer.content().formatting == Data([1]))
      #expect(
        refusal { try client.sharedStates.editor.sendEdit(of: id, in: eg.conversation.key) }
          == .formattingUnsupported)
      #expect(try client.bodies() == ["plain"])
    }
  }

  // B7.2, H3
  @Test func `the reasoning of a reply is refused as it is appended, and metadata as it is finished`() throws
  {
    try Bench.simulate(fields: []) { bench in
      try await bench.running { client in
        try client.createConversation(eg.conversation)
        let reply = try await client.conversation(eg.conversation).beginReply()
        #expect(await failureCode { try await reply.append("", reasoning: "hm") } == .reasoningUnsupported)
        try await reply.append("Yes.")
        #expect(await failureCode { try await reply.finish(metadata: Data([1])) } == .metadataUnsupported)
        #expect(await failureCode { try await reply.finish(images: ["a"]) } == .referencesUnsupported)
        try await reply.finish()
        #expect(try client.rows().map(\.content) == [MessageContent("Yes.")])
      }
    }
  }

  // B13, B7.3
  @Test func `an app learns that nobody receives its read marks`() throws {
    try running(without: .reply) { bench, client in
      try await bench.rest()
      #expect(try client.conversation(eg.conversation).sendsReadReceipts() == false)
    }
  }
}
