import Foundation
import Holdfast
import HoldfastRescue

/// A history that a device's user imports from an older app, more than once (rule H9). The file never changes.
struct OldHistory: Sendable {
  /// More messages than a few transactions of an import take.
  private static let count = 600

  let conversation: ConversationID
  let texts: [String]

  init(of device: String) {
    conversation = ConversationID(rawValue: "history-\(device)")
    texts = (1...Self.count).map { "old \($0) of \(device)" }
  }

  fileprivate func write(to file: URL) throws {
    let messages = texts.map { ["role": "user", "content": $0] }
    let conversation: [String: Any] = ["id": conversation.rawValue, "messages": messages]
    let history: [String: Any] = ["conversations": [conversation]]
    try JSONSerialization.data(withJSONObject: history, options: .sortedKeys).write(to: file)
  }
}

/// Users import a history, and import it again after an import was cut short. At every moment the imported part is a
/// prefix without gaps, and no message exists twice.
extension PhoneUser {
  func importHistory() async {
    let history = OldHistory(of: device)
    let file = world.folder.appendingPathComponent("history-\(device).json")
    do {
      if !FileManager.default.fileExists(atPath: file.path) { try history.write(to: file) }
    } catch {
      return phone.fail("a world has its files", expected: "a history to import", found: "\(error)")
    }
    checkHistory(history, isWhole: false)
    do {
      let report = try client.importHistory(from: file)
      guard !gate.isDead else { return }
      phone.memory.withLock { $0.imports += 1 }
      world.count(deed: "import")
      world.trace(name, "imports \(report.messages) messages, and has \(report.alreadyHere)")
      if report.messages + report.alreadyHere != history.texts.count || !report.isComplete {
        phone.fail(
          "an import says what it did", expected: "\(history.texts.count) messages",
          found: "\(report.messages), and \(report.alreadyHere) that were here")
      }
      checkHistory(history, isWhole: true)
    } catch {
      checkRefusal(error)
    }
  }

  private func checkHistory(_ history: OldHistory, isWhole: Bool) {
    let limit = history.texts.count * 2
    guard let rows = try? client.reader.conversation(history.conversation, limit: limit).rows,
      !gate.isDead
    else { return }
    let found = rows.map(\.text)
    let expected = isWhole ? history.texts : Array(history.texts.prefix(found.count))
    guard found != expected else { return }
    phone.fail(
      "what is imported is there once", expected: "\(expected.count) messages in their order",
      found: "\(found.count), of which \(Set(found).count) differ")
  }
}
