import HoldfastCore

extension TransportCapabilities {
  /// A field of a message beside its text. A server that keeps only texts declares none.
  public enum Field: String, Sendable, Hashable, Codable, CaseIterable {
    /// The message that is answered: ``MessageContent/replyTo``.
    case reply
    /// Spans and mentions of the text: ``MessageContent/formatting``.
    case formatting
    /// The reasoning of a model: ``MessageContent/reasoning``.
    case reasoning
    /// The app's own data: ``MessageContent/metadata``.
    case metadata
    /// References to images and videos: ``MessageContent/images`` and ``MessageContent/videos``.
    case references
  }
}

extension MessageContent {
  /// The fields that the content has beside its text.
  package var fields: Set<TransportCapabilities.Field> {
    var fields: Set<TransportCapabilities.Field> = []
    if replyTo != nil { fields.insert(.reply) }
    if formatting != nil { fields.insert(.formatting) }
    if reasoning?.isEmpty == false { fields.insert(.reasoning) }
    if metadata != nil { fields.insert(.metadata) }
    if !images.isEmpty || !videos.isEmpty { fields.insert(.references) }
    return fields
  }
}
