import Foundation
import HoldfastCore
import HoldfastHTTP
import HoldfastTransport

/// An event of a room, as far as this transport reads it.
struct MatrixEvent: Sendable, Hashable {
  /// What an event says.
  enum Kind: Sendable, Hashable {
    /// A message, and the engine's ID that its content claims.
    case message(MatrixMessage, MatrixClaim?)
    case edit(of: String, MatrixMessage, isWhole: Bool)
    case reaction(to: String, value: String)
    /// `isPart`: the redaction of an edit, whose message is redacted too.
    case redaction(of: String, isPart: Bool)
    case created(predecessor: String?)
    case member(UserID, membership: String)
    case named(String?)
    case encrypted
    case replaced
    /// The engine's ID of the conversation for which the room was created.
    case conversation(String)
    /// What this transport does not read, and what was redacted.
    case other
  }

  var id: String
  var sender: UserID
  /// In milliseconds since 1970, by the server's clock.
  var time: Int64
  var kind: Kind
  /// The newest edit of the message, where the server sends it beside the message.
  var edit: Edit?

  /// An edit that is sent beside its message.
  struct Edit: Sendable, Hashable {
    var id: String
    var sender: UserID
    var time: Int64
    var message: MatrixMessage
    var isWhole: Bool
  }

  /// The types that a timeline is made of.
  static let timelineTypes =
    ["m.room.message", "m.reaction", "m.room.redaction"] + MatrixMessage.placeholders.keys.sorted()
  /// The types that say what a room is.
  static let stateTypes = [
    "m.room.create", "m.room.member", "m.room.name", "m.room.encryption", "m.room.tombstone",
    conversationType,
  ]

  /// The types in a filter.
  static func list(of types: [String]) -> String {
    "[" + types.map { "\"\($0)\"" }.joined(separator: ",") + "]"
  }
  /// The type of the state in which a room names the conversation for which it was created.
  static let conversationType = "dev.holdfast.conversation"

  var date: Date { Date(timeIntervalSince1970: Double(time) / 1000) }

  /// Whether the event changes what the room is, and says nothing in it.
  var isState: Bool {
    switch kind {
    case .created, .member, .named, .encrypted, .replaced, .conversation: true
    case .message, .edit, .reaction, .redaction, .other: false
    }
  }

  /// Nil when the event has no ID, no sender or no type.
  init?(_ fields: JSONFields) {
    guard let id = fields.word("event_id"), MessageID.isWellFormed(id), let sender = fields.word("sender"),
      let type = fields.word("type")
    else { return nil }
    self.id = id
    self.sender = UserID(rawValue: sender)
    time = Self.time(fields)
    let content = fields.object("content") ?? JSONFields([:])
    kind = Self.kind(type, content, fields)
    if case .message = kind {
      edit = Self.edit(type, fields.object("unsigned")?.object("m.relations")?.object("m.replace"))
    }
  }

  /// The time of an event, from 1970 to the last moment of the year 9999.
  private static func time(_ fields: JSONFields) -> Int64 {
    max(0, min(fields.number("origin_server_ts") ?? 0, 253_402_300_799_999))
  }

  private static func kind(_ type: String, _ content: JSONFields, _ fields: JSONFields) -> Kind {
    switch type {
    case "m.room.message": return message(content, fields)
    case _ where MatrixMessage.placeholders[type] != nil:
      // Of a redacted one nothing is left.
      guard content.isSet else { return .other }
      guard let edit = replacement(in: content) else {
        return .message(MatrixMessage(placeholderOf: type, content), nil)
      }
      return .edit(of: edit.target, MatrixMessage(placeholderOf: type, edit.new), isWhole: true)
    case "m.reaction":
      guard let relation = content.object("m.relates_to"), relation.text("rel_type") == "m.annotation",
        let target = relation.event("event_id"), let value = relation.word("key")
      else { return .other }
      return .reaction(to: target, value: value)
    case "m.room.redaction":
      // Rooms before version 11 have it at the top.
      guard let target = content.event("redacts") ?? fields.event("redacts") else { return .other }
      return .redaction(of: target, isPart: content.isSet(MatrixMessage.Key.part))
    default: return fields.has("state_key") ? state(type, content, fields.text("state_key") ?? "") : .other
    }
  }

