import Foundation

/// A request that the server answers later, as a model does (rule P1). Only the last request of each
/// conversation is known.
public struct ProcessingRequest: Identifiable, Sendable, Codable, Hashable {
  public var id: RequestID
  /// The conversation in which the request was made.
  public var conversation: ConversationID
  /// Whether the process that awaited the outcome has ended, and the server has not reported that it still works on
  /// the request. An app then shows "Interrupted" with Retry, and also Continue when the beginning of a reply is
  /// stored.
  public var isInterrupted: Bool
  /// The time when the request began, by this device's clock.
  public var startedAt: Date

  /// A request with these values, for previews and tests.
  public init(id: RequestID, conversation: ConversationID, isInterrupted: Bool, startedAt: Date) {
    self.id = id
    self.conversation = conversation
    self.isInterrupted = isInterrupted
    self.startedAt = startedAt
  }

}
