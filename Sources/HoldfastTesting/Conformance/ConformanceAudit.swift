import Holdfast

/// Compares the users' acts with the server's record. Pure.
struct ConformanceAudit: Sendable, Equatable {
  var lost = 0
  var doubled = 0
  var reordered = 0
  var sentences: [String] = []

  init() {}

  /// - Parameters:
  ///   - pending: the messages that still wait on a phone. The server may lack them, because they were not reported
  ///     as delivered to their users.
  ///   - records: the server's messages, in its order.
  init(
    of entries: [ConformanceLedger.Entry], pending: Set<MessageID> = [],
    against records: [TransportConformance.Record]
  ) {
    for entry in entries { compare(entry, isPending: pending.contains(entry.id), with: records) }
    compareOrder(of: entries, with: records)
    let known = entries.reduce(into: Set<String>()) { $0.formUnion($1.texts) }
    let ids = Set(entries.map(\.id))
    for record in records where !ids.contains(record.id) && !known.contains(record.text) {
      sentences.append("The server has '\(record.text)', which nobody sent.")
    }
  }

  static func + (left: Self, right: Self) -> Self {
    var sum = left
    sum.lost += right.lost
    sum.doubled += right.doubled
    sum.reordered += right.reordered
    sum.sentences += right.sentences
    return sum
  }

  private mutating func compare(
    _ entry: ConformanceLedger.Entry, isPending: Bool, with records: [TransportConformance.Record]
  ) {
    let name = "'\(entry.texts.min() ?? "")'"
    // A copy under another ID is found by its text.
    let copies = records.filter { record in
      record.id == entry.id || (!record.isDeleted && entry.texts.contains(record.text))
    }
    if entry.presence == .never {
      if !copies.isEmpty { sentences.append("The server has \(name), which was withdrawn or refused.") }
      return
    }
    if copies.count > 1 {
      doubled += copies.count - 1
      sentences.append("The server has \(name) \(copies.count) times.")
    }
    guard let record = copies.first(where: { $0.id == entry.id }) else {
      if let copy = copies.first {
        sentences.append("The server has \(name) under the ID \(copy.id) instead of \(entry.id).")
      } else if !isPending, !entry.isDeleted {
        lost += 1
        sentences.append("The server does not have \(name).")
      }
      return
    }
    if !isPending { compareState(of: entry, name, with: record) }
  }

  private mutating func compareState(
    of entry: ConformanceLedger.Entry, _ name: String, with record: TransportConformance.Record
  ) {
    func lose(_ sentence: String) {
      lost += 1
      sentences.append(sentence)
    }
    if record.sender != entry.sender {
      sentences.append("The server has \(name) from \(record.sender) instead of \(entry.sender).")
    }
    guard !entry.isDeleted else {
      if !record.isDeleted { lose("The server has \(name), which its sender has deleted.") }
      return
    }
    if record.isDeleted { lose("The server has deleted \(name).") }
    if record.text != entry.text {
      lose("The server has '\(record.text)' instead of '\(entry.text)'.")
    }
    if record.attachments != entry.attachments {
      lose("The server has \(record.attachments.count) of the \(entry.attachments.count) files of \(name).")
    }
    for reaction in entry.reactions where !record.reactions.contains(reaction) {
      lose("The server does not have the reaction \(reaction.value) of \(reaction.sender) to \(name).")
    }
    for reaction in Set(record.reactions) where !entry.reactions.contains(reaction) {
      lose("The server still has the reaction \(reaction.value) of \(reaction.sender) to \(name).")
    }
    let again = record.reactions.count - Set(record.reactions).count
    if again > 0 {
      doubled += again
      sentences.append("The server has a reaction to \(name) more than once.")
    }
  }

  /// Compares the order of each sender's messages.
  private mutating func compareOrder(
    of entries: [ConformanceLedger.Entry], with records: [TransportConformance.Record]
  ) {
    var places: [MessageID: Int] = [:]
    for (place, record) in records.enumerated() { places[record.id] = places[record.id] ?? place }
    var last: [UserID: (place: Int, text: String)] = [:]
    for entry in entries where entry.keepsPlace && entry.presence == .once {
      guard let place = places[entry.id] else { continue }
      if let earlier = last[entry.sender], place < earlier.place {
        reordered += 1
        sentences.append(
          "The server has '\(entry.text)' in front of '\(earlier.text)', which was sent earlier.")
      } else {
        last[entry.sender] = (place, entry.text)
      }
    }
  }
}
