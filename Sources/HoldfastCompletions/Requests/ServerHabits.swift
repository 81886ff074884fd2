import Foundation
import HoldfastCore
import Synchronization

/// What a model's server has refused or asked for, so that the next request has it right at once. All copies of a
/// ``CompletionModel`` share it, and it ends with them.
final class ServerHabits: Sendable {
  struct State: Sendable, Equatable {
    /// The fields of the request that it does not take.
    var refused: Set<String> = []
    /// The name under which it wants the limit of the answer's length. Nil: the usual one.
    var limitName: String?
    /// Whether it takes instructions in the user's turn alone.
    var takesNoSystem = false
    /// The address to which it has moved.
    var address: URL?
  }
  private let state = Mutex(State())

  var known: State { state.withLock { $0 } }

  func note(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }
}

extension CompletionRequest {
  /// The names of the limit of an answer's length.
  private static let limits = ["max_tokens", "max_completion_tokens"]
  /// The fields without which there is no request, or which the user relies on.
  private static let essential: Set = [
    "model", "messages", "input", "stream", "system", "instructions", "store", "max_output_tokens",
  ]

  /// Writes the request as the server takes it.
  func adapt(_ fields: inout [String: Any]) {
    let known = model.habits.known
    if let name = known.limitName, let old = Self.limits.first(where: { fields[$0] != nil }) {
      fields[name] = fields.removeValue(forKey: old)
    }
    for name in known.refused { fields[name] = nil }
  }

  /// Learns from a refusal what the server does not take.
  ///
  /// - Parameter sent: the request's body.
  /// - Returns: whether another request is different from this one.
  func learn(from complaint: ServerComplaint, to sent: Data) -> Bool {
    guard let fields = try? JSONSerialization.jsonObject(with: sent) as? [String: Any] else { return false }
    let refusal = FieldRefusal(complaint)
    let before = model.habits.known
    guard refusal.isOfName else { return false }
    if refusal.isOfSystem, !before.takesNoSystem, hasInstructions {
      model.habits.note { $0.takesNoSystem = true }
      return true
    }
    let sentLimit = model.api == .chatCompletions ? Self.limits.first { fields[$0] != nil } : nil
    if let sentLimit, refusal.names(sentLimit), before.limitName == nil {
      model.habits.note { $0.limitName = Self.limits.first { $0 != sentLimit } }
      return true
    }
    let named = fields.keys.filter { name in
      guard !Self.essential.contains(name), !Self.limits.contains(name) else { return false }
      let inner = (fields[name] as? [String: Any]).map { Array($0.keys) } ?? []
      return ([name] + inner).contains { refusal.names($0) }
    }
    guard !named.isEmpty else { return false }
    model.habits.note { $0.refused.formUnion(named) }
    return true
  }

  private var hasInstructions: Bool {
    prompt.system?.isBlank == false || prompt.turns.contains { $0.role == .system }
  }
}

/// What a server says of a field that it does not take. Pure.
private struct FieldRefusal {
  private static var refusals: Regex<Substring> {
    /unsupported|not supported|unknown|unrecogni[sz]ed|unexpected|extra|not permitted|not allowed|does ?n.t support|does not support|no longer|deprecated|only the default|invalid argument name|not implemented|remove/
  }
  private static var values: Regex<Substring> {
    /invalid_value|invalid value|invalid schema|between|at most|at least|less than|greater than|below|above|must be <|must be >|_min|_max\b/
  }
  /// The text behind these lists what the server accepts.
  private static var supportedValues: Regex<Substring> {
    /,? ?(?:expected|must be one of|(?:supported|allowed|valid|permitted) (?:parameters|fields|keys|values|ones|options))/
  }

  private let said: String
  private let fields: [String]
  let isOfName: Bool

  init(_ complaint: ServerComplaint) {
    let sentence = (complaint.sentence ?? "").lowercased()
    said =
      sentence.firstRange(of: Self.supportedValues).map { String(sentence[..<$0.lowerBound]) } ?? sentence
    fields = complaint.fields
    let words = ([sentence] + complaint.codes).joined(separator: " ").lowercased()
    isOfName =
      words.contains(Self.refusals) && (!words.contains(Self.values) || words.contains("only the default"))
  }

  /// Whether the server takes no instructions where they were.
  var isOfSystem: Bool {
    said.contains("system")
      && (said.contains("role") || said.contains("prompt") || said.contains("instruction"))
      || said.contains("developer instruction")
  }

  /// Whether the field is named, by whatever spelling.
  func names(_ field: String) -> Bool {
    guard let spelled = try? Regex(field.split(separator: "_").joined(separator: "[ _-]?").lowercased())
    else {
      return false
    }
    return ([said] + fields.map { $0.lowercased() }).contains { text in
      text.ranges(of: spelled).contains { text.isWord(at: $0) }
    }
  }
}

extension String {
  /// Whether no letter, digit or underscore touches the range.
  fileprivate func isWord(at range: Range<Index>) -> Bool {
    func isOfName(_ character: Character?) -> Bool {
      character.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
    }
    let before = range.lowerBound == startIndex ? nil : self[index(before: range.lowerBound)]
    return !isOfName(before) && !isOfName(range.upperBound == endIndex ? nil : self[range.upperBound])
  }
}
