#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  import Foundation
  import Holdfast
  import HoldfastPresenters
  import SwiftUI

  /// A place in a chat: a conversation, and a message in it.
  ///
  /// ```swift
  /// let place = ChatPlace("chat-9f3b27c1", message: "3f0a…")   // of a notification
  /// ```
  public struct ChatPlace: Hashable, Sendable {
    /// Nil: the list of conversations alone.
    public var conversation: ConversationID?
    /// The message that is shown. Nil: the line where its reader was, or the newest.
    public var message: MessageID?

    public init(_ conversation: ConversationID?, message: MessageID? = nil) {
      (self.conversation, self.message) = (conversation, message)
    }
  }

  /// A whole chat in one view: the list of conversations, and the open one. They are beside each other where there is
  /// room, and one after the other where there is not. Each window has its own place, which is restored at the next
  /// launch: the conversation, the line, the visible columns and the sheet.
  ///
  /// ```swift
  /// ChatRoot(client)
  /// ChatRoot(client, links: links)   // offers its conversation to Handoff
  /// ChatRoot(client) { conversation in
  ///   ConversationScreen(conversation) { message in MessageRowView(message) { row in Text(row.text).bold() } }
  /// }
  /// ```
  ///
  /// The ID of a window is kept in its scene (`SceneStorage`), and everything else in the store. **Experimental**:
  /// type-checked, and never run on a device.
  public struct ChatRoot<Content: View>: View {
    @SceneStorage("dev.holdfast.window") private var sceneID = ""
    @State private var window: WindowModel?
    @Binding private var opening: ChatPlace?
    private let client: ChatClient
    private let id: SceneID?
    private let options: WindowOptions
    private let content: (OpenConversation) -> Content

    /// A chat. The view reads nothing before it appears.
    ///
    /// - Parameters:
    ///   - client: the client of the session.
    ///   - window: the window's ID, the same at each launch. Nil: each window makes one, and its scene keeps it.
    ///   - selection: the open conversation, for the app around it. Nil: the window keeps it alone.
    ///   - opening: a place that the window opens, such as that of a notification. It is nil again once it is open.
    ///   - links: the app's links, by which the window offers its conversation to Handoff. Nil: it does not.
    ///     `opensLinks(_:in:)` opens them.
    ///   - deletesAll: whether a button under the list deletes all conversations, after a question.
    ///   - writer: writes replies of an assistant. Nil: this app writes none, and shows no such action.
    ///   - content: the open conversation: a ``ConversationScreen``, and what the app puts around it.
    public init(
      _ client: ChatClient, window: SceneID? = nil, selection: Binding<ConversationID?>? = nil,
      opening: Binding<ChatPlace?> = .constant(nil), links: SceneLinks? = nil, deletesAll: Bool = false,
      writer: ReplyWriter? = nil, @ViewBuilder content: @escaping (OpenConversation) -> Content
    ) {
      (self.client, id, self.content) = (client, window, content)
      options = WindowOptions(selection: selection, links: links, deletesAll: deletesAll, writer: writer)
      _opening = opening
    }

    public var body: some View {
      Group {
        if let window {
          WindowView(client: client, window: window, options: options, content: content)
        } else {
          ProgressView()
        }
      }
      .onAppear {
        if window == nil { window = restored() }
        openPlace()
      }
      .onChange(of: opening) { openPlace() }
    }

    /// The window as it was at the last launch, with the conversation that the app wants open.
    private func restored() -> WindowModel {
      let window = WindowModel(client, id ?? storedID())
      if let wanted = options.selection?.wrappedValue { window.selection = wanted }
      return window
    }

    private func storedID() -> SceneID {
      if sceneID.isEmpty { sceneID = client.scenes.idOfNewWindow().rawValue }
      return SceneID(rawValue: sceneID)
    }

    private func openPlace() {
      guard let place = opening, let window else { return }
      window.open(place.conversation, at: place.message)
      opening = nil
    }
  }

  extension ChatRoot where Content == ConversationScreen<StandardMessageRow, MessageComposer> {
    /// A chat with the views of this module alone.
    public init(
      _ client: ChatClient, window: SceneID? = nil, selection: Binding<ConversationID?>? = nil,
      opening: Binding<ChatPlace?> = .constant(nil), links: SceneLinks? = nil, deletesAll: Bool = false,
      writer: ReplyWriter? = nil
    ) {
      self.init(
        client, window: window, selection: selection, opening: opening, links: links,
        deletesAll: deletesAll, writer: writer
      ) { conversation in
        ConversationScreen(conversation)
      }
    }
  }

  /// The options of an app for its windows.
  private struct WindowOptions {
    let selection: Binding<ConversationID?>?
    let links: SceneLinks?
    let deletesAll: Bool
    let writer: ReplyWriter?
  }

  extension View {
    /// Opens the app's links, and the places that other devices hand over. Put it on the root of a window, around the
    /// ``ChatSessionView``: a link that launches the app waits in `place` until its ``ChatRoot`` is there. A link that
    /// the app has not written changes nothing.
    ///
    /// - Parameters:
    ///   - links: the app's links. Nil: none is opened.
    ///   - place: the place for the window's ``ChatRoot``.
    public func opensLinks(_ links: SceneLinks?, in place: Binding<ChatPlace?>) -> some View {
      let open: @MainActor ((SceneLinks) throws -> SceneActivity) -> Void = { read in
        if let links, let activity = try? read(links) {
          place.wrappedValue = ChatPlace(activity.conversation)
        }
      }
      return onOpenURL { url in open { try $0.activity(from: url) } }
        .onContinueUserActivity(links?.activityType ?? "") { activity in
          open { try $0.activity(from: activity) }
        }
        .onContinueUserActivity(NSUserActivityTypeBrowsingWeb) { activity in
          open { try $0.activity(from: activity) }
        }
    }
  }

  /// A window whose place was read.
  private struct WindowView<Content: View>: View {
    let client: ChatClient
    @Bindable var window: WindowModel
    let options: WindowOptions
    let content: (OpenConversation) -> Content

    var body: some View {
      VStack(spacing: 0) {
        if let problem = window.scene.problem {
          NoticeLine(text: problem.message, look: .failed).padding(.horizontal)
        } else if let notice = window.scene.notice {
          lost(notice.text)
        }
        ConnectionBannerView(window.connection)
        NavigationSplitView(columnVisibility: columns) {
          ConversationList(client, selection: $window.selection, deletesAll: options.deletesAll) { hit in
            window.open(hit.conversation, at: hit.id)
          }
        } detail: {
          if let conversation = window.selection {
            content(open(conversation))
          } else {
            Text(verbatim: client.text(.noneChosen)).foregroundStyle(.secondary)
          }
        }
      }
      .onChange(of: options.selection?.wrappedValue) { _, wanted in
        if options.selection != nil { window.selection = wanted }
      }
      .onChange(of: window.selection, initial: true) { _, open in
        if options.selection?.wrappedValue != open { options.selection?.wrappedValue = open }
      }
      .task { await window.run() }
    }

    private func open(_ conversation: ConversationID) -> OpenConversation {
      var open = OpenConversation(
        client, conversation, window.sought, window.place(of: conversation), options.links, options.writer)
      (open.opening, open.showsConnection) = (window.openings, false)
      return open
    }

    private var columns: Binding<NavigationSplitViewVisibility> {
      Binding { @MainActor in
        NavigationSplitViewVisibility(window.scene.state.columns)
      } set: { @MainActor visibility in
        let columns = visibility.columns
        if columns != window.scene.state.columns { window.scene.state.columns = columns }
      }
    }

    /// The notice about a place that no longer exists, until it is dismissed.
    private func lost(_ words: String) -> some View {
      HStack {
        NoticeLine(text: words, look: .failed)
        Spacer()
        Button(client.label(.done)) { window.scene.dismissNotice() }
      }
      .padding(.horizontal)
    }
  }

  extension NavigationSplitViewVisibility {
    fileprivate init(_ columns: ColumnVisibility) {
      self =
        switch columns {
        case .automatic: .automatic
        case .all: .all
        case .doubleColumn: .doubleColumn
        case .detailOnly: .detailOnly
        }
    }

    fileprivate var columns: ColumnVisibility {
      switch self {
      case .all: .all
      case .doubleColumn: .doubleColumn
      case .detailOnly: .detailOnly
      default: .automatic
      }
    }
  }

  /// The app's assistant, for a screen: it answers the messages sent there, and writes the replies that its user
  /// requests in a row.
  ///
  /// ```swift
  /// ChatRoot(client, writer: ReplyWriter(
  ///   assistant.member, answer: { reply, chat in await assistant.write(reply, in: chat) },
  ///   retry: { try await assistant.retry($0) }, regenerate: { try await assistant.regenerate($0) }))
  /// ```
  public struct ReplyWriter: Sendable {
    let write: MessageActions.Writer
    let replies: Set<MessageAction.Kind>
    let asked: AskedAssistant

    /// A writer of replies. Each closure begins the writing, and does not wait for its end.
    ///
    /// - Parameters:
    ///   - assistant: the member in whose name the replies are written.
    ///   - answer: writes the reply to a question that was just sent.
    ///   - resume: continues a reply that was interrupted. Nil: the model cannot, and it is not offered.
    ///   - retry: retries a reply that failed or was interrupted, from its beginning.
    ///   - regenerate: writes another reply in place of a complete one.
    public init(
      _ assistant: UserID, answer: @escaping @Sendable (ReplyHandle, ConversationID) async -> Void,
      continue resume: (@Sendable (MessageID) async throws -> Void)? = nil,
      retry: @escaping @Sendable (MessageID) async throws -> Void,
      regenerate: @escaping @Sendable (MessageID) async throws -> Void
    ) {
      asked = AskedAssistant(assistant, answer: answer)
      replies =
        resume == nil
        ? MessageAction.Kind.ofReplies.subtracting([.continueReply]) : MessageAction.Kind.ofReplies
      write = { kind, message in
        switch kind {
        case .continueReply: try await resume?(message)
        case .regenerateReply: try await regenerate(message)
        default: try await retry(message)
        }
      }
    }
  }
#endif
