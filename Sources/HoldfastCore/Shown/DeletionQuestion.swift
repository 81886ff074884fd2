/// The amount that would be deleted with one conversation or with all of them, or by emptying one, for the question to
/// the user.
///
/// The question also permits ``ChatClient/deleteAllConversations(confirmedBy:)``: no call deletes more than its
/// user was told.
public struct DeletionQuestion: Sendable, Codable, Hashable {
  /// The conversation in question. Nil: all conversations.
  public let conversation: ConversationID?
  /// Whether the conversation would be emptied and stay.
  public let isEmptying: Bool
  /// The number of conversations that would go, or be emptied.
  public let conversations: Int
  /// The number of messages that would go, unsent ones included.
  public let messages: Int
  /// Messages that wait, are held, or have failed. Their texts are on this device only.
  public let unsent: Int
  /// Drafts that are not empty, and unfinished edits. To empty a conversation keeps its draft.
  public let drafts: Int
  /// The question in English, or by ``ChatConfiguration/texts``: "Delete all 3 conversations?"
  public private(set) var title = ""
  /// The sentence under the question, which says what would go.
  public private(set) var sentence = ""

  /// A question with these counts, for previews and tests.
  public init(
    conversation: ConversationID?, isEmptying: Bool = false, conversations: Int, messages: Int, unsent: Int,
    drafts: Int
  ) {
    self.conversation = conversation
    self.isEmptying = isEmptying
    self.conversations = conversations
    self.messages = messages
    self.unsent = unsent
    self.drafts = drafts
    localizeInEnglish()
  }
}

extension DeletionQuestion: Localizable {
  package mutating func localize(with texts: (ChatConfiguration.ShownText) -> String) {
    if isEmptying {
      title = texts(.emptyingTitle)
      sentence = texts(.emptyingSentence(messages: messages, unsent: unsent))
    } else {
      title = texts(.deletionTitle(conversations: conversations))
      sentence = texts(.deletionSentence(messages: messages, unsent: unsent, drafts: drafts))
    }
  }
}
