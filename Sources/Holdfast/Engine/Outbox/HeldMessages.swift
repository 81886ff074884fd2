import Foundation
import HoldfastCore

/// The messages that have waited so long that their user is asked before they are sent. There is one question for all
/// of them (rule O16).
public struct HeldMessages: Sendable, Codable, Hashable {
  /// The number of held messages. 0 when there is no question.
  public var count: Int
  /// The number of conversations that have held messages.
  public var conversations: Int
  /// The date on which the oldest message was written, by the device's date of that time. Nil when none is held.
  public var oldest: Date?
  /// The age of the oldest message at the time of the question.
  public var age: DraftBanner.Age
  /// Whether the question is to be shown. False once it has been answered, until the next reconnect.
  public var isAsked: Bool
  /// The question in English, or by ``ChatConfiguration/texts``: "3 messages have waited for long". Nil when none is
  /// held.
  public private(set) var title: String?
  /// The sentence under the question, which states the age of the messages. Nil when none is held.
  public private(set) var sentence: String?

  /// The reason why the outbox could not be read. The other values are then those of the last read, or there is no
  /// question. Nil while it can be read.
  public package(set) var problem: ChatError?

  /// Messages that are held, for previews and tests.
  public init(
    count: Int, conversations: Int, oldest: Date?, age: DraftBanner.Age = .justNow, isAsked: Bool
  ) {
    self.count = count
    self.conversations = conversations
    self.oldest = oldest
    self.age = age
    self.isAsked = isAsked
    localizeInEnglish()
  }
}

extension HeldMessages: Localizable {
  package mutating func localize(with texts: (ChatConfiguration.ShownText) -> String) {
    guard count > 0 else { return (title, sentence) = (nil, nil) }
    title = texts(.heldTitle(messages: count))
    sentence = texts(.heldSentence(messages: count, conversations: conversations, oldest: age))
  }
}

extension HeldMessages {
  /// The user's decision about the held messages.
  public enum Answer: String, Sendable, Codable, Hashable, CaseIterable {
    /// All held messages are sent, in their order, behind the messages that were sent since. They have all their
    /// attempts again, as after a retry.
    case send
    /// The messages stay held, and the question comes back at the next reconnect.
    case keepWaiting
    /// The texts of each conversation go back into its composer, in their order, in front of the present text.
    case backToComposer
  }
}
