/// The counts of everything that the deletion of one conversation or of all of them, or the emptying of one, would
/// remove, for the question to the user.
///
/// The question also permits ``ChatClient/deleteAllConversations(confirmedBy:)``: no call deletes more than the
/// question stated.
public struct DeletionQuestion: Sendable, Codable, Hashable {
  /// The conversation in question. Nil: all conversations.
  public let conversation: ConversationID?
  /// Whether the conversation would be emptied and stay.
  public let isEmptying: Bool
  /// The number of conversations that would be deleted or emptied.
  public let conversations: Int
  /// The number of messages that would be deleted, unsent ones included.
  public let messages: Int
  /// Messages that wait, are held, or have failed. Their texts are on this device only.
  public let unsent: Int
  /// Drafts that are not empty, and unfinished edits. Emptying a conversation keeps its draft.
  public let drafts: Int
  /// The question in English, or by ``ChatConfiguration/texts``: "Delete all 3 conversations?"
  public private(set) var title = ""
  /// The sentence under the question, which lists what would be deleted.
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
