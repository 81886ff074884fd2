import Holdfast
import Testing

@testable import HoldfastTesting

/// The comparison of users' acts with the server's record.
@Suite struct ConformanceAuditTests {
  private static func entry(_ id: MessageID, _ text: String) -> ConformanceLedger.Entry {
    .init(id: id, sender: "alice", text: text)
  }

  private static func record(_ id: MessageID, _ text: String) -> TransportConformance.Record {
    .init(id: id, sender: "alice", text: text)
  }

  // B12
  @Test func `a record that has each message once, in order, is right`() {
    let audit = ConformanceAudit(
      of: [Self.entry("1", "a"), Self.entry("2", "b")],
      against: [Self.record("1", "a"), Self.record("2", "b")])
    #expect(audit == ConformanceAudit())
  }

  // B12
  @Test func `a missing message is lost, unless it still waits on its phone`() {
    let entries = [Self.entry("1", "a")]
    #expect(ConformanceAudit(of: entries, against: []).lost == 1)
    #expect(ConformanceAudit(of: entries, pending: ["1"], against: []) == ConformanceAudit())
  }

  // B12
  @Test func `a copy is doubled, under its own ID and under another`() {
    let entries = [Self.entry("1", "a")]
    let twice = ConformanceAudit(of: entries, against: [Self.record("1", "a"), Self.record("1", "a")])
    #expect((twice.doubled, twice.sentences) == (1, ["The server has 'a' 2 times."]))
    let renamed = ConformanceAudit(of: entries, against: [Self.record("1", "a"), Self.record("9", "a")])
    #expect(renamed.doubled == 1)
    let alone = ConformanceAudit(of: entries, against: [Self.record("9", "a")])
    #expect(alone.sentences == ["The server has 'a' under the ID 9 instead of 1."])
  }

  // B12
  @Test func `a message in front of an earlier one is reordered`() {
    var entries = [Self.entry("1", "a"), Self.entry("2", "b")]
    let records = [Self.record("2", "b"), Self.record("1", "a")]
    #expect(ConformanceAudit(of: entries, against: records).reordered == 1)
    entries[0].keepsPlace = false
    #expect(ConformanceAudit(of: entries, against: records).reordered == 0)
  }

  // B12
  @Test func `a change that the server does not have is lost`() {
    var (edited, deleted, reacted) = (Self.entry("1", "a"), Self.entry("2", "b"), Self.entry("3", "c"))
    (edited.text, edited.texts) = ("A", ["a", "A"])
    deleted.isDeleted = true
    reacted.reactions = [.init("👍", from: "bob")]
    let records = [Self.record("1", "a"), Self.record("2", "b"), Self.record("3", "c")]
    let audit = ConformanceAudit(of: [edited, deleted, reacted], against: records)
    #expect(audit.lost == 3)
    #expect(audit.sentences.first == "The server has 'a' instead of 'A'.")
  }

  // B12
  @Test func `a reaction that was taken back, and one that is there twice, are found`() {
    var record = Self.record("1", "a")
    record.reactions = [.init("👍", from: "bob"), .init("👍", from: "bob")]
    let audit = ConformanceAudit(of: [Self.entry("1", "a")], against: [record])
    #expect((audit.lost, audit.doubled) == (1, 1))
  }

  // B12
  @Test func `a message that was withdrawn, or that nobody sent, is named`() {
    var withdrawn = Self.entry("1", "a")
    withdrawn.presence = .never
    let audit = ConformanceAudit(of: [withdrawn], against: [Self.record("1", "a"), Self.record("7", "x")])
    #expect(
      audit.sentences == [
        "The server has 'a', which was withdrawn or refused.", "The server has 'x', which nobody sent.",
      ])
  }
}
