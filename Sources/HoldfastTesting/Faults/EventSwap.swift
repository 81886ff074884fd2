import Holdfast
import HoldfastTransport

/// Swaps two events about a message, and also items of one event.
struct EventSwap: Sendable {
  let message: MessageID
  /// The first of the two. Nil until it arrives.
  private var held: TransportEvent?
  private(set) var isDone = false
  /// The server's names of the operations on the message. A deletion may name a reaction instead of its message.
  private var names: Set<String> = []

  init(message: MessageID) { self.message = message }

  /// Returns the items to deliver now. The first event about the message is held until the second one arrives.
  ///
  /// - Parameter name: the server's name of the message.
  mutating func take(
    _ items: [IncomingItem], _ cursor: SyncCursor?, named name: String?
  ) -> [TransportEvent] {
    for case .operation(let incoming) in items where incoming.isAbout(message, named: name) {
      if let own = incoming.serverID { names.insert(own) }
    }
    let about = items.indices.filter { items[$0].isAbout(message, named: name, orAnyOf: names) }
    guard !about.isEmpty else { return [.items(items, cursor: cursor)] }
    guard held != nil || about.count > 1 else {
      held = .items(items, cursor: cursor)
      return []
    }
    isDone = true
    var swapped = items
    for (place, index) in zip(about, about.reversed()) { swapped[place] = items[index] }
    return [.items(swapped, cursor: cursor)] + (held.map { [$0] } ?? [])
  }
}

extension IncomingItem {
  /// - Parameters:
  ///   - name: the server's name of the message.
  ///   - names: the server's names of the operations on it.
  fileprivate func isAbout(_ message: MessageID, named name: String?, orAnyOf names: Set<String>) -> Bool {
    switch self {
    case .message(let incoming): incoming.id == message
    case .operation(let incoming):
      incoming.isAbout(message, named: name) || names.contains(incoming.operation.target.rawValue)
    case .readMark, .conversation, .removed: false
    }
  }
}

extension IncomingOperation {
  /// - Parameter name: the server's name of the message.
  fileprivate func isAbout(_ message: MessageID, named name: String?) -> Bool {
    operation.target == message || operation.target.rawValue == name
  }
}
