import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import Simulator

@Suite struct TimelineWatchTests {
  private func row(
    _ id: MessageID, _ body: String, _ state: MessageStatus.State = .delivered
  ) -> MessageRow {
    let codes: [MessageStatus.State: MessageStatus.Code] = [
      .sending: .awaitingAnswer, .queued: .offline,
    ]
    return MessageRow(
      id: id, sender: "alice", isMine: true, role: .user, content: MessageContent(body),
      createdAt: .distantPast,
      status: MessageStatus(codes[state] ?? MessageStatus.Code(rawValue: state.rawValue)))
  }

  /// The promise that the last of some snapshots breaks.
  private func broken(
    _ snapshots: [[MessageRow]], withdrawn: Set<MessageID> = [], reply: String? = nil, earlier: [String] = [],
    relaunch: Bool = false
  ) -> [String] {
    var watch = TimelineWatch()
    var violations: [Violation] = []
    for snapshot in snapshots {
      if relaunch { watch.relaunch() }
      violations = watch.show(snapshot, withdrawn: withdrawn.contains) { id in
        reply.map {
          Promises.Reply(
            id: id, sender: "alice", device: "alice", writer: "alice", conversation: "c", text: $0,
            earlier: earlier)
        }
      }
    }
    return violations.map(\.promise)
  }

  @Test func `rows that come, and are delivered, break nothing`() {
    #expect(broken([[row("1", "one", .queued)], [row("1", "one"), row("2", "two", .sending)]]).isEmpty)
  }

  @Test func `a row that goes away is reported, unless its user took it back`() {
    let snapshots = [[row("1", "one", .queued)], []]
    #expect(broken(snapshots) == ["a row stays"])
    #expect(broken(snapshots, withdrawn: ["1"]).isEmpty)
    #expect(broken([[row("1", "one")], []], withdrawn: ["1"]) == ["a row stays"])
  }

  @Test func `a row or a text that is there twice is reported`() {
    #expect(broken([[row("1", "one"), row("2", "one")]]) == ["nothing twice"])
    #expect(broken([[row("1", "one"), row("1", "two")]]).contains("nothing twice"))
  }

  @Test func `delivered is for ever`() {
    #expect(broken([[row("1", "one")], [row("1", "one", .sending)]]).contains("delivered is for ever"))
  }

  @Test func `delivered rows keep their order`() {
    let (one, two, three) = (row("1", "one"), row("2", "two"), row("3", "three"))
    #expect(broken([[one, two], [two, one]]) == ["delivered rows keep their order"])
    #expect(broken([[one, two], [one, three, two]]).isEmpty)
  }

  @Test func `a text does not change, and one that is being written grows`() {
    #expect(broken([[row("1", "one")], [row("1", "other")]]) == ["a text does not change"])
    let begun = row("1", "one", .streaming)
    #expect(broken([[begun], [row("1", "one two", .streaming)]]).isEmpty)
    #expect(broken([[begun], [row("1", "two", .streaming)]]) == ["a text does not change"])
  }

  @Test func `a relaunch may take the end of what was being written, and no more`() {
    let (long, short) = (
      row("1", "one two", .streaming), row("1", "one", .interrupted)
    )
    #expect(broken([[long], [short]]) == ["a text does not change"])
    #expect(broken([[long], [short]], relaunch: true).isEmpty)
    #expect(broken([[row("1", "one")], [row("1", "on")]], relaunch: true) == ["a text does not change"])
  }

  @Test func `a streamed text is a prefix, and finally equal`() {
    let streaming = row("1", "one t", .streaming)
    #expect(broken([[streaming]], reply: "one two").isEmpty)
    #expect(broken([[streaming]], reply: "two") == ["streamed text is a prefix"])
    #expect(broken([[row("1", "one t")]], reply: "one two") == ["streamed text is finally equal"])
  }

  @Test func `a reply that was cut off may begin anew, and others may still show the old text`() {
    let (old, new) = (row("1", "one two", .interrupted), row("1", "th", .streaming))
    #expect(broken([[old], [new]], reply: "three", earlier: ["one two"]).isEmpty)
    #expect(broken([[new], [old]], reply: "three", earlier: ["one two"]).isEmpty)
    let mixed = row("1", "one two th", .streaming)
    #expect(broken([[mixed]], reply: "three", earlier: ["one two"]) == ["streamed text is a prefix"])
    #expect(
      broken([[row("1", "one two")]], reply: "three", earlier: ["one two"])
        == ["streamed text is finally equal"])
  }

  // H11
  @Test func `delivered rows may be evicted, and others may not`() {
    func broken(_ first: MessageStatus.State, answer: MessageRow.Quote? = nil) -> [String] {
      let rows = (2...110).map { row(MessageID(rawValue: "\($0)"), "text \($0)") }
      var last = row("111", "text 111", .queued)
      last.quote = answer
      let eviction = EvictionPromise(isReported: true, referred: [])
      var watch = TimelineWatch()
      _ = watch.show(
        [row("1", "one", first)] + rows, withdrawn: { _ in false }, eviction: eviction, reply: { _ in nil })
      let violations = watch.show(
        rows + [last], withdrawn: { _ in false }, eviction: eviction, reply: { _ in nil })
      #expect(watch.mayHaveMadeRoom("1") == (first == .delivered))
      return violations.map { $0.promise }
    }
    #expect(broken(.delivered).isEmpty)
    #expect(broken(.queued) == ["a row stays"])
    let gone = MessageRow.Quote(id: "1", sender: nil, isMine: false, excerpt: "", isDeleted: false)
    #expect(broken(.delivered, answer: gone) == ["what something unsent refers to stays"])
  }
}
