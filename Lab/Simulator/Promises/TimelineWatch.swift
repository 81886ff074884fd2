import Holdfast

/// One timeline from a reader's view, snapshot by snapshot. It checks the rules from each snapshot to the next, also
/// across the ends of processes.
struct TimelineWatch: Sendable {
  private struct Seen: Sendable {
    var text: String
    var isDelivered: Bool
    var isComplete: Bool
    var isWrittenHere: Bool
  }

  private var seen: [MessageID: Seen] = [:]
  private var delivered: [MessageID] = []
  /// Messages that were evicted.
  private var evicted: Set<MessageID> = []
  /// Whether the process was launched again since the last snapshot. The end of a process loses the last moment of a
  /// stream.
  private var isRelaunched = false

  mutating func relaunch() { isRelaunched = true }

  /// Whether a message was delivered when it was last seen, so that it may have been evicted since.
  func mayHaveMadeRoom(_ id: MessageID) -> Bool { seen[id]?.isDelivered == true || evicted.contains(id) }

  /// Compares a snapshot with the earlier ones, and returns the violations.
  ///
  /// - Parameter eviction: the messages that may be evicted. Nil when none may be.
  /// - Parameter mayMove: whether a delivered message may still change its place: its user sent it again, and the
  ///   server, which assigns no numbers, may have had it at an earlier place. Only its event shows that.
  mutating func show(
    _ rows: [MessageRow], withdrawn: (MessageID) -> Bool, isChanged: (MessageID) -> Bool = { _ in false },
    eviction: EvictionPromise? = nil, mayMove: (MessageID) -> Bool = { _ in false },
    reply: (MessageID) -> Promises.Reply?
  ) -> [Violation] {
    var violations = Self.duplicates(rows)
    let present = Set(rows.map(\.id))
    if let eviction { violations += makeRoom(for: rows, eviction) }
    for id in seen.keys.filter({ !present.contains($0) }).sorted(by: { $0.rawValue < $1.rawValue }) {
      let row = seen.removeValue(forKey: id)
      if withdrawn(id), row?.isDelivered != true { continue }
      if let row, isGone(row) { continue }
      violations.append(
        Violation(
          promise: "a row stays", expected: "\(id) '\(row?.text ?? "")' to stay on the screen",
          found: "it is gone"))
    }
    for row in rows { violations += follow(row, isChanged: isChanged(row.id), reply: reply) }
    let order = rows.filter { $0.status.state == .delivered }.map(\.id)
    let known = Set(delivered)
    if order.filter({ known.contains($0) && !mayMove($0) })
      != delivered.filter({ present.contains($0) && !mayMove($0) })
    {
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

  /// Whether nothing was stored of a reply that somebody else writes. Its row comes back with its pieces.
  private func isGone(_ row: Seen) -> Bool {
    !row.isComplete && !row.isWrittenHere && (isRelaunched || row.text.isEmpty)
  }

  /// Removes the messages that were evicted since the last snapshot.
  private mutating func makeRoom(for rows: [MessageRow], _ eviction: EvictionPromise) -> [Violation] {
    let present = Set(rows.map(\.id))
    let order = rows.filter { $0.status.state == .delivered }.map(\.id)
    let gone = delivered.filter { !present.contains($0) }
    for id in gone { seen[id] = nil }
    evicted.formUnion(gone)
    // Only a message on this device is replied to, and the message stays for as long as the reply waits.
    let answered = rows.first { row in
      row.status.isUnsent && row.quote.map { $0.sender == nil && !$0.isDeleted } == true
    }
    let unkept = answered.map {
      Violation(
        promise: "what something unsent refers to stays", expected: "what \($0.id) answers to be here",
        found: "it is gone")
    }
    if eviction.mayComeBack { evicted.subtract(present) }
    let back = rows.first { evicted.contains($0.id) }.map {
      Violation(
        promise: "what has made room stays away", expected: "\($0.id) to be gone", found: "it is there again")
    }
    return [eviction.violation(before: delivered, after: order), unkept, back].compactMap(\.self)
  }

  static func duplicates(_ rows: [MessageRow]) -> [Violation] {
    let ids = Dictionary(grouping: rows, by: \.id).filter { $0.value.count > 1 }.map(\.key.rawValue)
    let shown = rows.filter { $0.status.isComplete && !$0.isDeleted }
    let texts = Dictionary(grouping: shown, by: \.text)
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
      text: row.text, isDelivered: row.status.state == .delivered,
      isComplete: row.status.isComplete, isWrittenHere: row.isWrittenHere)
    if let reply = reply(row.id), !row.isDeleted {
      require(
        present.isComplete
          ? reply.text == row.text : reply.shown.contains { $0.hasPrefix(row.text) },
        present.isComplete ? "streamed text is finally equal" : "streamed text is a prefix",
        "\(row.id) to be\(present.isComplete ? "" : " a beginning of") '\(reply.text)'", "'\(row.text)'")
    }
    if let past = seen[row.id] {
      require(
        !past.isDelivered || present.isDelivered, "delivered is for ever", "\(row.id) to stay delivered",
        "\(row.status.state)")
      require(
        !past.isComplete || present.isComplete, "complete is for ever", "\(row.id) to stay complete",
        "\(row.status.state)")
      // An answer that was cut off may begin anew. An answer that was finished elsewhere may arrive as deleted.
      let grows =
        isRelaunched || present.text.hasPrefix(past.text) || reply(row.id)?.earlier.isEmpty == false
        || row.isDeleted && isChanged
      require(
        past.isComplete ? isChanged || present.text == past.text : grows, "a text does not change",
        "\(row.id) to go on from '\(past.text)'", "'\(present.text)'")
    }
    seen[row.id] = present
    return violations
  }
}
