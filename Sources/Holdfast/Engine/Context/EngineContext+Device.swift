import HoldfastCore
import HoldfastStore

/// Conversations that are kept on this device alone (rule L1).
extension EngineContext {
  /// Whether the messages of the conversation, which is named by its present ID, are delivered once they are stored.
  func isOnDevice(_ conversation: ConversationKey, _ reading: Reading) throws -> Bool {
    try !transport.capabilities.hasServer || reading.conversations.isOnDevice(conversation)
  }

  /// The longest text that can be sent, in UTF-8 bytes. Nil when no limit is known.
  func maximumMessageBytes(in conversation: ConversationKey, _ reading: Reading) throws -> Int? {
    guard let maximum = transport.capabilities.maximumMessageBytes,
      try !isOnDevice(conversation, reading)
    else { return nil }
    return maximum
  }
}
