import Holdfast
import HoldfastPresenters

/// The drawn parts of a message beside its plain text. Only a message with Markdown or references has them.
struct MessageBody: Sendable, Codable, Hashable {
  /// The ``Markdown`` of an assistant's answer. Nil: the text is shown as it is.
  var blocks: [String]?
  /// The tiles of its images and videos.
  var references: [PresentedReference] = []
}

/// The bodies of a window's rows. Each is made again only when its message has changed, so that a word of an answer
/// costs the same below a short conversation and below a long one.
struct MessageBodies {
  private struct Known {
    var content: MessageContent
    var isStreaming: Bool
    var body: MessageBody
  }

  private var known: [MessageID: Known] = [:]

  /// The bodies by the IDs of their messages.
  mutating func bodies(
    of rows: [MessageRow], _ texts: (ChatConfiguration.ShownText) -> String
  ) -> [String: MessageBody] {
    known = rows.reduce(into: [:]) { new, row in
      // What a person has written is shown as typed.
      let isAnswer = row.role == .assistant && !row.text.isEmpty
      guard isAnswer || row.content.hasReferences else { return }
      let isStreaming = row.status.state == .streaming
      if let known = known[row.id], known.isStreaming == isStreaming, known.content == row.content {
        new[row.id] = known
        return
      }
      let body = MessageBody(
        blocks: isAnswer ? Markdown.blocks(of: row.text, isStreaming: isStreaming) : nil,
        references: PresentedReference.all(in: row.content, texts))
      new[row.id] = Known(content: row.content, isStreaming: isStreaming, body: body)
    }
    return Dictionary(uniqueKeysWithValues: known.map { ($0.key.rawValue, $0.value.body) })
  }
}
