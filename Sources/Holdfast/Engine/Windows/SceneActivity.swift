import HoldfastCore
import HoldfastStore

/// A place in the app that another device of the same user, the system's search or a link opens (rule R7).
///
/// ```swift
/// let activity = SceneActivity(title: chat.snapshot.title, conversation: scene.state.conversation)
/// let link = try links.url(for: activity)      // "kelp://open?conversation=chat-9f3b27c1"
/// scene.open(try links.activity(from: link))   // there, or on another device
/// ```
///
/// An activity names a place. The title is the only content of the place in it.
public struct SceneActivity: Sendable, Codable, Hashable {
  /// The title for the system's search and the other device. It is never part of a link, because links are passed
  /// around and a title may be the beginning of a message.
  public var title: String
  /// The selected project, by the app's own ID. Nil when none is selected.
  public var project: String?
  /// The conversation to open. Nil for the list of conversations.
  public var conversation: ConversationID?
  /// Whether another device of the user may continue the activity.
  public var isEligibleForHandoff = true
  /// Whether the system's search on this device may show the activity.
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

  /// Whether both IDs are 1 to 255 bytes without control characters. Other IDs are neither read nor written.
  package var isWellFormed: Bool {
    project.map(MessageID.isWellFormed) ?? true && conversation?.isWellFormed ?? true
  }
}
