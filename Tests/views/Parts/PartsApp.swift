// An app that uses the parts of HoldfastSwiftUI alone, between views of its own. Its server is never there.
import Foundation
import Holdfast
import HoldfastSwiftUI
import HoldfastWebSocket
import SwiftUI

@main struct PartsApp: App {
  @State private var session = ChatSession(
    storage: .applicationSupport("parts"), transport: WebSocketTransport(url: Self.server) { "token" },
    user: "alice")

  var body: some Scene {
    WindowGroup { ChatSessionView(session) { client in Parts(client: client) } }
  }

  // Nothing listens there.
  private static let server = URL(string: "ws://127.0.0.1:1") ?? URL(fileURLWithPath: "/")
}

struct Parts: View {
  let client: ChatClient
  @State private var page = ""
  @State private var selection: ConversationID?

  var body: some View {
    VStack {
      Button("Begin") {
        _ = try? client.createConversation("trip", members: ["alice", "bob"])
        _ = try? client.createConversation("work", members: ["alice", "carol"])
      }
      ForEach(["timeline", "screen", "list", "root"], id: \.self) { name in Button(name) { page = name } }
      Text(selection.map { "open: \($0.rawValue)" } ?? "none open")
      switch page {
      case "timeline": OwnTimeline(client: client)
      case "screen": OwnScreen(client: client)
      case "list":
        ConversationList(client, selection: $selection) { row in Text("chat \(row.title)") }
      case "root":
        Button("Open work") { selection = "work" }
        ChatRoot(client, selection: $selection) { conversation in
          Text("above \(conversation.id.rawValue)")
          ConversationScreen(conversation)
        }
      default: EmptyView()
      }
    }
  }
}

/// A timeline of the app's own, with the rows and the composer of the module.
struct OwnTimeline: View {
  let client: ChatClient
  @State private var timeline: ConversationModel
  @State private var composer: ComposerModel

  init(client: ChatClient) {
    self.client = client
    _timeline = State(initialValue: ConversationModel(client, "trip"))
    _composer = State(initialValue: ComposerModel(client, "trip"))
  }

  var body: some View {
    VStack {
      TimelineNotice(timeline)
      ScrollView {
        ForEach(timeline.rowIDs, id: \.self) { id in
          if let row = timeline.row(id) {
            MessageRowView(ShownMessage(row, in: client)) { row in Text("own: \(row.text)") }
            ExplanationView(row.id, in: client)
          }
        }
      }
      .messageActions(composer)
      MessageComposer(composer)
    }
    .task { await timeline.run() }
    .task { await composer.run() }
  }
}

/// The screen of the module, with rows and a composer of the app's own.
struct OwnScreen: View {
  let client: ChatClient

  var body: some View {
    ConversationScreen(OpenConversation(client, "trip")) { message in
      VStack {
        MessageBubble(message)
        if message.isOwn { Text("of mine") }
        MessageStatusView(message)
      }
      .messageMenu(message) { row in Button("Copy \(row.text)") {} }
    } composer: { composer, send in
      Button("Send a greeting") {
        composer.text = "greetings"
        send()
      }
    }
  }
}
