#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  import Foundation
  import Holdfast
  import HoldfastPresenters
  import SwiftUI

  /// A message for the views of this module: its row, and its place between its neighbours.
  ///
  /// ```swift
  /// ForEach(timeline.rows) { row in MessageRowView(ShownMessage(row, in: client)) }
  /// ```
  public struct ShownMessage: Identifiable {
    /// The message, as the engine shows it.
    public let row: MessageRow
    let client: ChatClient
    let looks: PresentedMessage

    /// The ID of the message.
    public var id: MessageID { row.id }
    /// Whether the user wrote the message. An assistant's answer is also sent from this device, and does not count.
    public var isOwn: Bool { looks.isOwn }
    /// Whether the message is the first one of a day.
    public var beginsDay: Bool { looks.beginsDay }
    /// Whether the message above is of somebody else, or of another day.
    public var beginsGroup: Bool { looks.beginsGroup }
    /// Whether the message below is of somebody else, or of another day.
    public var endsGroup: Bool { looks.endsGroup }

    /// A message of a timeline.
    ///
    /// - Parameters:
    ///   - row: the row of the message.
    ///   - client: the client that has the message.
    ///   - before: the row above. Nil: a day and a group begin with the message.
    ///   - next: the row below. Nil: a group ends with the message.
    ///   - writer: writes replies of an assistant. Nil: no such action is offered.
    public init(
      _ row: MessageRow, in client: ChatClient, after before: MessageRow? = nil,
      before next: MessageRow? = nil, writer: ReplyWriter? = nil
    ) {
      let presenter = MessagePresenter(client, replies: writer?.replies ?? [])
      self.init(row, presenter.present(row, after: before, before: next), client)
    }

    init(_ row: MessageRow, _ looks: PresentedMessage, _ client: ChatClient) {
      (self.row, self.looks, self.client) = (row, looks, client)
    }

    /// The side of the message.
    var side: HorizontalAlignment { isOwn ? .trailing : .leading }
  }

  private struct MessageReactionsKey: EnvironmentKey {
    static let defaultValue = ["👍", "❤️", "😂"]
  }

  private struct MessageSpacingKey: EnvironmentKey {
    static let defaultValue: CGFloat = 4
  }

  extension EnvironmentValues {
    /// The reactions that the menu of a message offers: `.environment(\.messageReactions, ["👍", "🎉"])`.
    public var messageReactions: [String] {
      get { self[MessageReactionsKey.self] }
      set { self[MessageReactionsKey.self] = newValue }
    }

    /// The space between the messages of a timeline, in points.
    public var messageSpacing: CGFloat {
      get { self[MessageSpacingKey.self] }
      set { self[MessageSpacingKey.self] = newValue }
    }
  }
#endif
