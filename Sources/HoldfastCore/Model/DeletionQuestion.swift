/// How much goes with a conversation, or with all of them, for the question before it is deleted. It is also what allows
/// ``ChatClient/deleteAllConversations(confirmedBy:)``: no call deletes more than its user was told of.
public struct DeletionQuestion: Sendable, Codable, Hashable {
  /// The one that it is about. Nil: all.
  public let conversation: ConversationID?
  public let conversations: Int
  public let messages: Int
  /// Messages that wait, are held, or have failed: nobody else has their texts.
  public let unsent: Int
  /// Drafts with something in them.
  public let drafts: Int

  public init(conversation: ConversationID?, conversations: Int, messages: Int, unsent: Int, drafts: Int) {
    self.conversation = conversation
    self.conversations = conversations
    self.messages = messages
    self.unsent = unsent
    self.drafts = drafts
  }

}
