import Foundation

/// The fields that a message's author gives it: its text, and what belongs to the text.
///
/// ```swift
/// let content = MessageContent("See you at eight", replyTo: question.id)
/// ```
///
/// Every side carries the content whole: composer, store, wire, server, import and export. Each side adds its own
/// fields beside it. Attachments stay beside it too, because each side knows something else of a file.
public struct MessageContent: Sendable, Hashable {
  /// The part that an edit replaces.
  public var text: MessageContent.FormattedText
  /// The reasoning that a model sent with its answer. Nil when it sent none.
  public var reasoning: String?
  /// The message that this one answers, in the same conversation. It may not have arrived, or may no longer exist.
  /// Nil when this message answers no other.
  public var replyTo: MessageID?

  /// Content with this text. The content of a deleted message by default.
  public init(
    _ body: String = "", formatting: Data? = nil, reasoning: String? = nil, replyTo: MessageID? = nil
  ) {
    self.init(MessageContent.FormattedText(body, formatting: formatting), reasoning: reasoning, replyTo: replyTo)
  }

  /// Content with this text.
  public init(_ text: MessageContent.FormattedText, reasoning: String? = nil, replyTo: MessageID? = nil) {
    self.text = text
    self.reasoning = reasoning
    self.replyTo = replyTo
  }

  /// The ``Text/body`` of the text.
  public var body: String {
    get { text.string }
    set { text.string = newValue }
  }

  /// The ``Text/formatting`` of the text.
  public var formatting: Data? {
    get { text.formatting }
    set { text.formatting = newValue }
  }

  /// The content as the store keeps it. See `String.storable`.
  package var storable: MessageContent {
    var content = self
    content.body = body.storable
    content.reasoning = reasoning?.storable
    return content
  }

  /// The size of the longest part, in bytes. A server limits each part by itself.
  package var longestPart: Int { max(text.longestPart, reasoning?.utf8.count ?? 0) }
}

extension MessageContent {
  /// The text of a message, with its mentions and spans. An edit replaces it as a whole.
  public struct Text: Sendable, Hashable {
    /// The text itself.
    public var body: String
    /// Mentions and spans of `body`, in the format of its author's app. Like the text, they cannot be trusted. Nil for
    /// plain text.
    public var formatting: Data?

    /// A text with these spans.
    public init(_ body: String, formatting: Data? = nil) {
      self.body = body
      self.formatting = formatting
    }

    /// The size of the longer part, in bytes.
    package var longestPart: Int { max(body.utf8.count, formatting?.count ?? 0) }
  }
}