  private static func message(_ content: JSONFields, _ fields: JSONFields) -> Kind {
    // Of a redacted message nothing is left.
    guard content.has("body") || content.has("msgtype") else { return .other }
    guard let edit = replacement(in: content) else {
      let isEdit = content.object("m.relates_to")?.text("rel_type") == "m.replace"
      return isEdit ? .other : .message(MatrixMessage(content), MatrixClaim(content, fields))
    }
    return .edit(
      of: edit.target, MatrixMessage(edit.new), isWhole: content.isSet(MatrixMessage.Key.whole))
  }

  /// The event that the content replaces, and with what. Nil when it is no edit, or no whole one.
  private static func replacement(in content: JSONFields) -> (target: String, new: JSONFields)? {
    guard let relation = content.object("m.relates_to"), relation.text("rel_type") == "m.replace",
      let target = relation.event("event_id"), let new = content.object("m.new_content")
    else { return nil }
    return (target, new)
  }

  private static func state(_ type: String, _ content: JSONFields, _ key: String) -> Kind {
    switch type {
    case "m.room.create": .created(predecessor: content.object("predecessor")?.word("room_id"))
    case "m.room.member": .member(UserID(rawValue: key), membership: content.text("membership") ?? "leave")
    case "m.room.name": .named(content.word("name"))
    case "m.room.encryption": .encrypted
    case "m.room.tombstone": .replaced
    case conversationType: content.word("id").map(Kind.conversation) ?? .other
    default: .other
    }
  }

  private static func edit(_ type: String, _ fields: JSONFields?) -> Edit? {
    guard let fields, let id = fields.word("event_id"), MessageID.isWellFormed(id),
      let sender = fields.word("sender"), let content = fields.object("content"),
      let new = content.object("m.new_content")
    else { return nil }
    let isPlaceholder = MatrixMessage.placeholders[type] != nil
    return Edit(
      id: id, sender: UserID(rawValue: sender), time: time(fields),
      message: isPlaceholder ? MatrixMessage(placeholderOf: type, new) : MatrixMessage(new),
      isWhole: isPlaceholder || content.isSet(MatrixMessage.Key.whole))
  }
}

extension MatrixEvent {
  /// What the event says to the engine, in the room's conversation. Empty for state, and for what is not read.
  ///
  /// - Parameters:
  ///   - account: the account that reads it.
  ///   - conversation: another ID of the room's conversation, by which the engine has asked.
  func items(
    in room: String, for account: UserID, as conversation: ConversationID? = nil
  ) -> [IncomingItem] {
    let conversation = conversation ?? ConversationID(rawValue: room)
    func operation(_ operation: MessageOperation, _ content: MessageContent = MessageContent())
      -> IncomingItem
    {
      .operation(
        IncomingOperation(operation, content, in: conversation, by: sender, at: date, serverID: id))
    }
    switch kind {
    case .message(let message, let claim):
      let claimed = claim.flatMap { $0.holds(in: room, by: sender, for: account) ? $0.id : nil }
      var items = [
        IncomingItem.message(
          IncomingMessage(
            id: claimed ?? MessageID(rawValue: id), conversation: conversation,
            sender: message.author(sender), role: message.role, content: message.content, order: nil,
            createdAt: date, attachments: message.attachments.map(\.attachment),
            attachmentServerIDs: Dictionary(
              message.attachments.map { ($0.attachment.checksum, $0.serverID) }
            ) { first, _ in first }, serverID: id))
      ]
      if let edit {
        let change = MessageOperation(.edit, of: MessageID(rawValue: id), isWhole: edit.isWhole)
        items.append(
          .operation(
            IncomingOperation(
              change, edit.message.content, in: conversation, by: edit.sender,
              at: Date(timeIntervalSince1970: Double(edit.time) / 1000), serverID: edit.id)))
      }
      return items
    case .edit(let target, let message, let isWhole):
      return [
        operation(
          MessageOperation(.edit, of: MessageID(rawValue: target), isWhole: isWhole), message.content)
      ]
    case .reaction(let target, let value):
      return [
        operation(MessageOperation(.react, of: MessageID(rawValue: target)), MessageContent(value))
      ]
    case .redaction(let target, let isPart):
      return isPart ? [] : [operation(MessageOperation(.delete, of: MessageID(rawValue: target)))]
    case .created, .member, .named, .encrypted, .replaced, .conversation, .other: return []
    }
  }

  /// The engine's ID of a message of this account. Nil when the event has none.
  func ownID(of account: UserID, in room: String) -> MessageID? {
    guard sender == account, case .message(_, let claim?) = kind,
      claim.holds(in: room, by: sender, for: account)
    else { return nil }
    return claim.id
  }
}
