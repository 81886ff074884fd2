import HoldfastCore
import HoldfastStore
import HoldfastTransport

/// The fields of a message that its server keeps (SPEC B7).
extension EngineContext {
  /// Throws when a field would be dropped on its way. Costs a read only then.
  func requireCarried(
    _ fields: Set<TransportCapabilities.Field>, in conversation: ConversationID, _ reading: Reading
  ) throws {
    let dropped = fields.subtracting(transport.capabilities.fields)
    guard let first = dropped.min(by: { $0.rawValue < $1.rawValue }) else { return }
    guard try !isOnDevice(conversation, reading) else { return }
    throw ChatError.notCarried(first)
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
