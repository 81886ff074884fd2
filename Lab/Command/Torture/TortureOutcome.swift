import Simulator

/// Compares the final contents of the stores with the texts that the phones were to send. The comparison decides the
/// run. Pure.
struct TortureOutcome: Sendable {
  enum Certainty: Sendable, Equatable {
    /// The phone reported that it accepted the text.
    case taken
    /// The phone reported that it could not accept the text.
    case refused
    /// The phone died before it answered. The text may exist, once.
    case unanswered
  }

  /// A text that a phone was to send. No two texts are the same.
  struct Sent: Sendable, Equatable {
    var phone: String
    var text: String
    var certainty: Certainty
    /// False once the message failed and was put back into the queue.
    var keepsOrder = true
  }

  /// A text that was in a phone's composer after a launch.
  struct Restored: Sendable, Equatable {
    var phone: String
    var text: String
  }

  struct Row: Sendable, Equatable {
    var id: String
    var sender: String
    var text: String
    var isDelivered = true
  }

  /// One store's messages, in the order in which the store shows them.
  struct Place: Sendable {
    var name: String
    var rows: [Row]
  }

  struct Verdict: Sendable, Equatable {
    var lost = 0
    var doubled = 0
    var outOfOrder = 0
    var violations: [Violation] = []
  }

  /// The texts that the phones were to send, in order.
  var sent: [Sent]
  var restored: [Restored] = []
  var server: Place
  var phones: [Place]

  func judge() -> Verdict {
    var verdict = Verdict()
    let known = Dictionary(sent.map { ($0.text, $0) }) { first, _ in first }
    for place in [server] + phones {
      checkPresence(at: place, known, &verdict)
      checkOrder(at: place, &verdict)
    }
    for phone in phones { checkAgreement(of: phone, &verdict) }
    checkComposers(&verdict)
    return verdict
  }

  private func checkPresence(at place: Place, _ known: [String: Sent], _ verdict: inout Verdict) {
    var copies: [String: Int] = [:]
    for row in place.rows { copies[row.text, default: 0] += 1 }
    for message in sent where message.certainty == .taken && copies[message.text] == nil {
      verdict.lost += 1
      verdict.fail("nothing lost", expected: "'\(message.text.beginning)' on \(place.name)", found: "nothing")
    }
    for (text, count) in copies.sorted(by: { $0.key < $1.key }) where count > 1 {
      verdict.doubled += 1
      verdict.fail("nothing twice", expected: "one '\(text.beginning)' on \(place.name)", found: "\(count)")
    }
    for row in place.rows {
      if known[row.text]?.phone != row.sender || known[row.text]?.certainty == .refused {
        verdict.fail(
          "nothing invented", expected: "only what \(row.sender) sent on \(place.name)",
          found: "'\(row.text.beginning)'")
      }
      if !row.isDelivered {
        verdict.fail(
          "nothing left waiting", expected: "'\(row.text.beginning)' delivered on \(place.name)",
          found: "it waits")
      }
    }
  }

  /// Checks that each phone's texts are in the order in which it was to send them.
  private func checkOrder(at place: Place, _ verdict: inout Verdict) {
    var numbers: [String: Int] = [:]
    for (number, message) in sent.enumerated() where message.keepsOrder { numbers[message.text] = number }
    var last: [String: (number: Int, text: String)] = [:]
    for row in place.rows {
      guard let number = numbers[row.text] else { continue }
      if let previous = last[row.sender], number < previous.number {
        verdict.outOfOrder += 1
        verdict.fail(
          "order per sender",
          expected: "'\(row.text.beginning)' before '\(previous.text.beginning)' on \(place.name)",
          found: "it behind")
      } else {
        last[row.sender] = (number, row.text)
      }
    }
  }

  private func checkAgreement(of phone: Place, _ verdict: inout Verdict) {
    let (shown, served) = (phone.rows.map(\.id), server.rows.map(\.id))
    guard shown != served else { return }
    let place = zip(shown, served).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    if Set(shown) == Set(served), shown.count == served.count { verdict.outOfOrder += 1 }
    verdict.fail(
      "the same on every phone", expected: "the server's \(served.count) messages on \(phone.name)",
      found: "\(shown.count), which differ from number \((place ?? min(shown.count, served.count)) + 1) on")
  }

  /// Checks that a sent text is never in the composer again (rule U3).
  private func checkComposers(_ verdict: inout Verdict) {
    let served = Set(server.rows.map(\.text))
    for draft in restored where served.contains(draft.text) {
      verdict.doubled += 1
      verdict.fail(
        "a text is in the composer or in the outbox",
        expected: "'\(draft.text.beginning)' in one place on \(draft.phone)",
        found: "it sent, and in the composer")
    }
  }
}

extension TortureOutcome.Verdict {
  fileprivate mutating func fail(_ promise: String, expected: String, found: String) {
    violations.append(Violation(promise: promise, expected: expected, found: found))
  }
}

extension String {
  /// The beginning of a text, which identifies it in a report. The padding at its end carries no information.
  var beginning: String { count > 40 ? "\(prefix(40))…" : self }
}
