// A conversation in the views of https://github.com/exyte/Chat 3.2, with this package's composer, which keeps the draft.
#if canImport(ExyteChat)
  import ExyteChat
  import Holdfast
  import HoldfastSwiftUI
  import SwiftUI

  struct ExyteChatView: View {
    @State private var timeline: ConversationModel
    @State private var composer: ComposerModel

    init(_ client: ChatClient, _ conversation: ConversationID) {
      _timeline = State(initialValue: ConversationModel(client, conversation))
      _composer = State(initialValue: ComposerModel(client, conversation))
    }

    var body: some View {
      ChatView(messages: timeline.rows.map { Message($0) }) { _ in
      } inputViewBuilder: { _ in
        MessageComposer(composer)
      }
      .task { await timeline.run() }
      .task { await composer.run() }
    }
  }

  extension Message {
    init(_ row: MessageRow) {
      let user = User(
        id: row.sender.rawValue, name: row.senderName, avatarURL: nil, isCurrentUser: row.isMine)
      self.init(
        id: row.id.rawValue, user: user, status: row.isMine ? Status(row) : nil, createdAt: row.createdAt,
        text: row.note ?? row.text)
    }
  }

  extension Message.Status {
    init(_ row: MessageRow) {
      switch row.status.state {
      case .delivered: self = row.readBy.isEmpty ? .delivered : .readBy(row.readBy.map(\.rawValue))
      default: self = .sending  // why it waits or has failed is in row.status.text
      }
    }
  }
#endif
