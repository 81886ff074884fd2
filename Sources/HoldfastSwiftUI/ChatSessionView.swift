#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  import Holdfast
  import HoldfastPresenters
  import SwiftUI

  /// The root of a window: it runs a session, and shows its state until the client can be used.
  ///
  /// ```swift
  /// @main struct MessengerApp: App {
  ///   @State private var session = ChatSession(
  ///     storage: .applicationSupport("alice"), transport: WebSocketTransport(url: url) { token }, user: "alice")
  ///
  ///   var body: some Scene {
  ///     WindowGroup { ChatSessionView(session) { client in ChatRoot(client) } }
  ///   }
  /// }
  /// ```
  ///
  /// Put it at the root of each window and nowhere else: its task lives as long as it is on the screen, and the
  /// client runs as long as one window's task does. **Experimental**: type-checked, and never run on a device.
  public struct ChatSessionView<Content: View>: View {
    private let session: ChatSession
    private let content: (ChatClient) -> Content

    /// - Parameter content: the view that is shown once the client can be used.
    public init(_ session: ChatSession, @ViewBuilder content: @escaping (ChatClient) -> Content) {
      (self.session, self.content) = (session, content)
    }

    public var body: some View {
      Group {
        switch session.state {
        case .opening: ProgressView()
        case .locked: Text(verbatim: session.configuration.texts(.unlockDevice)).padding()
        case .failed(let problem): Text(verbatim: session.configuration.texts(.error(problem))).padding()
        case .ready(let client): content(client)
        }
      }
      .task { await session.run() }
    }
  }
#endif
