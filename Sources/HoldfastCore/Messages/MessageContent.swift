import Foundation

/// The fields that a message's author gives it: its text, and what belongs to the text.
///
/// ```swift
/// let content = MessageContent("See you at eight", replyTo: question.id)
/// ```
///
/// Every side carries the content whole: composer, store, wire, server, import and export. Each side adds its own
/// fields beside it. Attachments stay beside it too, because each side knows different facts about a file.
public struct MessageContent: Sendable, Codable, Hashable {
  /// The part that an edit replaces.
  package var formattedText: MessageContent.FormattedText
  /// The reasoning that a model sent with its answer. Nil when it sent none.
  public var reasoning: String?
  /// The message that this one answers, in the same conversation. It may not have arrived, or may no longer exist.
  /// Nil when this message answers no other.
  public var replyTo: MessageID?
  /// The request that this message answers. A server that knows it can report to the request's sender that the answer
  /// exists (`TransportConnection.outcome(of:in:)`). When the message arrives, the request is no longer under way
  /// (``ConversationHandle/beginProcessing(_:)``). An edit keeps it. Nil when the message answers no request.
  public var request: RequestID?
  /// The app's own data about the message, opaque to the engine: the model that wrote it, calls of tools, the reason
  /// for its end, token counts. At most ``maximumMetadataBytes``. Every member of the conversation can read it. An edit
  /// keeps it, and a deletion removes it. Nil when the author gave none.
  public var metadata: Data?
  /// References to the message's images, such as URLs, in their order. The engine carries them, and neither loads nor
  /// checks their targets. A reference of somebody else is as untrusted as the text. A file that travels with the
  /// message is a ``ChatAttachment`` instead. At most ``maximumReferences``. An edit keeps them, and a deletion
  /// removes them.
  public var images: [String]
  /// References to the message's videos, as ``images``.
  public var videos: [String]

  /// The largest size of ``metadata``: 64 KB.
  public static let maximumMetadataBytes = 65_536
  /// The largest number of ``images``, and of ``videos``.
  public static let maximumReferences = 32
  /// The largest size of one reference, in bytes of UTF-8.
  public static let maximumReferenceBytes = 2_048

  /// Content with this text. The content of a deleted message by default.
  public init(
    _ text: String = "", formatting: Data? = nil, reasoning: String? = nil, replyTo: MessageID? = nil,
    request: RequestID? = nil, metadata: Data? = nil, images: [String] = [], videos: [String] = []
  ) {
    self.init(
      MessageContent.FormattedText(text, formatting: formatting), reasoning: reasoning, replyTo: replyTo,
      request: request, metadata: metadata, images: images, videos: videos)
  }

  package init(
    _ formattedText: MessageContent.FormattedText, reasoning: String? = nil, replyTo: MessageID? = nil,
    request: RequestID? = nil, metadata: Data? = nil, images: [String] = [], videos: [String] = []
  ) {
    self.formattedText = formattedText
    self.reasoning = reasoning
    self.replyTo = replyTo
    self.request = request
    self.metadata = metadata
    self.images = images
    self.videos = videos
  }

  /// The text itself. An edit replaces it, together with its formatting.
  public var text: String {
    get { formattedText.string }
    set { formattedText.string = newValue }
  }

  /// Mentions and spans of the text, in the format of its author's app. Like the text, they cannot be trusted. Nil
  /// for plain text.
  public var formatting: Data? {
    get { formattedText.formatting }
    set { formattedText.formatting = newValue }
  }

  /// Applies the content of an edit.
  ///
  /// - Parameter isWhole: whether the edit replaces all that the author gave, and not the text alone. The answered
  ///   message and the answered request stay in any case.
  package mutating func edit(_ new: MessageContent, isWhole: Bool) {
    formattedText = new.formattedText
    guard isWhole else { return }
    (reasoning, metadata, images, videos) = (new.reasoning, new.metadata, new.images, new.videos)
  }

  package var hasReferences: Bool { !images.isEmpty || !videos.isEmpty }

  /// The fields of a message that a composer holds. The others are not typed.
  package var composed: MessageContent { MessageContent(formattedText, replyTo: replyTo) }
}

extension MessageContent {
  /// The text of a message, with its mentions and spans. An edit replaces it as a whole.
  package struct FormattedText: Sendable, Hashable {
    /// The text itself.
    package var string: String
    /// Mentions and spans of `string`, in the format of its author's app. Like the text, they cannot be trusted. Nil
    /// for plain text.
    package var formatting: Data?

    /// A text with these spans.
    package init(_ string: String, formatting: Data? = nil) {
      self.string = string
      self.formatting = formatting
    }
  }
}

extension MessageContent {
  private enum CodingKeys: String, CodingKey {
    case text, formatting, reasoning, replyTo, request, metadata, images, videos
  }

  /// Reads what ``encode(to:)`` wrote. Missing fields are empty.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try values.decodeIfPresent(String.self, forKey: .text) ?? "",
      formatting: try values.decodeIfPresent(Data.self, forKey: .formatting),
      reasoning: try values.decodeIfPresent(String.self, forKey: .reasoning),
      replyTo: try values.decodeIfPresent(MessageID.self, forKey: .replyTo),
      request: try values.decodeIfPresent(RequestID.self, forKey: .request),
      metadata: try values.decodeIfPresent(Data.self, forKey: .metadata),
      images: try values.decodeIfPresent([String].self, forKey: .images) ?? [],
      videos: try values.decodeIfPresent([String].self, forKey: .videos) ?? [])
  }

  /// Writes each part under its own name.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(text, forKey: .text)
    try values.encodeIfPresent(formatting, forKey: .formatting)
    try values.encodeIfPresent(reasoning, forKey: .reasoning)
    try values.encodeIfPresent(replyTo, forKey: .replyTo)
    try values.encodeIfPresent(request, forKey: .request)
    try values.encodeIfPresent(metadata, forKey: .metadata)
    try values.encode(images, forKey: .images)
    try values.encode(videos, forKey: .videos)
  }
}
