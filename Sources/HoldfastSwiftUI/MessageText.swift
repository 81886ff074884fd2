#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  import Holdfast
  import HoldfastPresenters
  import SwiftUI

  /// The text of a message, as ``ConversationScreen`` draws it: an assistant's as Markdown, a person's as it was typed.
  ///
  /// ```swift
  /// MessageBubble(message) { row in MessageText(row, in: client).padding() }
  /// ```
  ///
  /// `.environment(\.markdownRoles, …)` says whose messages are in Markdown. A link shows its whole address, and asks
  /// before it opens. Nothing of a text is fetched, pictures included. **Experimental**, as the screen is.
  public struct MessageText: View {
    private let row: MessageRow
    private let client: ChatClient
    @Environment(\.markdownRoles) private var markdownRoles

    /// - Parameters:
    ///   - row: a row of a timeline, whose words may still come.
    ///   - client: the client whose words the buttons have.
    public init(_ row: MessageRow, in client: ChatClient) { (self.row, self.client) = (row, client) }

    public var body: some View {
      switch PresentedText(row, markdown: markdownRoles) {
      case .plain(let text): Text(verbatim: text)
      case .markdown(let text, let isStreaming):
        MarkdownView(text: text, isStreaming: isStreaming, client: client)
      }
    }
  }

  private struct MarkdownRolesKey: EnvironmentKey {
    static let defaultValue: Set<MessageRole> = [.assistant]
  }

  private struct TakesTapsKey: EnvironmentKey {
    static let defaultValue = true
  }

  extension EnvironmentValues {
    /// The authors whose messages are drawn as Markdown: assistants, unless an app says otherwise.
    ///
    /// ```swift
    /// ChatRoot(client).environment(\.markdownRoles, [.assistant, .user])   // those of persons, too
    /// ChatRoot(client).environment(\.markdownRoles, [])                    // none: every text as it was typed
    /// ```
    public var markdownRoles: Set<MessageRole> {
      get { self[MarkdownRolesKey.self] }
      set { self[MarkdownRolesKey.self] = newValue }
    }

    /// Whether links and buttons in a text take taps. Those in the label of a menu do not.
    var takesTaps: Bool {
      get { self[TakesTapsKey.self] }
      set { self[TakesTapsKey.self] = newValue }
    }
  }
#endif
