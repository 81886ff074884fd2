import Testing

@testable import holdfast_lab

/// The comparison notices each kind of mistake.
@Suite struct TortureOutcomeTests {
  private static func row(_ text: String, id: String? = nil) -> TortureOutcome.Row {
    .init(id: id ?? text, sender: String(text.prefix(1)), text: text)
  }

  /// Two phones with two texts each, and all of them everywhere. The server has decided the order between the
  /// phones.
  private static let whole = ["b1", "a1", "a2", "b2"].map { row($0) }

  private static func outcome(
    server: [TortureOutcome.Row] = whole, a: [TortureOutcome.Row] = whole, b: [TortureOutcome.Row] = whole,
    _ change: (inout TortureOutcome) -> Void = { _ in }
  ) -> TortureOutcome.Verdict {
    var outcome = TortureOutcome(
      sent: ["a1", "a2", "b1", "b2"].map { .init(phone: String($0.prefix(1)), text: $0, certainty: .taken) },
      server: .init(name: "the server", rows: server),
      phones: [.init(name: "a", rows: a), .init(name: "b", rows: b)])
    change(&outcome)
    return outcome.judge()
  }

  private func promises(_ verdict: TortureOutcome.Verdict) -> [String] { verdict.violations.map(\.promise) }

  @Test func `all of it everywhere, in the senders' orders, is well`() {
    #expect(Self.outcome() == TortureOutcome.Verdict())
  }

  @Test func `a text that the server lost is lost, and the phones differ from it`() {
    let verdict = Self.outcome(server: Self.whole.filter { $0.text != "a2" })
    #expect(verdict.lost == 1)
    #expect(
      promises(verdict) == ["nothing lost", "the same on every phone", "the same on every phone"])
  }

  @Test func `a text that one phone lost is lost`() {
    let verdict = Self.outcome(b: Self.whole.filter { $0.text != "a1" })
    #expect(verdict.lost == 1)
    #expect(verdict.violations.first?.expected == "'a1' on b")
  }

  @Test func `a text that is there under two IDs is doubled`() {
    let twice = Self.whole + [Self.row("a1", id: "another")]
    let verdict = Self.outcome(server: twice, a: twice, b: twice)
    #expect(verdict.doubled == 3)
    #expect(verdict.violations.first?.promise == "nothing twice")
  }

  @Test func `two texts of one sender that changed places are out of order, wherever they are`() {
    let swapped = ["b1", "a2", "a1", "b2"].map { Self.row($0) }
    #expect(Self.outcome(server: swapped, a: swapped, b: swapped).outOfOrder == 3)
    let verdict = Self.outcome(b: swapped)
    #expect(verdict.outOfOrder == 2)
    #expect(promises(verdict) == ["order per sender", "the same on every phone"])
  }

  @Test func `texts of two senders that changed places on one phone are out of order`() {
    let verdict = Self.outcome(b: ["a1", "b1", "a2", "b2"].map { Self.row($0) })
    #expect(verdict.outOfOrder == 1)
    #expect(promises(verdict) == ["the same on every phone"])
  }

  @Test func `a text that failed once and was put back may be behind`() {
    let swapped = ["b1", "a2", "a1", "b2"].map { Self.row($0) }
    let verdict = Self.outcome(server: swapped, a: swapped, b: swapped) { $0.sent[0].keepsOrder = false }
    #expect(verdict == TortureOutcome.Verdict())
  }

  @Test func `a text whose phone died before it could say so may be there or not, and not twice`() {
    let without = Self.whole.filter { $0.text != "a2" }
    func die(_ outcome: inout TortureOutcome) { outcome.sent[1].certainty = .unanswered }
    #expect(Self.outcome(die) == TortureOutcome.Verdict())
    #expect(Self.outcome(server: without, a: without, b: without, die) == TortureOutcome.Verdict())
    let twice = Self.whole + [Self.row("a2", id: "another")]
    #expect(Self.outcome(server: twice, a: twice, b: twice, die).doubled == 3)
  }

  @Test func `a text that was not sent, was sent by another, or was refused by its phone is invented`() {
    let foreign = Self.whole + [Self.row("c1")]
    #expect(promises(Self.outcome(server: foreign, a: foreign, b: foreign)).contains("nothing invented"))
    let verdict = Self.outcome { $0.sent[0].certainty = .refused }
    #expect(Set(promises(verdict)) == ["nothing invented"])
    #expect(verdict.violations.count == 3)
  }

  @Test func `a text that waits at the end was not delivered`() {
    var waiting = Self.whole
    waiting[3].isDelivered = false
    #expect(promises(Self.outcome(b: waiting)) == ["nothing left waiting"])
  }

  @Test func `a text that is on the server and was in a composer is there twice`() {
    let verdict = Self.outcome {
      $0.restored = [.init(phone: "a", text: "a2"), .init(phone: "b", text: "b")]
    }
    #expect(verdict.doubled == 1)
    #expect(promises(verdict) == ["a text is in the composer or in the outbox"])
  }
}
