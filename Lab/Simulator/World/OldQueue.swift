import Foundation
import Holdfast
import HoldfastRescue

/// The queue of an older app that a device's user imports, more than once (rule H10). The file never changes.
struct OldQueue: Sendable {
  struct Entry: Sendable {
    /// Nil when the older app gave the entry no ID.
    var id: MessageID?
    var conversation: ConversationID
    var text: String
    /// Whether the entry was written a day before the world began.
    var isOld: Bool
  }

  /// Two parts, each in its own transaction. Between them are entries with nothing to send, more of them than one
  /// transaction takes.
  let parts: [[Entry]]
  static let nothings = 250

  var entries: [Entry] { parts.flatMap(\.self) }

  init(of device: String, in conversations: [ConversationID]) {
    let entries = (0..<6).map { number in
      Entry(
        id: number == 3 ? nil : MessageID(rawValue: "queue-\(device)-\(number)"),
        conversation: conversations[number % conversations.count],
        text: "\(device)'s queued \(number) of another app.", isOld: number.isMultiple(of: 2))
    }
    parts = [Array(entries[..<3]), Array(entries[3...])]
  }

  func write(to file: URL) throws {
    let nothing = Array(
      repeating: ["chatID": parts[0][0].conversation.rawValue, "text": " "], count: Self.nothings)
    let queue = parts[0].map(Self.fields) + nothing + parts[1].map(Self.fields)
    try JSONSerialization.data(withJSONObject: queue, options: .sortedKeys).write(to: file)
  }

  private static func fields(of entry: Entry) -> [String: String] {
    var fields = ["chatID": entry.conversation.rawValue, "text": entry.text]
    fields["id"] = entry.id?.rawValue
    if entry.isOld { fields["timestamp"] = "2025-12-31T00:00:00Z" }
    return fields
  }
}

/// Users import a queue, and import it again after an import was cut short. Each message goes after the messages
/// that wait at that moment, exactly once, regardless of its outcome.
extension PhoneUser {
  func importQueue() {
    let queue = phone.queue
    let file = world.folder.appendingPathComponent("queue-\(device).json")
    do {
      if !FileManager.default.fileExists(atPath: file.path) { try queue.write(to: file) }
    } catch {
      return phone.fail("a world has its files", expected: "a queue to import", found: "\(error)")
    }
    let known = phone.memory.withLock { $0.queued.count }
    let isDone = begin(.importQueue, { try client.importHistory(from: file) }) { report in
      phone.memory.withLock { $0.queueImports += 1 }
      world.count(deed: "import a queue")
      world.trace(name, "queues \(report.queued) messages of another app, and has \(report.alreadyHere)")
      let isWhole = report.problemCount == OldQueue.nothings && report.alreadyHere == known
      if report.queued + known != queue.entries.count || !isWhole {
        phone.fail(
          "an import says what it did",
          expected: "\(queue.entries.count - known) new messages, \(known) known",
          found: "\(report.queued) new, \(report.alreadyHere) known")
      }
      phone.noteQueue(timelines())
      let found = phone.memory.withLock { $0.queued.count }
      if found != queue.entries.count, !gate.isDead {
        phone.fail(
          "what is queued is there", expected: "\(queue.entries.count) messages", found: "\(found)")
      }
    }
    // The first part may be in the outbox, although the disk was too full for the second part.
    if !isDone, !gate.isDead { phone.resolve(.importQueue, timelines(), client) }
  }
}

extension SimulatedPhone {
  var queue: OldQueue { OldQueue(of: device, in: conversations) }

  /// Records the imported messages that are in the outbox now and were not there before. A part is there as a whole,
  /// or not at all.
  func noteQueue(_ timelines: [ConversationID: [MessageRow]]) {
    var number = 0
    for part in queue.parts {
      var isThere: [Bool] = []
      for entry in part {
        defer { number += 1 }
        guard !memory.withLock({ $0.queued.contains(number) }) else { continue }
        let row = timelines[entry.conversation]?.first { row in
          entry.id.map { $0 == row.id } ?? (row.isMine && row.text == entry.text)
        }
        isThere.append(row != nil)
        guard let row else { continue }
        memory.withLock { _ = $0.queued.insert(number) }
        noteSent(row.id, entry.text, entry.conversation, attachments: [], isFromLongAgo: entry.isOld)
      }
      requireAllOrNone(isThere, "in the outbox, or not imported")
    }
  }
}
