/// The amount that would be deleted with one conversation or with all of them, for the question to the user.
///
/// The question also permits ``ChatClient/deleteAllConversations(confirmedBy:)``: no call deletes more than its
/// user was told.
public struct DeletionQuestion: Sendable, Codable, Hashable {
  /// The conversation in question. Nil: all conversations.
  public let conversation: ConversationID?
  /// The number of conversations that would go.
  public let conversations: Int
  /// The number of messages that would go, unsent ones included.
  public let messages: Int
  /// Messages that wait, are held, or have failed. Their texts are on this device only.
  public let unsent: Int
  /// Drafts that are not empty.
  public let drafts: Int

  /// A question with these counts, for previews and tests.
  public init(conversation: ConversationID?, conversations: Int, messages: Int, unsent: Int, drafts: Int) {
    self.conversation = conversation
    self.conversations = conversations
    self.messages = messages
    self.unsent = unsent
    self.drafts = drafts
  }

}
