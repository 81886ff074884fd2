// A chat with a language model for SwiftUI, kept on the device alone. Open the folder in Xcode.
#if canImport(SwiftUI)
  import Foundation
  import Holdfast
  import HoldfastAssistant
  import HoldfastSwiftUI
  import SwiftUI

  @main struct AssistantApp: App {
    @State private var session = ChatSession(
      storage: .applicationSupport("assistant"), transport: DeviceTransport(), user: "me",
      configuration: ChatConfiguration(texts: { $0.localized }))

    var body: some Scene {
      WindowGroup { ChatSessionView(session) { client in ModelView(client: client) } }
    }
  }

  /// Asks where the model is: any server that answers as OpenAI's does, llama.cpp on this machine.
  struct ModelView: View {
    let client: ChatClient
    @State private var address = "http://127.0.0.1:8080/v1"
    @State private var server: URL?

    var body: some View {
      if let server {
        AssistantView(client: client, model: CompletionModel(server, model: "qwen3"))
      } else {
        VStack {
          TextField("Model server", text: $address)
          Button("Begin") { server = URL(string: address) }
        }
        .padding()
      }
    }
  }

  struct AssistantView: View {
    let client: ChatClient
    // SwiftUI makes the view again and again, and keeps the first of these.
    @State private var assistant: Assistant
    @State private var problem = ""

    init(client: ChatClient, model: CompletionModel) {
      self.client = client
      _assistant = State(initialValue: Assistant(client, "assistant", model: model))
    }

    var body: some View {
      VStack {
        Button("New chat") { begin() }.padding()
        if !problem.isEmpty { Text(problem) }
        ChatRoot(client, writer: writer)
      }
      .task { await assistant.run() }
    }

    private var writer: ReplyWriter {
      ReplyWriter(
        assistant.member, answer: { [assistant] reply, chat in await assistant.write(reply, in: chat) },
        retry: { [assistant] in try await assistant.retry($0) },
        regenerate: { [assistant] in try await assistant.regenerate($0) })
    }

    private func begin() {
      do throws(ChatError) {
        let id = ConversationID(rawValue: UUID().uuidString)
        try client.createConversation(id, members: [client.user, assistant.member])
        problem = ""
      } catch { problem = error.message }
    }
  }
#else
  @main struct AssistantApp {
    static func main() { print("This app needs SwiftUI: open examples/AssistantApp in Xcode.") }
  }
#endif
