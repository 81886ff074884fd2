#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  import Holdfast
  import HoldfastPresenters
  import SwiftUI

  /// The actions of a message, as the entries of a menu.
  ///
  /// ```swift
  /// .contextMenu {
  ///   MessageMenu(message)
  ///   Button("Report") { report(message.id) }
  /// }
  /// ```
  ///
  /// **Experimental**: type-checked, and never run on a device.
  public struct MessageMenu: View {
    private let message: ShownMessage
    @Environment(\.messageActions) private var actions
    @Environment(\.messageReactions) private var values

    /// The actions of a message. The menu is empty where `messageActions(_:writer:)` is missing.
    public init(_ message: ShownMessage) { self.message = message }

    public var body: some View {
      if message.looks.canReact, let actions {
        ForEach(values, id: \.self) { value in
          Button(value) {
            let isMine = message.row.reactions.contains { $0.value == value && $0.isMine }
            actions.react(value, isOn: !isMine, to: message.id)
          }
        }
      }
      MessageButtons(message.looks.menu ?? message.looks.tap, message.id)
    }
  }

  /// A button for each of some actions of a message.
  struct MessageButtons: View {
    private let offers: [MessageAction]
    private let message: MessageID
    @Environment(\.messageActions) private var actions

    init(_ offers: [MessageAction], _ message: MessageID) { (self.offers, self.message) = (offers, message) }

    var body: some View {
      if let actions {
        ForEach(offers) { offer in
          Button(offer.title, role: offer.isDestructive ? .destructive : nil) {
            actions.choose(offer.kind, on: message)
          }
        }
      }
    }
  }

  /// A view that opens the actions of a message: an unsent one by a tap, and any other by a long press.
  private struct MenuView<Content: View, Items: View>: View {
    let message: ShownMessage
    let items: (MessageRow) -> Items
    let content: Content

    var body: some View {
      if message.looks.tap.isEmpty {
        content.contextMenu { menu }
      } else {
        Menu {
          menu
        } label: {
          content.foregroundStyle(.primary).environment(\.takesTaps, false)
        }
        .menuIndicator(.hidden)
        .menuStyle(.button)
        .buttonStyle(.plain)
        .accessibilityLabel(Text(verbatim: message.looks.spoken))
      }
    }

    @ViewBuilder private var menu: some View {
      MessageMenu(message)
      items(message.row)
    }
  }

  /// A view that carries out the actions of the messages in it.
  private struct ActingView<Content: View>: View {
    let client: ChatClient
    let content: Content
    @State var actions: MessageActions

    var body: some View {
      VStack(spacing: 0) {
        content
        if let problem = actions.problem { NoticeLine(text: problem.message, look: .failed) }
      }
      .environment(\.messageActions, actions)
      .messageSheets(actions, client)
      .task { await actions.run() }
    }
  }

  extension View {
    /// Opens the actions of a message: a tap opens those of an unsent one, and a long press those of any other. A
    /// button in the view takes no taps while the message is unsent.
    public func messageMenu(_ message: ShownMessage) -> some View {
      messageMenu(message) { _ in EmptyView() }
    }

    /// Opens the actions of a message, and more of the app's own below them.
    public func messageMenu<Items: View>(
      _ message: ShownMessage, @ViewBuilder items: @escaping (MessageRow) -> Items
    ) -> some View {
      MenuView(message: message, items: items, content: self)
    }

    /// Carries out the actions of the messages in the view: it shows the sheet that explains one, the question about
    /// those that have waited for long, and the reason why an action failed. ``ConversationScreen`` does this itself.
    ///
    /// ```swift
    /// ScrollView { ForEach(timeline.rows) { row in MessageRowView(ShownMessage(row, in: client)) } }
    ///   .messageActions(composer)
    /// ```
    ///
    /// - Parameters:
    ///   - composer: the composer of the conversation. It gets the texts that are edited, and the message that is
    ///     answered.
    ///   - writer: writes replies of an assistant. Nil: this app writes none.
    public func messageActions(_ composer: ComposerModel, writer: ReplyWriter? = nil) -> some View {
      ActingView(
        client: composer.client, content: self, actions: MessageActions(composer, writer: writer?.write)
      )
      .id(ObjectIdentifier(composer))
    }
  }

  private struct MessageActionsKey: EnvironmentKey {
    static let defaultValue: MessageActions? = nil
  }

  extension EnvironmentValues {
    /// Carries out the actions of the messages in a view. Nil: nothing does, and none is shown.
    var messageActions: MessageActions? {
      get { self[MessageActionsKey.self] }
      set { self[MessageActionsKey.self] = newValue }
    }
  }
#endif
