import Foundation

/// A request to a backend that answers later, as a model does (SPEC P1). One of each conversation is known: the last.
public struct ProcessingRequest: Identifiable, Sendable, Codable, Hashable {
  public var id: RequestID
  public var conversation: ConversationID
  /// Whoever waited for its outcome has gone, and the backend has not said that it still works on it: an app shows
  /// "Interrupted", with Retry, and Continue where there is the beginning of a reply.
  public var isInterrupted: Bool
  /// On this device's clock.
  public var startedAt: Date

  public init(id: RequestID, conversation: ConversationID, isInterrupted: Bool, startedAt: Date) {
    self.id = id
    self.conversation = conversation
    self.isInterrupted = isInterrupted
    self.startedAt = startedAt
  }

}
