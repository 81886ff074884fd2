import Foundation
import HoldfastCore
import HoldfastRelay

/// Finds and creates the conversations of messages.
extension Acceptance {
  /// The message's conversation. It is created if it does not exist and the message names members. Refuses the
  /// message and returns nil when the sender may not write to the conversation.
  package mutating func conversation(for message: Wire.Outgoing) throws -> ConversationRecord? {
    guard MessageID.isWellFormed(message.conversation) else {
      refuse(message, .conversationRefused, "This conversation's ID is not one the server accepts.")
      return nil
    }
    let id = ConversationID(rawValue: message.conversation)
    if let conversation = try known[id] ?? conversations.find(id.rawValue) {
      guard conversation.members.contains(sender) else {
        refuse(message, .conversationRefused, "You are not a member of this conversation.")
        return nil
      }
      guard !conversation.isRemoved else {
        refuse(message, .conversationRefused, "This conversation was deleted.")
        return nil
      }
      if let refusal = conversation.refusal {
        refuse(message, .conversationRefused, refusal)
        return nil
      }
      guard namesTheMembers(message, of: conversation) else {
        refuse(
          message, .rejected, "Another conversation has this ID. See who is in it before you send again.")
        return nil
      }
      return conversation
    }
    // An operation creates no conversation, because a new conversation has no message to change.
    guard let members = message.members, message.operation == nil else {
      refuse(message, .conversationRefused, "This conversation does not exist.")
      return nil
    }
    return try create(message, members: members.map(UserID.init(rawValue:)))
  }

  /// Whether a first message names exactly the members of the conversation: another account may have made a
  /// conversation with this ID before. For a later message of the same sender, the members may have changed since,
  /// so it always passes.
  private func namesTheMembers(_ message: Wire.Outgoing, of conversation: ConversationRecord) -> Bool {
    guard let members = message.members, message.predecessor == nil else { return true }
    return Set(members.map(UserID.init(rawValue:))) == Set(conversation.members)
  }

  private mutating func create(_ message: Wire.Outgoing, members: [UserID]) throws -> ConversationRecord? {
    var named: Set<UserID> = []
    let members = members.filter { named.insert($0).inserted }
    if !named.contains(sender) {
      refuse(message, .conversationRefused, "You are not among the members of this conversation.")
      return nil
    }
    if members.count > limits.maximumMembers {
      refuse(message, .conversationRefused, "This conversation has more members than the server accepts.")
      return nil
    }
    for member in members {
      guard member.isWellFormed, try accounts.exists(member) else {
        refuse(message, .conversationRefused, "A member of this conversation has no account on the server.")
        return nil
      }
    }
    let conversation = ConversationRecord(
      id: message.conversation, title: message.title.flatMap(cut), members: members, lastOrder: 0)
    try conversations.create(conversation)
    outcome.entries.append(try log.append(announcing: conversation))
    return conversation
  }

  /// Shortens a title, because a title is never a reason to refuse. Text that does not fit is cut off, and control
  /// characters are removed.
  private func cut(_ title: String) -> String? {
    var cut = ""
    for character in title where character.unicodeScalars.allSatisfy({ $0.value >= 0x20 }) {
      guard cut.utf8.count + character.utf8.count <= limits.maximumTitleBytes else { break }
      cut.append(character)
    }
    return cut.isEmpty ? nil : cut
  }
}
