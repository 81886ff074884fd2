import Foundation
import Holdfast

/// A plain table of messages, in the place of Core Data or SwiftData. Its file has one line of JSON for each
/// transaction.
@MainActor final class MessageTable {
  /// A message of the app.
  struct Row {
    var text: String
    var state = State.waiting

    enum State {
      case waiting, delivered, failed
    }
  }

  /// One transaction: rows that are inserted, and outcomes together with the number of the last one.
  private struct Change: Codable {
    var inserted: [String: String] = [:]
    var settled: [Outcome] = []
    var lastDelivery: Int64?

    struct Outcome: Codable {
      var id: String
      /// Nil for a message that was delivered.
      var failure: String?
    }
  }

  private(set) var rows: [MessageID: Row] = [:]
  /// The number of the last outcome that a row knows of. 0 when none does.
  private(set) var lastDelivery: Int64 = 0
  private let file: FileHandle

  /// Opens the table, or makes it when there is none.
  init(_ url: URL) throws {
    if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
    file = try FileHandle(forUpdating: url)
    // A line without an end is a transaction that was never finished.
    let content = try file.readToEnd() ?? Data()
    let end = content.lastIndex(of: UInt8(ascii: "\n")).map { content.index(after: $0) } ?? content.startIndex
    try file.truncate(atOffset: UInt64(end - content.startIndex))
    for line in content[..<end].split(separator: UInt8(ascii: "\n")) {
      apply(try JSONDecoder().decode(Change.self, from: line))
    }
  }

  var summary: String {
    let counts = [Row.State.waiting, .delivered, .failed].map { state in
      rows.values.count(where: { $0.state == state })
    }
    return "\(counts[0]) waiting, \(counts[1]) delivered, \(counts[2]) failed"
  }

  func insert(_ id: MessageID, _ text: String) throws { try commit(Change(inserted: [id.rawValue: text])) }

  /// Stores outcomes, and the number of the last one, in one transaction.
  func record(_ news: [OutboxOutcome]) throws {
    let outcomes = news.map { Change.Outcome(id: $0.message.rawValue, failure: $0.failure?.explanation) }
    try commit(Change(settled: outcomes, lastDelivery: news.last?.number))
  }

  private func commit(_ change: Change) throws {
    try file.write(contentsOf: JSONEncoder().encode(change) + [UInt8(ascii: "\n")])
    try file.synchronize()
    apply(change)
  }

  private func apply(_ change: Change) {
    for (id, text) in change.inserted { rows[MessageID(rawValue: id)] = Row(text: text) }
    for outcome in change.settled {
      rows[MessageID(rawValue: outcome.id)]?.state = outcome.failure == nil ? .delivered : .failed
    }
    lastDelivery = change.lastDelivery ?? lastDelivery
  }
}
