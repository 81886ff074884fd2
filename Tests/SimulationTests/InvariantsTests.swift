import Holdfast
import HoldfastStore
import Testing

@testable import Simulator

/// A check that cannot fail proves nothing. Each invariant gets a world that breaks it.
@Suite struct InvariantsTests {
  private static let first = WorldOutcome.Row(id: "1", sender: "alice", text: "one")
  private static let second = WorldOutcome.Row(id: "2", sender: "alice", text: "two")

  /// Alice sent two messages, and they are everywhere.
  private func eg() -> WorldOutcome {
    let rows = [Self.first, Self.second]
    let conversation = WorldOutcome.Conversation(
      id: "c", server: rows, phones: [("alice", rows), ("bob", rows)],
      sent: rows.map {
        Promises.Sent(id: $0.id, text: $0.text, sender: "alice", device: "alice", conversation: "c")
      })
    return WorldOutcome(
      conversations: [conversation], foreign: [], withdrawn: [], replies: [], waiting: [("alice", 0)],
      stale: [])
  }

  private func broken(_ change: (inout WorldOutcome) -> Void) -> [String] {
    var outcome = eg()
    change(&outcome)
    return Invariants.check(outcome).map(\.promise)
  }

  @Test func `a world that is well breaks nothing`() {
    #expect(Invariants.check(eg()).isEmpty)
    #expect(eg().isAtRest)
  }

  @Test func `a message that is missing on one phone is lost`() {
    let promises = broken { $0.conversations[0].phones[1].rows.removeLast() }
    #expect(promises == ["nothing lost", "the same on every phone"])
  }

