import Foundation

/// Messages that have waited for so long that they are not sent without a word, as one question to their user
/// (SPEC O16).
public struct HeldMessages: Sendable, Codable, Hashable {
  /// How many are held. 0: there is no question.
  public var count: Int
  /// In how many conversations.
  public var conversations: Int
  /// When the oldest was written, by the device's date of that time. Nil when none is held.
  public var oldest: Date?
  /// The question is to be shown. False once it has been answered, until the next reconnect.
  public var isAsked: Bool

  /// Messages that are held, for previews and tests.
  public init(count: Int, conversations: Int, oldest: Date?, isAsked: Bool) {
    self.count = count
    self.conversations = conversations
    self.oldest = oldest
    self.isAsked = isAsked
  }
}

extension HeldMessages {
  /// What is to become of the messages that are held.
  public enum Answer: String, Sendable, Codable, Hashable, CaseIterable {
    /// All of them go, in their order, behind what has been sent since, and with all their attempts, as one that is
    /// tried again.
    case send
    /// They stay as they are, and the question comes again at the next reconnect.
    case keepWaiting
    /// Each conversation's texts go back into its composer, in their order, in front of what is there.
    case backToComposer
  }
}
