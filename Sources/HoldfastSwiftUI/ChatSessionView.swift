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
  /// client runs as long as one window's task does.
  ///
  /// A store that does not open has a button to try again, and a damaged one a button that repairs it, if the app
  /// gives the repair:
  ///
  /// ```swift
  /// ChatSessionView(session, repair: {
  ///   let report = try StoreSalvage.salvage(.applicationSupport("alice"), user: "alice")   // of HoldfastRescue
  ///   return "\(report.messages) messages were recovered."
  /// }) { client in ChatRoot(client) }
  /// ```
  ///
  /// **Experimental**: type-checked, and never run on a device.
  public struct ChatSessionView<Content: View>: View {
    @State private var model: SessionModel
    private let session: ChatSession
    private let content: (ChatClient) -> Content

    /// - Parameters:
    ///   - session: the session, which the app keeps.
    ///   - repair: recovers what can be read of a damaged store, and returns the outcome as a sentence. A damaged store
    ///     then has a button for it. Nil: it has none.
    ///   - content: the view that is shown once the client can be used.
    public init(
      _ session: ChatSession, repair: (@Sendable () async throws -> String)? = nil,
      @ViewBuilder content: @escaping (ChatClient) -> Content
    ) {
      (self.session, self.content) = (session, content)
      _model = State(initialValue: SessionModel(session, repair: repair))
    }

    public var body: some View {
      VStack(spacing: 0) {
        if let outcome = model.outcome {
          HStack {
            Text(verbatim: outcome)
            Spacer()
            button(.done) { model.outcome = nil }
          }
          .padding()
        }
        if let problem = model.problem {
          NoticeLine(text: session.configuration.texts(.error(problem)), look: .failed).padding(.horizontal)
        }
        switch session.state {
        case .opening: ProgressView()
        case .locked: Text(verbatim: session.configuration.texts(.unlockDevice)).padding()
        case .failed(let problem): failed(problem)
        case .ready(let client): content(client)
        }
      }
      .task { await session.run() }
      .task { await model.run() }
    }

    private func failed(_ problem: ChatError) -> some View {
      VStack(spacing: 16) {
        NoticeLine(text: session.configuration.texts(.error(problem)), look: .failed)
        if model.isRepairing { ProgressView() }
        if model.offersRepair(of: problem) { button(.repair) { model.startRepair() } }
        button(.retry) { session.retry() }.disabled(model.isRepairing)
      }
      .padding()
    }

    private func button(
      _ label: ChatConfiguration.ShownText.Button, _ act: @escaping @MainActor () -> Void
    ) -> some View {
      Button(session.configuration.texts(.button(label)), action: act)
    }
  }
#endif
