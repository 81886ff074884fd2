import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// Files that cannot be attached, and drafts with files that cannot be sent (rules D16, S4).
@Suite struct AttachmentRefusalTests {
  private let bench: Bench

  init() throws { bench = try Bench(carriesAttachments: true) }

  @Test func `a file that cannot be attached gives the reason, and leaves nothing behind`() throws {
    let limits = ChatConfiguration.AttachmentLimits(maximumBytes: 4, perDraft: 1)
    let client = try bench.client(.init(attachments: limits))
    let folder = bench.scratch.url
    let pipe = folder.appendingPathComponent("pipe")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    let unreadable = [
      folder.appendingPathComponent("gone"), folder, pipe, URL(string: "https://example.org/a.png")!,
    ]
    for url in unreadable {
      #expect(
        refusal { try client.conversation(eg.conversation).attach(url) } == .attachmentUnreadable, "\(url)")
    }
    #expect(refusal { try client.attach(text: "12345") } == .attachmentTooLarge)
    #expect(
      refusal { try client.conversation(eg.conversation).attach(Data([1]), name: "a", mediaType: "image") }
        == .malformedMediaType)
    #expect(
      refusal { try client.conversation("nowhere").attach(Data([1]), name: "a") } == .unknownConversation)
    #expect(bench.attachmentFiles.isEmpty)
    try client.attach(text: "1234")
    #expect(refusal { try client.attach(text: "2") } == .tooManyAttachments)
    #expect(bench.attachmentFiles.count == 1)
    #expect(client.draft().problem?.code == .tooManyAttachments)
  }

  @Test func `a transport without attachments refuses them when they are picked, and when they are sent`()
    throws
  {
    try bench.client().attach(text: "x")
    let other = try Bench()
    #expect(refusal { try other.client().attach(text: "x") } == .attachmentsUnsupported)
    let client = try ChatClient(
      storage: .folder(bench.scratch.url), transport: other.transport, user: eg.user,
      configuration: ChatConfiguration(environment: bench.environment))
    #expect(refusal { try client.conversation(eg.conversation).sendDraft() } == .attachmentsUnsupported)
    #expect(client.draft().buffer.content.attachments.count == 1)
  }

  @Test func `joined drafts may hold more than can be sent at once`() async throws {
    let client = try bench.client(.init(attachments: .init(perDraft: 1)))
    try client.attach(text: "1")
    let id = try client.conversation(eg.conversation).sendDraft()
    try client.attach(text: "2")
    #expect(try await client.message(id).takeBack().attachments.count == 2)
    #expect(refusal { try client.conversation(eg.conversation).sendDraft() } == .tooManyAttachments)
  }

  // S4.1
  @Test func `a full disk leaves the draft as it was, and no file`() throws {
    let client = try bench.client()
    let first = try client.attach(text: "1")
    bench.gate.fail()
    #expect(refusal { try client.attach(text: "2") } == .storageFull)
    bench.gate.heal()
    #expect(client.draft().buffer.content.attachments == [first])
    #expect(client.draft().problem?.code == .storageFull)
    #expect(bench.attachmentFiles == [first.checksum.rawValue])
  }
}
