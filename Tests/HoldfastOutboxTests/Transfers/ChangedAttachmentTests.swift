import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// The effect of edits, deletions and held messages on the files of a message (rules O14, O16, S9).
@Suite struct ChangedAttachmentTests {
  private let bench: Bench

  init() throws { bench = try Bench(carriesAttachments: true) }

  /// A message with a file.
  private func send(
    _ client: ChatClient, _ bytes: String, _ text: String = ""
  ) throws -> (id: MessageID, attachment: ChatAttachment) {
    let attachment = try client.conversation(eg.conversation).attach(Data(bytes.utf8), name: "\(bytes).txt")
    client.drafts.edit(text, in: eg.conversation)
    return (try client.conversation(eg.conversation).sendDraft(), attachment)
  }

  private func receive(
    _ id: MessageID, _ body: String, isDeleted: Bool = false, attachments: [ChatAttachment] = [],
    _ client: ChatClient
  ) throws {
    try client.takeIn(
      IncomingMessage(
        id: id, conversation: eg.conversation, sender: client.user, content: MessageContent(body), order: 1,
        createdAt: eg.date,
        revision: 1, editedAt: isDeleted ? nil : eg.date, deletedAt: isDeleted ? eg.date : nil,
        attachments: attachments))
  }

  private func attached(_ client: ChatClient) throws -> [[ChatAttachment]] {
    try client.rows().map { $0.attachments.map(\.attachment) }
  }

  // O14.1
  @Test func `a picture that waits without a text can be given one, and stays`() throws {
    let client = try bench.client()
    let (id, picture) = try send(client, "x")
    #expect(try client.message(id).edit(to: "look") == nil)
    #expect(try client.bodies() == ["look"])
    #expect(try attached(client) == [[picture]])
    #expect(bench.attachmentFiles == [picture.checksum.rawValue])
  }

  // O14
  @Test func `an edit keeps the attachments, here and when it comes from the server`() throws {
    let client = try bench.client()
    let (id, picture) = try send(client, "x")
    try client.confirm(id)
    try client.message(id).edit(to: "look")
    #expect(try attached(client) == [[picture]])
    try receive(id, "look here", client)
    #expect(try attached(client) == [[picture]])
    #expect(bench.attachmentFiles == [picture.checksum.rawValue])
  }

  // O14, S9.4
  @Test func `a message that is deleted before it left takes its file with it, unless something else has it`()
    throws
  {
    let client = try bench.client()
    let ids = [try send(client, "same").id, try send(client, "same").id]
    #expect(try client.message(ids[0]).delete() == nil)
    #expect(bench.attachmentFiles.count == 1)
    try client.message(ids[1]).delete()
    #expect(bench.attachmentFiles.isEmpty)
    #expect(try client.storeDiagnostics().attachments == 0)
  }

  // O14
  @Test func `a deletion that waits hides the attachments, and brings them back when it is cancelled`()
    async throws
  {
    let client = try bench.client()
    let (id, picture) = try send(client, "x")
    try client.confirm(id)
    let deletion = try #require(try client.message(id).delete())
    #expect(try attached(client) == [[]])
    #expect(try client.reader.list(limit: 1).rows.first?.excerpt == "Message deleted")
    try await client.message(deletion).cancel()
    #expect(try attached(client) == [[picture]])
    #expect(try client.reader.list(limit: 1).rows.first?.excerpt == "x.txt")
    #expect(bench.attachmentFiles == [picture.checksum.rawValue])
  }

  // O14, S9.4
  @Test(arguments: [nil, 1] as [Int64?])
  func `a deletion that the server has carried out takes the file`(revision: Int64?) async throws {
    let client = try bench.client()
    let id = try send(client, "x").id
    try client.confirm(id)
    let deletion = try #require(try client.message(id).delete())
    try client.transmit(deletion)
    try await client.confirm([eg.receipt(deletion, revision: revision)])
    #expect(try client.outbox.unsentCount() == 0)
    #expect(try client.rows().map(\.isDeleted) == [true])
    #expect(try client.storeDiagnostics().attachments == 0)
    #expect(bench.attachmentFiles.isEmpty)
  }

  // O14, S9.4
  @Test func `a deletion that comes from the server takes the file, and its attachments are not taken in`()
    throws
  {
    let client = try bench.client()
    let (id, picture) = try send(client, "x")
    try client.confirm(id)
    try receive(id, "", isDeleted: true, attachments: [picture], client)
    #expect(try attached(client) == [[]])
    #expect(bench.attachmentFiles.isEmpty)
    try receive("never seen", "", isDeleted: true, attachments: [picture], client)
    #expect(try attached(client) == [[], []])
    #expect(try client.storeDiagnostics().attachments == 0)
  }

  // O16.3
  @Test func `held messages that go back to the composer bring all of their attachments`() throws {
    let client = try bench.client()
    let first = try send(client, "1", "one")
    let second = try send(client, "2")
    try client.hold()
    let typed = try client.conversation(eg.conversation).attach(Data("3".utf8), name: "3.txt")
    client.drafts.edit("three", in: eg.conversation)
    try client.outbox.answerHeld(.backToComposer)
    let content = client.draft().buffer.content
    #expect(content.text == "one\nthree")
    #expect(content.attachments == [first.attachment, second.attachment, typed])
    #expect(try bench.client().draft().buffer.content.attachments == content.attachments)
    #expect(try client.rows().isEmpty)
    #expect(bench.attachmentFiles.count == 3)
  }
}
