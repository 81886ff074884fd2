#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  import Holdfast
  import HoldfastPresenters
  import SwiftUI

  /// A conversation that is open in a window, and what its ``ConversationScreen`` needs. A ``ChatRoot`` makes it.
  ///
  /// ```swift
  /// ConversationScreen(OpenConversation(client, "trip", at: hit.id))
  /// ```
  public struct OpenConversation: Identifiable {
    /// The client that has the conversation.
    public let client: ChatClient
    /// The ID of the conversation.
    public let id: ConversationID
    let message: MessageID?
    let place: (any KeptPlace)?
    let links: SceneLinks?
    let writer: ReplyWriter?
    /// The number of the opening in a ``ChatRoot``. The same message can be opened again.
    var opening: Int?
    /// Whether the banner of the connection is shown. A ``ChatRoot`` shows it above its list too.
    var showsConnection = true

    /// An open conversation.
    ///
    /// - Parameters:
    ///   - client: the client that has the conversation.
    ///   - id: the ID of the conversation.
    ///   - message: a message that is sought. Nil: the reader's line, or the newest messages.
    ///   - place: where the reader's line and the open sheet are kept. Nil: they are not.
    ///   - links: the app's links, by which the conversation is offered to Handoff. Nil: it is not.
    ///   - writer: writes replies of an assistant. Nil: this app writes none, and shows no such action.
    @MainActor public init(
      _ client: ChatClient, _ id: ConversationID, at message: MessageID? = nil,
      place: ConversationPlace? = nil, links: SceneLinks? = nil, writer: ReplyWriter? = nil
    ) {
      self.init(client, id, message, place.map { BoundPlace($0) }, links, writer)
    }

    init(
      _ client: ChatClient, _ id: ConversationID, _ message: MessageID?, _ place: (any KeptPlace)?,
      _ links: SceneLinks?, _ writer: ReplyWriter?
    ) {
      (self.client, self.id, self.message, self.place) = (client, id, message, place)
      (self.links, self.writer) = (links, writer)
    }
  }

  /// Where an app with navigation of its own keeps the place of a conversation.
  ///
  /// ```swift
  /// @Bindable var scene: SceneModel<Route, Sheet>
  ///
  /// ConversationPlace(anchor: $scene.state.scroll[timeline: conversation])
  /// ```
  public struct ConversationPlace {
    let anchor: Binding<ScrollPositions.Anchor?>
    let explained: Binding<MessageID?>

    /// - Parameters:
    ///   - anchor: the line where the reader is. Nil: at the newest message.
    ///   - explained: the message that a sheet explains. Nil: no such sheet is open.
    public init(
      anchor: Binding<ScrollPositions.Anchor?>, explained: Binding<MessageID?> = .constant(nil)
    ) {
      (self.anchor, self.explained) = (anchor, explained)
    }
  }

  /// The place of a conversation in an app's own state.
  private final class BoundPlace: KeptPlace {
    private let place: ConversationPlace

    init(_ place: ConversationPlace) { self.place = place }

    var anchor: ScrollPositions.Anchor? {
      get { place.anchor.wrappedValue }
      set { place.anchor.wrappedValue = newValue }
    }

    var explained: MessageID? {
      get { place.explained.wrappedValue }
      set { place.explained.wrappedValue = newValue }
    }
  }
#endif
