/// The reason why a message, or an operation on one, has not gone, and when it is tried next (SPEC O17). It never
/// carries contents.
///
/// ```swift
/// let explanation = try await client.message(id).explain()
/// label.text = explanation.sentence               // "This message will send automatically when …"
/// if let next = explanation.nextAttempt { clock.count(downTo: next) }
/// ```
@dynamicMemberLookup public struct Explanation: Sendable, Codable, Hashable {
  /// A code that can be compared.
  public typealias Code = MessageStanding.Code

  /// How the message stands: the value that its row in the timeline has too.
  public var standing: MessageStanding
  /// One or two sentences for the user. Never contents.
  public var sentence: String

  /// The explanation in English of how a message stands.
  public init(_ standing: MessageStanding) {
    self.standing = standing
    sentence = ShownTexts.sentence(of: standing)
  }

  /// The code and the numbers of ``standing``, as in `explanation.code`.
  public subscript<Value>(dynamicMember value: KeyPath<MessageStanding, Value>) -> Value {
    standing[keyPath: value]
  }
}
