// A conversation in the views of https://github.com/EnesKaraosman/SwiftyChat 4.1, with this package's composer, which keeps the draft.
#if canImport(SwiftyChat)
  import Foundation
  import Holdfast
  import HoldfastSwiftUI
  import SwiftUI
  import SwiftyChat

  struct SwiftyChatView: View {
    @State private var timeline: ConversationModel
    @State private var composer: ComposerModel

    init(_ client: ChatClient, _ conversation: ConversationID) {
      _timeline = State(initialValue: ConversationModel(client, conversation))
      _composer = State(initialValue: ComposerModel(client, conversation))
    }

    var body: some View {
      ChatView(messages: rows) { MessageComposer(composer) }
        .task { await timeline.run() }
        .task { await composer.run() }
    }

    /// The view takes a binding, and writes nothing to it.
    private var rows: Binding<[ShownMessage]> {
      Binding { @MainActor in
        timeline.rows.map { ShownMessage(row: $0) }
      } set: { @MainActor _ in
      }
    }
  }

  struct ShownMessage: ChatMessage {
    let row: MessageRow
    var id: String { row.id.rawValue }
    var user: Sender { Sender(id: row.sender.rawValue, userName: row.senderName) }
    var messageKind: ChatMessageKind { .text(row.note ?? row.text) }
    var isSender: Bool { row.isMine }
    var date: Date { row.createdAt }
  }

  struct Sender: ChatUser {
    let id: String
    let userName: String
    var avatar: PlatformImage? { nil }
    var avatarURL: URL? { nil }
  }
#endif
