import Foundation
import HoldfastCore
import HoldfastRelay

/// The conversations that messages are for.
extension Acceptance {
  /// The message's conversation, created where the message names members and there is none. Refuses the
  /// message and answers nil when the sender may not write to it.
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
      return conversation
    }
    // Nothing can be done to a message in a conversation that has none.
    guard let members = message.members, message.operation == nil else {
      refuse(message, .conversationRefused, "This conversation does not exist.")
      return nil
    }
    return try create(message, members: members.map(UserID.init(rawValue:)))
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
    outcome.entries.append(try log.append(telling: conversation))
    return conversation
  }

  /// A title is worth no refusal: what does not fit is cut off, and what cannot be shown is left out.
  private func cut(_ title: String) -> String? {
    var cut = ""
    for character in title where character.unicodeScalars.allSatisfy({ $0.value >= 0x20 }) {
      guard cut.utf8.count + character.utf8.count <= limits.maximumTitleBytes else { break }
      cut.append(character)
    }
    return cut.isEmpty ? nil : cut
  }
}