  @Test func `a message whose text changed is lost`() {
    #expect(
      broken { $0.conversations[0].phones[1].rows[0].text = "other" }
        == ["nothing lost", "the same state on every phone"])
  }

  // O14
  @Test func `a state that differs on one phone is reported`() {
    #expect(
      broken { $0.conversations[0].phones[1].rows[0].reactions = ["👍 1"] } == [
        "the same state on every phone"
      ])
    let deleted = broken { outcome in
      outcome.conversations[0].phones[1].rows[0].text = ""
      outcome.conversations[0].phones[1].rows[0].isDeleted = true
    }
    #expect(Set(deleted) == ["nothing lost", "the same state on every phone"])
  }

  // O14
  @Test func `a reaction that is missing, or was never asked for, is reported`() {
    for (isThere, isWanted) in [(false, true), (true, false)] {
      let reaction = WorldOutcome.Reaction(
        message: "1", user: "bob", value: "👍", isThere: isThere, isWanted: isWanted)
      #expect(broken { $0.reactions = [reaction] } == ["reactions are kept"])
    }
  }

  // O14
  @Test func `the changes of a message decide its text`() {
    let changes = ChangePromises()
    let sent = Promises.Sent(id: "1", text: "one", sender: "alice", device: "alice", conversation: "c")
    func change(_ change: Promises.Change, on device: String, isDone: Bool = true) {
      let before = changes.begin(change, of: "1", by: "alice", on: device)
      if isDone { changes.conclude(change, of: "1", before: before, by: "alice", on: device) }
    }
    #expect(changes.text(of: sent, found: ("other", false)) == "one")
    change(.edit("two"), on: "alice")
    #expect(changes.text(of: sent, found: ("one", false)) == "two")
    // A second phone, so that the last text is unknown; but no other text was ever sent.
    change(.edit("three"), on: "alice-2")
    #expect(changes.text(of: sent, found: ("two", false)) == "two")
    #expect(changes.text(of: sent, found: ("never", false)) == "one")
    #expect(changes.text(of: sent, found: nil) == "one")
    change(.delete, on: "alice", isDone: false)
    #expect(changes.text(of: sent, found: ("two", false)) == "two")
    #expect(changes.text(of: sent, found: ("", true)) == "")
    change(.delete, on: "alice")
    #expect(changes.text(of: sent, found: ("two", false)) == "")
    #expect(changes.text(of: sent, found: nil) == nil)
  }

  @Test func `a text under a second ID is doubled and invented`() {
    let copy = WorldOutcome.Row(id: "3", sender: "alice", text: "two")
    let promises = broken { outcome in
      outcome.conversations[0].server.append(copy)
      for index in 0..<2 { outcome.conversations[0].phones[index].rows.append(copy) }
    }
    #expect(Set(promises) == ["nothing twice", "nothing invented"])
  }

  @Test func `a conversation that was not created is invented`() {
    #expect(broken { $0.foreign = ["d"] } == ["nothing invented"])
  }

  @Test func `a message that was taken back and is still there breaks a promise`() {
    #expect(broken { $0.withdrawn = ["2"] }.contains("what was taken back is gone"))
  }

  @Test func `a file that is not on a phone, or was not sent along, is reported`() {
    func attached(_ change: (inout WorldOutcome.Conversation) -> Void) -> [String] {
      broken { outcome in
        let file: ChatAttachment.Checksum = "a"
        outcome.conversations[0].sent[0].attachments = [file]
        outcome.conversations[0].attachments = ["1": [file]]
        outcome.conversations[0].files = [("alice", ["1": [file]]), ("bob", ["1": [file]])]
        change(&outcome.conversations[0])
      }
    }
    let promise = ["what is attached arrives"]
    #expect(attached { _ in }.isEmpty)
    #expect(attached { $0.files[1].files = ["1": [nil]] } == promise)
    #expect(attached { $0.files[1].files = ["1": ["other"]] } == promise)
    #expect(attached { $0.files[1].files = [:] } == promise)
    #expect(
      attached { conversation in
        conversation.attachments = [:]
        conversation.files = []
      } == promise)
    #expect(attached { $0.files[1].files["2"] = ["a"] } == promise, "Its message has none, or is deleted.")
  }

  @Test func `a file that nothing refers to, or that is missing, is reported`() {
    let promise = ["files go with what refers to them"]
    #expect(broken { $0.folders = [("bob", AttachmentAudit())] }.isEmpty)
    #expect(broken { $0.folders = [("bob", AttachmentAudit(stray: ["import-1"]))] } == promise)
    #expect(broken { $0.folders = [("server", AttachmentAudit(missing: ["a"]))] } == promise)
  }

  @Test func `two messages that changed places break the order`() {
    let promises = broken { outcome in
      outcome.conversations[0].server.swapAt(0, 1)
      for index in 0..<2 { outcome.conversations[0].phones[index].rows.swapAt(0, 1) }
    }
    #expect(promises == ["order per sender"])
    let unplaced = broken { outcome in
      outcome.conversations[0].server.swapAt(0, 1)
      for index in 0..<2 { outcome.conversations[0].phones[index].rows.swapAt(0, 1) }
      outcome.conversations[0].sent[0].hasPlace = false
    }
    #expect(unplaced.isEmpty)
  }

  @Test func `a phone with another order than the server is reported`() {
    #expect(broken { $0.conversations[0].phones[0].rows.swapAt(0, 1) } == ["the same on every phone"])
  }

  @Test func `a message that waits, and a screen that is behind, are reported`() {
    #expect(broken { $0.waiting[0].count = 1 } == ["nothing left waiting"])
    #expect(broken { $0.stale = [("alice", "c")] } == ["every snapshot equals a fresh query"])
  }

  @Test func `an answer that is not what was written is reported`() {
    let reply = Promises.Reply(
      id: "2", sender: "alice", device: "alice", writer: "alice", conversation: "c", text: "two more")
    let promises = Set(broken { $0.replies = [reply] })
    #expect(promises == ["streamed text is finally equal"])
  }

  // L4.3
  @Test func `an empty reply on any phone, and a part of one on its own phone, are reported`() {
    func broken(isEmpty: Bool, isWrittenHere: Bool) -> [String] {
      self.broken {
        $0.unfinished = [
          .init(device: "bob", id: "3", isEmpty: isEmpty, isWrittenHere: isWrittenHere)
        ]
      }
    }
    #expect(broken(isEmpty: true, isWrittenHere: false) == ["a reply is whole or gone"])
    #expect(broken(isEmpty: false, isWrittenHere: true) == ["a reply is whole or gone"])
    // The writer of the others may have deleted it.
    #expect(broken(isEmpty: false, isWrittenHere: false).isEmpty)
  }

  // L8.2
  @Test func `a delivery that is missing in the app's table, or is there twice, is reported`() {
    func broken(_ delivered: MessageID..., isComplete: Bool = true) -> [String] {
      self.broken { $0.tables = [.init(device: "alice", delivered: delivered, isComplete: isComplete)] }
    }
    #expect(broken("1", "2").isEmpty)
    #expect(broken("2") == ["what is delivered is reported"])
    #expect(broken("1", "2", "2") == ["what is delivered is reported"])
    #expect(broken("1", "2", isComplete: false) == ["what is delivered is reported"])
  }

  // H11
  @Test func `a row that was evicted on one phone is missing nowhere else, and is announced there`() {
    func broken(
      isReported: Bool, dropping: Int,
      limits: ChatConfiguration.HistoryLimits = ChatConfiguration.HistoryLimits()
    ) -> [String] {
      self.broken { outcome in
        let rows = (1...130).map {
          WorldOutcome.Row(id: MessageID(rawValue: "\($0)"), sender: "alice", text: "text \($0)")
        }
        outcome.conversations[0].server = rows
        outcome.conversations[0].sent = rows.map {
          Promises.Sent(id: $0.id, text: $0.text, sender: "alice", device: "alice", conversation: "c")
        }
        outcome.conversations[0].phones = [("alice", rows), ("bob", Array(rows.dropFirst(dropping)))]
        outcome.conversations[0].evictions["bob"] = EvictionPromise(isReported: isReported, referred: [])
        outcome.limits["bob"] = HistoryPromise(limits: limits)
      }
    }
    let limits = ChatConfiguration.HistoryLimits(perConversation: 100)
    #expect(broken(isReported: true, dropping: 30, limits: limits).isEmpty)
    #expect(broken(isReported: true, dropping: 29, limits: limits) == ["the oldest make room"])
    #expect(broken(isReported: true, dropping: 31, limits: limits) == ["the last hundred stay"])
    #expect(
      broken(isReported: true, dropping: 0, limits: ChatConfiguration.HistoryLimits(total: 130)) == [
        "what has made room is reported"
      ])
    #expect(
      Set(broken(isReported: false, dropping: 30, limits: limits)) == [
        "nothing lost", "the same on every phone", "what has made room is reported",
      ])
  }
}
