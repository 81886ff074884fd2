// A messenger for SwiftUI, over the reference server. Open the folder in Xcode.
#if canImport(SwiftUI)
  import Foundation
  import Holdfast
  import HoldfastRescue
  import HoldfastSwiftUI
  import HoldfastWebSocket
  import Observation
  import SwiftUI
  import UserNotifications

  @main struct ChatApp: App {
    @State private var login = Login()
    @State private var taps = NotificationTaps()

    var body: some Scene {
      WindowGroup { ChatWindow(login: login, taps: taps) }
    }
  }

  /// One window. A link that launches the app waits until its user has logged in.
  struct ChatWindow: View {
    let login: Login
    let taps: NotificationTaps
    @State private var place: ChatPlace?
    @Environment(\.scenePhase) private var phase

    var body: some View {
      Group {
        if let session = login.session {
          ChatSessionView(session, repair: login.repair) { client in
            Chats(client: client, place: $place)
          }
        } else {
          LoginView(login: login)
        }
      }
      .opensLinks(Chats.links, in: $place)
      .onChange(of: [phase == .active ? taps.place : nil], initial: true) {
        // The window in front opens what a notification is about.
        guard phase == .active, let tapped = taps.place else { return }
        (place, taps.place) = (tapped, nil)
      }
    }
  }

  /// Who uses the app, and where its server is.
  @MainActor @Observable final class Login {
    var address = "ws://127.0.0.1:8080/v1/connect"
    var account = ""
    var token = ""
    private(set) var session: ChatSession?

    /// Opens the account's store. Nothing waits for the server.
    func begin() {
      guard let url = URL(string: address), !account.isEmpty else { return }
      let token = token
      session = ChatSession(
        storage: .applicationSupport(account), transport: WebSocketTransport(url: url) { token },
        user: UserID(rawValue: account), configuration: ChatConfiguration(texts: { $0.localized }))
    }

    /// Recovers what can be read of a damaged store. The damaged one is set aside.
    var repair: @Sendable () async throws -> String {
      { [account] in
        let report = try StoreSalvage.salvage(.applicationSupport(account), user: UserID(rawValue: account))
        return report.messages == 1
          ? "1 message was recovered." : "\(report.messages) messages were recovered."
      }
    }
  }

  struct LoginView: View {
    @Bindable var login: Login

    var body: some View {
      VStack {
        TextField("Server", text: $login.address)
        TextField("Account", text: $login.account)
        TextField("Token", text: $login.token)
        Button("Log in") { login.begin() }
      }
      .padding()
    }
  }

  /// The chats, and a field that begins another one.
  struct Chats: View {
    let client: ChatClient
    @Binding var place: ChatPlace?
    @State private var other = ""
    @State private var problem = ""

    var body: some View {
      VStack {
        HStack {
          TextField("Write to", text: $other)
          Button("New chat") { begin() }.disabled(other.isEmpty)
        }
        .padding()
        if !problem.isEmpty { Text(problem) }
        ChatRoot(client, opening: $place, links: Self.links, deletesAll: true)
      }
    }

    /// chatapp://open?conversation=…, and Handoff. List the scheme in your Info.plist, and the type under
    /// NSUserActivityTypes.
    static let links = try? SceneLinks(
      activityType: "dev.holdfast.ChatApp.open", base: "chatapp://open")

    private func begin() {
      let members = [client.user, UserID(rawValue: other)]
      do throws(ChatError) {
        // One ID for both sides, so that the chat is the same whoever begins it. The relay keeps no IDs of pairs. Yours should:
        // somebody else can take one that is made of names, and what is written is refused then, with the reason.
        let id = members.map(\.rawValue).sorted().joined(separator: "-")
        try client.createConversation(ConversationID(rawValue: id), members: members)
        (other, problem) = ("", "")
      } catch { problem = error.message }
    }
  }
  /// The place of a notification that was tapped, until a window has opened it.
  @MainActor @Observable final class NotificationTaps: NSObject, UNUserNotificationCenterDelegate {
    var place: ChatPlace?

    override init() {
      super.init()
      UNUserNotificationCenter.current().delegate = self
    }

    nonisolated func userNotificationCenter(
      _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
      withCompletionHandler completionHandler: @escaping () -> Void
    ) {
      let push = response.notification.request.content.userInfo
      if let conversation = push["conversation"] as? String {
        let message = (push["id"] as? String).map(MessageID.init(rawValue:))
        let place = ChatPlace(ConversationID(rawValue: conversation), message: message)
        DispatchQueue.main.async { MainActor.assumeIsolated { self.place = place } }
      }
      completionHandler()
    }
  }
#else
  @main struct ChatApp {
    static func main() { print("This app needs SwiftUI: open examples/ChatApp in Xcode.") }
  }
#endif
