import Holdfast

/// A promise that was not kept.
public struct Violation: Error, Sendable, Hashable, CustomStringConvertible {
  public var promise: String
  public var expected: String
  public var found: String
  public var description: String { "\(promise): expected \(expected), found \(found)" }
}

/// What a world looks like once everything has come to rest.
struct Outcome: Sendable {
  struct Row: Sendable, Hashable {
    var id: MessageID
    var sender: UserID
    var text: String
    var order: Int64?
    var isDelivered: Bool
  }
  var sent: [Promises.Sent]
  /// Texts whose send the end of the process cut off.
  var uncertain: Set<String>
  /// The server's messages in its order.
  var server: [Row]
  /// Each phone's timeline, from the oldest to the newest.
  var phones: [(user: UserID, rows: [Row])]
  var waiting: [(user: UserID, count: Int)]

  /// Everywhere a message can be, by name.
  var places: [(name: String, rows: [Row])] {
    [(name: "server", rows: server)] + phones.map { (name: $0.user.rawValue, rows: $0.rows) }
  }
}

/// The promises, each a function of its own.
enum Invariants {
  static func check(_ outcome: Outcome) -> [Violation] {
    [nothingLeftWaiting, nothingLost, nothingTwice, nothingInvented, orderPerSender, sameEverywhere]
      .flatMap { $0(outcome) }
  }

  /// Every message whose send returned is on the server, under its ID, and on every phone.
  static func nothingLost(_ outcome: Outcome) -> [Violation] {
    outcome.places.flatMap { place in
      let found = Set(place.rows.map(\.id))
      return outcome.sent.filter { !found.contains($0.id) }.map {
        Violation(
          promise: "nothing lost", expected: "\($0.id) '\($0.text)' on \(place.name)", found: "nothing")
      }
    }
  }

  /// Every text was sent once by its user, so it is nowhere twice, whatever its ID.
  static func nothingTwice(_ outcome: Outcome) -> [Violation] {
    outcome.places.flatMap { place in
      let copies = Dictionary(grouping: place.rows, by: \.text).filter { $0.value.count > 1 }
      return copies.sorted { $0.key < $1.key }.map {
        Violation(
          promise: "nothing twice", expected: "one '\($0.key)' on \(place.name)", found: "\($0.value.count)")
      }
    }
  }

  /// What is there has been sent.
  static func nothingInvented(_ outcome: Outcome) -> [Violation] {
    let texts = Set(outcome.sent.map(\.text)).union(outcome.uncertain)
    return outcome.server.filter { !texts.contains($0.text) }.map {
      Violation(promise: "nothing invented", expected: "only what was sent", found: "'\($0.text)' on server")
    }
  }

  /// The server has each sender's messages in the order of the sends.
  static func orderPerSender(_ outcome: Outcome) -> [Violation] {
    Set(outcome.sent.map(\.sender)).sorted { $0.rawValue < $1.rawValue }.compactMap { sender in
      let sent = outcome.sent.filter { $0.sender == sender }.map(\.id)
      let known = Set(sent)
      let served = outcome.server.filter { $0.sender == sender && known.contains($0.id) }.map(\.id)
      guard served != sent else { return nil }
      let index = zip(sent, served).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? 0
      return Violation(
        promise: "order per sender", expected: "\(sender)'s message \(index) to be \(sent[index])",
        found: index < served.count ? "\(served[index])" : "none")
    }
  }

  /// Every phone shows what the server has, in the server's order.
  static func sameEverywhere(_ outcome: Outcome) -> [Violation] {
    outcome.phones.compactMap { phone in
      let shown = phone.rows.filter(\.isDelivered).map(\.id)
      let served = outcome.server.map(\.id)
      guard shown != served else { return nil }
      return Violation(
        promise: "the same on every phone",
        expected: "\(served.count) messages in the server's order on \(phone.user)",
        found:
          "\(shown.count), \(shown == served.filter(Set(shown).contains) ? "some missing" : "in another order")"
      )
    }
  }

  /// Everyone is online, nothing goes wrong any more, and yet something waits.
  static func nothingLeftWaiting(_ outcome: Outcome) -> [Violation] {
    outcome.waiting.filter { $0.count > 0 }.map {
      Violation(
        promise: "nothing left waiting", expected: "an empty outbox on \($0.user)", found: "\($0.count)")
    }
  }
}
