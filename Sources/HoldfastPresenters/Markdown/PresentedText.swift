import Foundation
import Holdfast

/// The form in which the text of a message is drawn: plain, or as Markdown.
package enum PresentedText: Sendable, Hashable {
  /// As it was typed.
  case plain(String)
  /// As Markdown. `isStreaming` says whether more words come.
  case markdown(String, isStreaming: Bool)

  /// - Parameter roles: the authors whose messages are in Markdown.
  package init(_ row: MessageRow, markdown roles: Set<MessageRole>) {
    self =
      roles.contains(row.role) && row.note == nil && !row.isLarge
      ? .markdown(row.text, isStreaming: row.status.state == .streaming) : .plain(row.text)
  }

  package var isMarkdown: Bool { if case .markdown = self { true } else { false } }
}

/// A link of a message. It is untrusted: the whole address is shown before it is opened.
package struct PresentedLink: Sendable, Hashable {
  package var url: URL
  /// The host that is opened, whatever the address has before it.
  package var host: String
  package var address: String { url.absoluteString }

  /// Nil for an address that is not in the web.
  package init?(_ url: URL) {
    guard PresentedReference.isWeb(url.absoluteString), let host = url.host, !host.isEmpty else { return nil }
    (self.url, self.host) = (url, host)
  }
}
