import HoldfastCore
import HoldfastStore

extension ScrollPositions {
  /// The topmost visible message of a timeline, and the part of it that is scrolled out at the top (rule R3). New
  /// messages, another size of the window or a larger font do not move an anchor.
  public struct Anchor: Sendable, Codable, Hashable {
    /// The topmost visible message.
    public let message: MessageID
    /// The part of the message's height above the upper edge. At 0 all of the message is visible, at 0.5 its lower
    /// half.
    public let offset: Double

    /// Makes an anchor. An offset outside 0...1 becomes the nearest bound. An offset that is not finite becomes 0.
    public init(message: MessageID, offset: Double = 0) {
      self.message = message
      self.offset = offset.isFinite ? min(max(offset, 0), 1) : 0
    }

    public init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      self.init(
        message: try fields.decode(MessageID.self, forKey: .message),
        offset: try fields.decode(Double.self, forKey: .offset))
    }
  }
}

/// The scroll positions of one window's lists. The hundred timelines and the hundred other lists that were scrolled
/// last are kept.
///
/// ```swift
/// state.scroll[timeline: conversation] = ScrollPositions.Anchor(message: top.id, offset: 0.25)
/// state.scroll[list: "projects"] = 320
/// ```
public struct ScrollPositions: Sendable, Codable, Hashable {
  static let maximum = 100

  package struct Timeline: Sendable, Codable, Hashable {
    package var conversation: ConversationID
    var anchor: ScrollPositions.Anchor
  }

  package struct List: Sendable, Codable, Hashable {
    package var name: String
    package var offset: Double
  }

  /// The timelines in the order in which they were scrolled, the last one at the end.
  package private(set) var timelines: [Timeline] = []
  private(set) var lists: [List] = []

  /// Makes the positions of a window in which no list has been scrolled.
  public init() {}

  /// The anchor of a timeline. Nil when the timeline is at its end and follows new messages.
  public subscript(timeline conversation: ConversationID) -> ScrollPositions.Anchor? {
    get { timelines.last { $0.conversation == conversation }?.anchor }
    set {
      guard newValue != self[timeline: conversation] else { return }
      timelines.removeAll { $0.conversation == conversation }
      guard let newValue else { return }
      timelines.append(Timeline(conversation: conversation, anchor: newValue))
      timelines.removeFirst(max(timelines.count - Self.maximum, 0))
    }
  }

  /// The offset of a list, in pixels or points from its beginning. Nil when the list was never scrolled. An offset that
  /// is not finite is not kept.
  public subscript(list name: String) -> Double? {
    get { lists.last { $0.name == name }?.offset }
    set {
      guard newValue != self[list: name] else { return }
      lists.removeAll { $0.name == name }
      guard let newValue, newValue.isFinite else { return }
      lists.append(List(name: name, offset: newValue))
      lists.removeFirst(max(lists.count - Self.maximum, 0))
    }
  }

  /// The positions under the present IDs of the conversations, without the conversations that no longer exist.
  func inPresentConversations(_ present: (ConversationID) throws -> ConversationID?) rethrows -> Self {
    var positions = self
    positions.timelines = []
    for timeline in timelines.suffix(Self.maximum) {
      guard let conversation = try present(timeline.conversation) else { continue }
      positions[timeline: conversation] = timeline.anchor
    }
    positions.lists = Array(lists.suffix(Self.maximum))
    return positions
  }
}
