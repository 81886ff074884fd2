import EngineFixtures
import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// The folder contains the files that are used, and no others (rules D16, S9).
@Suite struct AttachmentSweepingTests {
  private let bench: Bench

  init() throws { bench = try Bench(carriesAttachments: true) }

  // D16.5
  @Test func `a launch takes away what a dead process left, and nothing else`() throws {
    let client = try bench.client()
    let kept = try client.attach(text: "kept")
    let folder = bench.scratch.url.appendingPathComponent("attachments")
    let orphan = String(repeating: "0", count: 64)
    for name in ["import-dead", orphan, orphan + ".part", kept.checksum.rawValue + ".part", "foreign"] {
      try Data([1]).write(to: folder.appendingPathComponent(name))
    }
    let alive = folder.appendingPathComponent("import-alive")
    let copy = try OpenFile.new(alive)
    #expect(copy.lock())
    client.context.sweepAttachmentFolder()
    #expect(bench.attachmentFiles == [kept.checksum.rawValue, "foreign", "import-alive"].sorted())
  }

  // D16.5
  @Test func `a row that lost its last use in a crash goes at the next launch, with its file`() throws {
    let client = try bench.client()
    try client.attach(text: "x")
    try StoreSurgery.deleteDraftWithoutSweep(eg.key, of: client)
    #expect(bench.attachmentFiles.count == 1, "The process ended between the commit and the sweep.")
    try bench.client().context.sweepAttachmentFolder()
    #expect(bench.attachmentFiles.isEmpty)
  }

  // D16.5, S9.4
  /// Random acts in any order, with commits that fail. Every used file is always in the folder, and no other file is
  /// after a sweep.
  @Test(arguments: 0..<30)
  func `a sweep keeps every used file, and deletes all others`(seed: UInt64) async throws {
    var dice = SeededRandom(seed: seed)
    var client = try bench.client()
    try client.createConversation("other")
    let conversations = [eg.conversation, "other"]
    for _ in 0..<60 {
      let conversation = conversations[dice.below(2)]
      if dice.below(6) == 0 { bench.gate.fail() }
      let unsent = try client.queue(of: conversation).map(\.id)
      let picked = client.drafts.open(DraftKey(conversation: conversation.key)).buffer.content.attachments
      switch dice.below(8) {
      case 0, 1, 2:
        _ = try? client.conversation(conversation).attach(
          Data([UInt8(dice.below(4))]), name: "f\(dice.below(2))")
      case 3: _ = try? client.conversation(conversation).sendDraft()
      case 4:
        if !unsent.isEmpty { _ = try? await client.message(unsent[dice.below(unsent.count)]).takeBack() }
      case 5: if !unsent.isEmpty { try? await client.message(unsent[dice.below(unsent.count)]).cancel() }
      case 6:
        _ = try? client.drafts.discard(DraftKey(conversation: conversation.key))
      default:
        if !picked.isEmpty {
          try? client.conversation(conversation).removeAttachment(picked[dice.below(picked.count)].id)
        }
      }
      bench.gate.heal()
      if dice.below(10) == 0 {
        client = try bench.client()
        client.context.sweepAttachmentFolder()
      }
      #expect(try client.store.auditAttachments(isSwept: false).missing.isEmpty)
      for conversation in conversations {
        let shown = client.drafts.open(DraftKey(conversation: conversation.key)).buffer.content.attachments
        let stored = try client.storedDraft(DraftKey(conversation: conversation.key))?.attachments
        #expect(shown == stored ?? [])
      }
    }
    #expect(try bench.client().store.auditAttachments(isSwept: true) == AttachmentAudit())
  }
}

extension SeededRandom {
  fileprivate mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}
