/// How many messages are kept on this device that the server has too (SPEC H11). The oldest make room for new ones. Nothing
/// is asked of the server for it, and nothing is deleted there. What waits to be sent is not counted, and takes no room from
/// them.
///
/// ```swift
/// ChatClient(…, history: HistoryLimits(perConversation: 5_000, total: 100_000))
/// ```
public struct HistoryLimits: Sendable, Hashable {
  /// So many of each conversation stay in any case.
  public static let leastPerConversation = 100

  /// Nil: all.
  public var perConversation: Int?
  /// Of all conversations together. Nil: all.
  public var total: Int?

  public init(perConversation: Int? = nil, total: Int? = nil) {
    self.perConversation = perConversation
    self.total = total
  }

  package var isLimited: Bool { perConversation != nil || total != nil }

  /// The limit that holds, for each conversation.
  package var keptPerConversation: Int? { perConversation.map { max($0, Self.leastPerConversation) } }

  /// The limit that holds, for all of them.
  package var keptInAll: Int? { total.map { max($0, 0) } }
}
