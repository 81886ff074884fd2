// A chat with a language model for SwiftUI, kept on the device alone. Open the folder in Xcode.
#if canImport(SwiftUI)
  import Foundation
  import Holdfast
  import HoldfastAssistant
  import HoldfastRescue
  import HoldfastSwiftUI
  import SwiftUI

  @main struct AssistantApp: App {
    nonisolated static let storage = StorageLocation.applicationSupport("assistant")
    @State private var session = ChatSession(
      storage: storage, transport: DeviceTransport(), user: "me",
      configuration: ChatConfiguration(texts: { $0.localized }))

    var body: some Scene {
      WindowGroup { AssistantWindow(session: session) }
    }
  }

  /// One window. A link that launches the app waits until the store is open.
  struct AssistantWindow: View {
    let session: ChatSession
    @State private var place: ChatPlace?

    var body: some View {
      // A damaged store is set aside, and what can be read of it is recovered.
      ChatSessionView(
        session,
        repair: {
          "Recovered messages: \(try StoreSalvage.salvage(AssistantApp.storage, user: "me").messages)"
        }
      ) { client in Chats(client: client, place: $place) }
      .opensLinks(Chats.links, in: $place)
    }
  }

  /// The chats. An answer is written by the window in which it was asked for, and interrupted when that is closed.
  struct Chats: View {
    let client: ChatClient
    @Binding var place: ChatPlace?
    // SwiftUI makes the view again and again, and keeps the first of these.
    @State private var assistant: Assistant
    @State private var showsSettings = false
    @State private var problem = ""
    @AppStorage(ModelSettings.name) private var model = ModelSettings.firstName

    /// assistantapp://open?conversation=…, and Handoff. List the scheme in your Info.plist, and the type under
    /// NSUserActivityTypes.
    static let links = try? SceneLinks(
      activityType: "dev.holdfast.AssistantApp.open", base: "assistantapp://open")

    init(client: ChatClient, place: Binding<ChatPlace?>) {
      self.client = client
      _place = place
      _assistant = State(
        initialValue: Assistant(client, "assistant") { _ in try ModelSettings.current() })
    }

    var body: some View {
      VStack {
        HStack {
          Button("New chat") { begin() }
          Button("Model: \(model)") { showsSettings = true }
        }
        .padding()
        if !problem.isEmpty { Text(problem) }
        ChatRoot(client, opening: $place, links: Self.links, deletesAll: true, writer: writer)
      }
      .sheet(isPresented: $showsSettings) { ModelView(isShown: $showsSettings) }
      .task { await assistant.run() }
    }

    private var writer: ReplyWriter {
      ReplyWriter(
        assistant.member, answer: { [assistant] reply, chat in await assistant.write(reply, in: chat) },
        retry: { [assistant] in try await assistant.retry($0) },
        regenerate: { [assistant] in try await assistant.regenerate($0) })
    }

    /// The first question becomes the chat's title.
    private func begin() {
      do throws(ChatError) {
        let id = ConversationID(rawValue: UUID().uuidString)
        try client.createConversation(id, members: [client.user, assistant.member])
        (place, problem) = (ChatPlace(id), "")
      } catch { problem = error.message }
    }
  }
#else
  @main struct AssistantApp {
    static func main() { print("This app needs SwiftUI: open examples/AssistantApp in Xcode.") }
  }
#endif
