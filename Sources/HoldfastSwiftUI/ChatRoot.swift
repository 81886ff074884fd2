#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  import Holdfast
  import HoldfastPresenters
  import SwiftUI

  /// A whole chat in one view: the list of conversations, and the one that is open. Beside each other where there is room, and
  /// one after the other where there is not. The window's place comes back at the next launch.
  ///
  /// ```swift
  /// ChatRoot(client)
  /// ```
  ///
  /// **Experimental**: type-checked, and never run on a device.
  public struct ChatRoot: View {
    @State private var scene: SceneModel<Never, Never>
    /// The message that was found and opened. Nil once another conversation was opened.
    @State private var found: SearchSnapshot.Hit?
    private let client: ChatClient
    private let writer: ReplyWriter?

    /// - Parameters:
    ///   - window: the window's ID, the same at each launch.
    ///   - writer: writes replies of an assistant. Nil: this app writes none, and offers none to be written.
    public init(_ client: ChatClient, window: SceneID = "main", writer: ReplyWriter? = nil) {
      (self.client, self.writer) = (client, writer)
      _scene = State(initialValue: SceneModel(client, window))
    }

    public var body: some View {
      NavigationSplitView {
        ConversationList(client, selection: $scene.state.conversation) { hit in found = hit }
      } detail: {
        if let conversation = scene.state.conversation {
          ConversationScreen(
            client, conversation, around: found?.conversation == conversation ? found?.id : nil,
            writer: writer)
        } else {
          Text(verbatim: client.text(.noneChosen)).foregroundStyle(.secondary)
        }
      }
      .onChange(of: scene.state.conversation) {
        if found?.conversation != scene.state.conversation { found = nil }
      }
      .task { await scene.run() }
    }
  }

  /// The app's assistant, for a screen: it answers what is sent there, and writes what its user asks for in a row.
  ///
  /// ```swift
  /// ChatRoot(client, writer: ReplyWriter(
  ///   assistant.member, answer: { reply, chat in await assistant.write(reply, in: chat) },
  ///   continue: { try await assistant.continueAnswer($0) }, retry: { try await assistant.retry($0) },
  ///   regenerate: { try await assistant.regenerate($0) }))
  /// ```
  public struct ReplyWriter: Sendable {
    let write: MessageActs.Writer
    let asked: AskedAssistant

    /// A writer of replies. Each act begins the writing, and does not wait for its end.
    ///
    /// - Parameters:
    ///   - assistant: the member in whose name the replies are written.
    ///   - answer: writes the reply to a question that was just sent.
    public init(
      _ assistant: UserID, answer: @escaping @Sendable (ReplyHandle, ConversationID) async -> Void,
      continue goOn: @escaping @Sendable (MessageID) async throws -> Void,
      retry: @escaping @Sendable (MessageID) async throws -> Void,
      regenerate: @escaping @Sendable (MessageID) async throws -> Void
    ) {
      asked = AskedAssistant(assistant, answer: answer)
      write = { kind, message in
        switch kind {
        case .continueReply: try await goOn(message)
        case .regenerateReply: try await regenerate(message)
        default: try await retry(message)
        }
      }
    }
  }
#endif
