/// The reason why a message, or an operation on one, was not sent yet, and the time of its next attempt (rule O17).
/// It never carries contents.
///
/// ```swift
/// let explanation = try client.message(id).explain()
/// label.text = explanation.sentence               // "This message will send automatically when …"
/// if let next = explanation.nextAttempt { clock.count(downTo: next) }
/// ```
@dynamicMemberLookup public struct Explanation: Sendable, Codable, Hashable {
  /// The message's status, which its row in the timeline has too.
  public var status: MessageStatus
  /// One or two sentences for the user, in English or by ``ChatConfiguration/texts``. Never contents.
  public var sentence: String

  /// The explanation of a status, in English.
  public init(_ status: MessageStatus) {
    self.status = status
    sentence = ""
    localizeInEnglish()
  }

  /// The code and the numbers of ``status``, as in `explanation.code`.
  public subscript<Value>(dynamicMember value: KeyPath<MessageStatus, Value>) -> Value {
    status[keyPath: value]
  }
}

extension Explanation: CustomStringConvertible {
  /// The ``sentence``.
  public var description: String { sentence }
}

extension Explanation: Localizable {
  package mutating func localize(with texts: (ChatConfiguration.ShownText) -> String) {
    status.localize(with: texts)
    let text = ChatConfiguration.ShownText.Sentence(status).map(ChatConfiguration.ShownText.explanation)
    sentence = text.map(texts) ?? status.failure?.explanation ?? ""
  }
}
