import Holdfast

/// One timeline as a reader sees it, one snapshot after the other: what must hold from each to the next, over
/// the ends of processes too.
struct TimelineWatch: Sendable {
  private struct Seen: Sendable {
    var body: String
    var isDelivered: Bool
    var isComplete: Bool
  }

  private var seen: [MessageID: Seen] = [:]
  private var delivered: [MessageID] = []
  /// A process that ends takes the last moment of what was streaming with it.
  private var isRelaunched = false

  mutating func relaunch() { isRelaunched = true }

  /// Compares a snapshot with those before it.
  mutating func show(
    _ rows: [MessageRow], withdrawn: (MessageID) -> Bool, isChanged: (MessageID) -> Bool = { _ in false },
    reply: (MessageID) -> Promises.Reply?
  ) -> [Violation] {
    var violations = duplicates(rows)
    let present = Set(rows.map(\.id))
    for id in seen.keys.filter({ !present.contains($0) }).sorted(by: { $0.rawValue < $1.rawValue }) {
      let row = seen.removeValue(forKey: id)
      if withdrawn(id), row?.isDelivered != true { continue }
      violations.append(
        Violation(
          promise: "a row stays", expected: "\(id) '\(row?.body ?? "")' to stay on the screen",
          found: "it is gone"))
    }
    for row in rows { violations += follow(row, isChanged: isChanged(row.id), reply: reply) }
    let order = rows.filter { $0.delivery == .delivered && $0.completeness == .complete }.map(\.id)
    let known = Set(delivered)
    if order.filter(known.contains) != delivered.filter(present.contains) {
      violations.append(
        Violation(
          promise: "delivered rows keep their order",
          expected: delivered.map(\.rawValue).joined(separator: " "),
          found: order.map(\.rawValue).joined(separator: " ")))
    }
    delivered = order
    isRelaunched = false
    return violations
  }

  private func duplicates(_ rows: [MessageRow]) -> [Violation] {
    let ids = Dictionary(grouping: rows, by: \.id).filter { $0.value.count > 1 }.map(\.key.rawValue)
    let shown = rows.filter { $0.completeness == .complete && !$0.isDeleted }
    let texts = Dictionary(grouping: shown, by: \.body)
      .filter { $0.value.count > 1 }.map(\.key)
    return (ids + texts).sorted().map {
      Violation(promise: "nothing twice", expected: "one '\($0)' on the screen", found: "more")
    }
  }

  private mutating func follow(
    _ row: MessageRow, isChanged: Bool, reply: (MessageID) -> Promises.Reply?
  ) -> [Violation] {
    var violations: [Violation] = []
    func require(_ holds: Bool, _ promise: String, _ expected: String, _ found: String) {
      if !holds { violations.append(Violation(promise: promise, expected: expected, found: found)) }
    }
    let present = Seen(
      body: row.body, isDelivered: row.delivery == .delivered && row.completeness == .complete,
      isComplete: row.completeness == .complete)
    if let reply = reply(row.id) {
      require(
        present.isComplete
          ? reply.text == row.body : reply.shown.contains { $0.hasPrefix(row.body) },
        present.isComplete ? "streamed text is finally equal" : "streamed text is a prefix",
        "\(row.id) to be\(present.isComplete ? "" : " a beginning of") '\(reply.text)'", "'\(row.body)'")
    }
    if let past = seen[row.id] {
      require(
        !past.isDelivered || present.isDelivered, "delivered is for ever", "\(row.id) to stay delivered",
        "\(row.delivery)")
      require(
        !past.isComplete || present.isComplete, "complete is for ever", "\(row.id) to stay complete",
        "\(row.completeness)")
      // One that was cut off may begin anew.
      let grows =
        isRelaunched || present.body.hasPrefix(past.body) || reply(row.id)?.earlier.isEmpty == false
      require(
        past.isComplete ? isChanged || present.body == past.body : grows, "a text does not change",
        "\(row.id) to go on from '\(past.body)'", "'\(present.body)'")
    }
    seen[row.id] = present
    return violations
  }
}
