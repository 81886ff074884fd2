#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  import Holdfast
  import HoldfastPresenters
  import SwiftUI

  /// A whole chat in one view: the list of conversations, and the open one. They are beside each other where there is
  /// room, and one after the other where there is not. The window's place is restored at the next launch.
  ///
  /// ```swift
  /// ChatRoot(client)
  /// ```
  ///
  /// **Experimental**: type-checked, and never run on a device.
  public struct ChatRoot: View {
    @State private var scene: SceneModel<Never, KeptSheet>
    /// The search hit that was opened. Nil once another conversation was opened.
    @State private var found: SearchSnapshot.Hit?
    private let client: ChatClient
    private let writer: ReplyWriter?

    /// - Parameters:
    ///   - window: the window's ID, the same at each launch.
    ///   - writer: writes replies of an assistant. Nil: this app writes none, and shows no such action.
    public init(_ client: ChatClient, window: SceneID = "main", writer: ReplyWriter? = nil) {
      (self.client, self.writer) = (client, writer)
      _scene = State(initialValue: SceneModel(client, window))
    }

    public var body: some View {
      VStack(spacing: 0) {
        if let problem = scene.problem {
          NoticeLine(text: problem.message, look: .failed).padding(.horizontal)
        } else if let notice = scene.notice {
          lost(notice.text)
        }
        NavigationSplitView {
          ConversationList(client, selection: $scene.state.conversation) { hit in found = hit }
        } detail: {
          if let conversation = scene.state.conversation {
            screen(conversation)
          } else {
            Text(verbatim: client.text(.noneChosen)).foregroundStyle(.secondary)
          }
        }
      }
      .onAppear { scene.resolve { sheet in sheet } }
      .onChange(of: scene.state.conversation) {
        if found?.conversation != scene.state.conversation { found = nil }
        if scene.state.conversation != nil { scene.dismissNotice() }
      }
      .task { await scene.run() }
    }

    private func screen(_ conversation: ConversationID) -> some View {
      let message = found?.conversation == conversation ? found?.id : nil
      var screen = ConversationScreen(client, conversation, around: message, writer: writer)
      screen.place = WindowPlace(scene, conversation)
      return screen
    }

    /// The notice about a place that no longer exists, until it is dismissed.
    private func lost(_ words: String) -> some View {
      HStack {
        NoticeLine(text: words, look: .failed)
        Spacer()
        Button {
          scene.dismissNotice()
        } label: {
          Text(verbatim: client.label(.done))
        }
      }
      .padding(.horizontal)
    }
  }

  /// The sheet that may cover a conversation, and is restored at the next launch.
  enum KeptSheet: Codable, Hashable, Sendable {
    case info(MessageID)
  }

  /// A conversation's place in its window.
  private final class WindowPlace: KeptPlace {
    private let scene: SceneModel<Never, KeptSheet>
    private let conversation: ConversationID

    init(_ scene: SceneModel<Never, KeptSheet>, _ conversation: ConversationID) {
      (self.scene, self.conversation) = (scene, conversation)
    }

    var anchor: ScrollPositions.Anchor? {
      get { scene.state.scroll[timeline: conversation] }
      set { if newValue != anchor { scene.state.scroll[timeline: conversation] = newValue } }
    }

    var explained: MessageID? {
      get { if case .info(let message) = scene.state.sheet { message } else { nil } }
      set {
        let sheet = newValue.map(KeptSheet.info)
        if sheet != scene.state.sheet { scene.state.sheet = sheet }
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
