import HoldfastCore
import HoldfastTransport

/// What a room is, as its state says.
struct MatrixRoom: Sendable, Hashable {
  /// Empty when the room's name was taken away. Nil when it never had one.
  var title: String?
  var creator: UserID?
  /// The accounts that are members, or are invited.
  var members: Set<UserID> = []
  /// Those who were members or invited, and have left, are banned or have refused.
  var absent: Set<UserID> = []
  var isEncrypted = false
  /// Whether another room has taken its place.
  var isReplaced = false
  /// The engine's ID of the conversation for which the room says that it was created.
  var conversation: String?

  /// The room whose state these events are.
  init(_ events: [MatrixEvent]) { for event in events { apply(event) } }

  mutating func apply(_ event: MatrixEvent) {
    switch event.kind {
    case .created: creator = event.sender
    case .named(let name): title = name ?? ""
    case .encrypted: isEncrypted = true
    case .replaced: isReplaced = true
    case .conversation(let id): conversation = id
    case .member(let user, "join"), .member(let user, "invite"):
      members.insert(user)
      absent.remove(user)
    case .member(let user, _):
      members.remove(user)
      absent.insert(user)
    case .message, .edit, .reaction, .redaction, .other: break
    }
  }

  /// Why nothing is sent into the room. Nil when messages are.
  var refusal: FailureReason? {
    if isEncrypted { return .encryptedRoom }
    return isReplaced ? .replacedRoom : nil
  }

  /// - Parameter conversation: the engine's ID of the conversation, where the server confirms that the room is its own.
  func item(_ room: String, for conversation: String?) -> IncomingConversation {
    IncomingConversation(
      id: ConversationID(rawValue: room), title: title, members: members.sorted { $0.rawValue < $1.rawValue },
      earlierIDs: conversation.map { [ConversationID(rawValue: $0)] } ?? [], refusal: refusal)
  }
}

extension FailureReason {
  /// A server takes plain messages into an encrypted room, where everybody could read them.
  static let encryptedRoom = FailureReason(
    .conversationRefused,
    "This room is encrypted, and this app cannot encrypt. Nothing was sent: the server could read it.")
  static let replacedRoom = FailureReason(
    .conversationRefused, "This room has been closed. Its members go on in another one.")
  static let forbiddenRoom = FailureReason(
    .conversationRefused, "You may not write in this conversation.")
  static let removedFromRoom = FailureReason(
    .conversationRefused, "You were removed from this room. What is here stays.")
  /// The name of the conversation is taken by a room of somebody who is no member.
  static let foreignRoom = FailureReason(
    .conversationRefused, "This conversation could not be created, because its ID belongs to somebody else.")
}
