import Foundation
import Synchronization

/// What a model's server has refused or asked for, so that the next request has it right at once. All copies of a
/// ``CompletionModel`` share it, and it ends with them.
final class ServerHabits: Sendable {
  struct State: Sendable {
    /// The fields of the request that it does not take.
    var refused: Set<String> = []
    /// Whether it wants the limit of the answer's length under the newer name.
    var namesLimitAnew = false
    /// The address to which it sends.
    var address: URL?
  }
  private let state = Mutex(State())

  var known: State { state.withLock { $0 } }

  func note(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }
}

extension CompletionRequest {
  private static let tokenLimit = "max_tokens"
  private static let newTokenLimit = "max_completion_tokens"

  /// The fields without which there is no request.
  private var essential: Set<String> {
    var names: Set = ["model", "messages", "input", "stream"]
    if model.api == .messages { names.insert(Self.tokenLimit) }
    return names
  }

  /// What the server has not taken before, in its own words.
  func adapt(_ fields: inout [String: Any]) {
    let known = model.habits.known
    if known.namesLimitAnew, let limit = fields.removeValue(forKey: Self.tokenLimit) {
      fields[Self.newTokenLimit] = limit
    }
    for name in known.refused { fields[name] = nil }
  }

  /// Learns from the refusal of a request which fields the server does not take.
  ///
  /// - Parameters:
  ///   - sent: the request's body.
  ///   - refusal: the body of the answer.
  /// - Returns: whether another request is different from this one.
  func learn(from refusal: String, to sent: Data) -> Bool {
    guard let fields = try? JSONSerialization.jsonObject(with: sent) as? [String: Any] else { return false }
    let own = Set(fields.keys).subtracting(essential)
    if fields[Self.tokenLimit] != nil, refusal.names(Self.newTokenLimit) {
      model.habits.note { $0.namesLimitAnew = true }
      return true
    }
    // A value that is wrong is its app's to mend.
    let isRange = ["between", "less than", "greater than", "at most", "at least"].contains {
      refusal.contains($0)
    }
    let named = own.filter { refusal.names($0) && (!isRange || !isOfSettings($0)) }
    guard !named.isEmpty else { return false }
    model.habits.note { $0.refused.formUnion(named) }
    return true
  }

  private func isOfSettings(_ name: String) -> Bool {
    model.settings.fields.flatMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] }?[name]
      != nil
  }
}

extension String {
  /// Whether the name of a field stands in the text, as a word of its own.
  fileprivate func names(_ field: String) -> Bool {
    func isOfName(_ character: Character?) -> Bool {
      character.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
    }
    return ranges(of: field).contains { found in
      let before = found.lowerBound == startIndex ? nil : self[index(before: found.lowerBound)]
      return !isOfName(before) && !isOfName(found.upperBound == endIndex ? nil : self[found.upperBound])
    }
  }
}
