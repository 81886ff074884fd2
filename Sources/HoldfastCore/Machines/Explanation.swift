/// The reason why a message, or an operation on one, has not gone, and when it is tried next (SPEC O17). It never
/// carries contents.
///
/// ```swift
/// let explanation = try client.message(id).explain()
/// label.text = explanation.sentence               // "This message will send automatically when …"
/// if let next = explanation.nextAttempt { clock.count(downTo: next) }
/// ```
@dynamicMemberLookup public struct Explanation: Sendable, Codable, Hashable {
  /// A code that can be compared.
  public typealias Code = MessageStanding.Code

  /// How the message stands: the value that its row in the timeline has too.
  public var standing: MessageStanding
  /// One or two sentences for the user, in English or by ``ChatConfiguration/texts``. Never contents.
  public var sentence: String

  /// The explanation in English of how a message stands.
  public init(_ standing: MessageStanding) {
    self.standing = standing
    sentence = ""
    wordInEnglish()
  }

  /// The code and the numbers of ``standing``, as in `explanation.code`.
  public subscript<Value>(dynamicMember value: KeyPath<MessageStanding, Value>) -> Value {
    standing[keyPath: value]
  }
}

extension Explanation: Worded {
  package mutating func word(with texts: (ChatConfiguration.ShownText) -> String) {
    standing.failure?.word(with: texts)
    let text = ChatConfiguration.ShownText.Sentence(standing).map(ChatConfiguration.ShownText.explanation)
    sentence = text.map(texts) ?? standing.failure?.explanation ?? ""
  }
}
