/// The calls of tools in an answer, put together from their pieces.
package struct ToolCalls: Sendable {
  package private(set) var calls: [ModelToolCall] = []
  /// The size of all of them.
  private(set) var bytes = 0
  /// What the server calls each of them: its number, or its item. Nil where the server gives none.
  private var keys: [String?] = []

  /// Adds a piece. A new ID begins a new call, whatever the number. Without a number, the piece belongs to the last
  /// call.
  mutating func add(_ key: String?, id: String?, name: String?, arguments: String) {
    let id = id?.isEmpty == false ? id : nil
    bytes += arguments.utf8.count + (name?.utf8.count ?? 0)
    let index = index(of: key, id)
    if index == nil {
      keys.append(key)
      calls.append(ModelToolCall(name: "", arguments: ""))
    }
    let at = index ?? calls.count - 1
    if calls[at].id == nil { calls[at].id = id }
    // Some servers repeat the name in each piece.
    if calls[at].name.isEmpty { calls[at].name = name ?? "" }
    calls[at].arguments += arguments
  }

  /// Adds a call as a whole, of which the pieces may have sent all.
  mutating func complete(_ key: String?, id: String?, name: String?, arguments: String) {
    let at = index(of: key, id) ?? calls.firstIndex { $0.id != nil && $0.id == id }
    guard let at else { return add(key, id: id, name: name, arguments: arguments) }
    if calls[at].id == nil { calls[at].id = id }
    if calls[at].name.isEmpty { calls[at].name = name ?? "" }
    guard arguments.utf8.starts(with: calls[at].arguments.utf8) else { return }
    bytes += arguments.utf8.count - calls[at].arguments.utf8.count
    calls[at].arguments = arguments
  }

  private func index(of key: String?, _ id: String?) -> Int? {
    guard let key else {
      guard let last = calls.last, id == nil || id == last.id else { return nil }
      return calls.count - 1
    }
    guard let index = keys.lastIndex(of: key) else { return nil }
    if let id, let known = calls[index].id, known != id { return nil }
    return index
  }
}
