import HoldfastCore
import HoldfastStore

extension ScrollPositions {
  /// The topmost visible message of a timeline, and how much of it is scrolled out at the top (SPEC R3). New messages,
  /// another size of the window or a larger font do not move it.
  public struct Anchor: Sendable, Codable, Hashable {
    /// The topmost visible message.
    public let message: MessageID
    /// The part of the message's height that is above the upper edge: 0 shows all of it, 0.5 begins in its middle.
    public let offset: Double

    /// An offset out of 0...1 becomes the nearest one in it, and one that is no number 0.
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

/// How far the lists of one window are scrolled. Of the timelines and of the other lists the hundred that were scrolled
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

  /// The one that was scrolled last is the last one.
  package private(set) var timelines: [Timeline] = []
  private(set) var lists: [List] = []

  /// No list has been scrolled.
  public init() {}

  /// Nil: the timeline is at its end, and follows what arrives.
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

  /// In pixels or points from the list's beginning. Nil: it was never scrolled. What is no finite number is not kept.
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

  /// Under the IDs that the conversations have now, without those that are gone.
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
