import Foundation
import HoldfastCore

/// The export of Claude: `conversations.json`, an array of conversations with their `chat_messages`.
struct ClaudeFormat: ConversationFormat {
  var format: ImportFormat { .claude }

  func link(_ value: JSONValue, key: String?) -> MessageLink? {
    link(
      LooseFields(value), ids: ["uuid", "id"], parents: ["parentmessageuuid", "parentuuid", "parentid"],
      key: key)
  }

  /// The placeholder for each tool call in the plain text of a message.
  private static let placeholder = "This block is not supported on your current device yet."

  func entry(_ value: JSONValue, _ reading: EntryReading) throws -> HistoryEntry? {
    guard var object = value.object, let text = object["text"]?.text, text.contains(Self.placeholder) else {
      return try reading.entry(value)
    }
    let shown = text.replacingOccurrences(of: "```\n\(Self.placeholder)\n```", with: "")
      .replacingOccurrences(of: Self.placeholder, with: "")
    object["text"] = .text(
      shown.split(separator: "\n\n").map { String($0).trimmed }.filter { !$0.isEmpty }.joined(
        separator: "\n\n"))
    return try reading.entry(.object(object))
  }
}
