import HoldfastCore
import HoldfastStore
import HoldfastTransport

/// The fields of a message that its server keeps (rule B7).
extension EngineContext {
  /// Throws when the transport would drop a field. Costs a read only then.
  func requireCarried(
    _ fields: Set<TransportCapabilities.Field>, in conversation: ConversationKey, _ reading: Reading
  ) throws {
    if let field = try dropped(of: fields, in: conversation, reading) { throw ChatError.notCarried(field) }
  }

  /// The first field that the transport would drop. Nil when the server keeps all of them.
  func dropped(
    of fields: Set<TransportCapabilities.Field>, in conversation: ConversationKey, _ reading: Reading
  ) throws -> TransportCapabilities.Field? {
    let dropped = fields.subtracting(transport.capabilities.fields)
    guard let first = dropped.min(by: { $0.rawValue < $1.rawValue }) else { return nil }
    return try isOnDevice(conversation, reading) ? nil : first
  }
}

extension ChatError {
  /// The transport declares that its server does not keep the field.
  fileprivate static func notCarried(_ field: TransportCapabilities.Field) -> ChatError {
    switch field {
    case .reply:
      ChatError(
        .repliesUnsupported, "The server keeps no replies. Send the text without the message it answers.")
    case .formatting:
      ChatError(.formattingUnsupported, "The server keeps no formatting. Send the text without it.")
    case .reasoning: ChatError(.reasoningUnsupported, "The server keeps no reasoning. Append the text alone.")
    case .metadata:
      ChatError(.metadataUnsupported, "The server keeps no metadata. Send the message without it.")
    case .references:
      ChatError(.referencesUnsupported, "The server keeps no images or videos. Send the text alone.")
    }
  }
}
