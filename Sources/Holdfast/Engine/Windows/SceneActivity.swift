import HoldfastCore
import HoldfastStore

/// A place that another device of the same user, the system's search or a link opens (SPEC R7).
///
/// ```swift
/// let activity = SceneActivity(title: chat.snapshot.title, conversation: scene.state.conversation)
/// let link = links.url(for: activity)          // "kelp://open?conversation=alice-bob"
/// scene.open(try links.activity(from: link))   // there, or on another device
/// ```
///
/// It says where, and nothing of what is there but the title.
public struct SceneActivity: Sendable, Codable, Hashable {
  /// What the system's search and the other device show. Never part of a link: links are passed around, and a title may be
  /// the beginning of a message.
  public var title: String
  /// The selected project, by the app's own ID. Nil: none.
  public var project: String?
  /// Nil: the list of conversations.
  public var conversation: ConversationID?
  /// Another device of the user may go on with it.
  public var isEligibleForHandoff = true
  /// The system's search on this device may show it.
  public var isEligibleForSearch = true

  /// An activity with these values.
  public init(
    title: String = "", project: String? = nil, conversation: ConversationID? = nil,
    isEligibleForHandoff: Bool = true, isEligibleForSearch: Bool = true
  ) {
    self.title = title
    self.project = project
    self.conversation = conversation
    self.isEligibleForHandoff = isEligibleForHandoff
    self.isEligibleForSearch = isEligibleForSearch
  }

  /// Both IDs are 1 to 255 bytes without control characters. Nobody else's are let in, and the app's own are not written.
  package var isWellFormed: Bool {
    project.map(MessageID.isWellFormed) ?? true && conversation?.isWellFormed ?? true
  }
}
