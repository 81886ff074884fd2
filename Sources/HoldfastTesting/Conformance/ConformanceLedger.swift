import Holdfast
import HoldfastTransport
import Synchronization

/// The acts of a case's users, and so the state that the server must have in the end.
final class ConformanceLedger: Sendable {
  /// One message, in the state that the server must have.
  struct Entry: Sendable {
    enum Presence: Sendable {
      /// The server has it once.
      case once
      /// The user took it back, or the server refused it: the server must not have it.
      case never
    }

    var id: MessageID
    var sender: UserID
    var text: String
    var presence = Presence.once
    var isDeleted = false
    var reactions: Set<IncomingMessage.Reaction> = []
    var attachments: [ChatAttachment.Checksum] = []
    /// Whether the message keeps its sender's order. False once it was sent again after later ones.
    var keepsPlace = true
    /// All texts that it has had.
    var texts: Set<String>

    init(id: MessageID, sender: UserID, text: String, attachments: [ChatAttachment.Checksum] = []) {
      (self.id, self.sender, self.text, self.attachments) = (id, sender, text, attachments)
      texts = [text]
    }
  }

  /// One conversation: its creator and its messages.
  struct Chat: Sendable {
    var creator: ConformancePhone
    var members: Set<UserID>
    /// In the order in which the messages were sent.
    var entries: [Entry] = []
    var readMarks: [UserID: MessageID] = [:]
  }

  private let chats = Mutex<[(id: ConversationID, chat: Chat)]>([])

  var all: [(id: ConversationID, chat: Chat)] { chats.withLock { $0 } }

  func note(_ conversation: ConversationID, of creator: ConformancePhone, members: [UserID]) {
    chats.withLock { $0.append((conversation, Chat(creator: creator, members: Set(members)))) }
  }

  /// The present text of a message.
  func text(of message: MessageID) -> String {
    all.flatMap(\.chat.entries).first { $0.id == message }?.text ?? message.rawValue
  }

  subscript(_ conversation: ConversationID) -> Chat? {
    chats.withLock { chats in chats.first { $0.id == conversation }?.chat }
  }

  func sent(_ entry: Entry, in conversation: ConversationID) {
    change(conversation) { $0.entries.append(entry) }
  }

  func read(_ message: MessageID, by reader: UserID, in conversation: ConversationID) {
    change(conversation) { $0.readMarks[reader] = message }
  }

  func change(_ message: MessageID, _ body: (inout Entry) -> Void) {
    chats.withLock { chats in
      for index in chats.indices {
        guard let entry = chats[index].chat.entries.firstIndex(where: { $0.id == message }) else { continue }
        body(&chats[index].chat.entries[entry])
      }
    }
  }

  func edited(_ message: MessageID, to text: String) {
    change(message) {
      $0.text = text
      $0.texts.insert(text)
    }
  }

  func deleted(_ message: MessageID) {
    change(message) {
      ($0.text, $0.isDeleted, $0.reactions, $0.attachments) = ("", true, [], [])
    }
  }

  /// Records that a member no longer has the conversation.
  func left(_ conversation: ConversationID, by user: UserID) {
    change(conversation) { $0.members.remove(user) }
  }

  /// Records that no member has the conversation any longer, and neither does the server.
  func removed(_ conversation: ConversationID) {
    change(conversation) { ($0.members, $0.entries) = ([], []) }
  }

  func withdrawn(_ message: MessageID) { change(message) { $0.presence = .never } }

  private func change(_ conversation: ConversationID, _ body: (inout Chat) -> Void) {
    chats.withLock { chats in
      guard let index = chats.firstIndex(where: { $0.id == conversation }) else { return }
      body(&chats[index].chat)
    }
  }
}
