import HoldfastCore
import Synchronization

/// The names of conversations: the IDs by which the app and the server call them (rule D15). An earlier name still
/// refers to the conversation that had it. The names are kept in memory, because every incoming message is looked up
/// here. A conversation that has only ever had its first name costs nothing.
package final class ConversationNames: Sendable {
  /// The names, as seen by one transaction or one snapshot.
  struct Table: Equatable {
    /// The conversations by name, for all names that are not first names.
    var keys: [ConversationID: ConversationKey] = [:]
    /// The present names of conversations whose present name is not their first name.
    var names: [ConversationKey: ConversationID] = [:]
    /// The merged conversations, with the conversation that each was merged into.
    var joined: [ConversationKey: ConversationKey] = [:]

    func key(of name: ConversationID) -> ConversationKey {
      keys[name] ?? ConversationKey(rawValue: name.rawValue)
    }

    func name(of key: ConversationKey) -> ConversationID {
      let whole = whole(of: key)
      return names[whole] ?? ConversationID(rawValue: whole.rawValue)
    }

    func whole(of key: ConversationKey) -> ConversationKey {
      if let whole = joined[key] { return whole }
      // A name without a conversation served as a key, and now belongs to a conversation. A real conversation whose
      // first name was taken has a present name, and is itself.
      guard names[key] == nil else { return key }
      return keys[ConversationID(rawValue: key.rawValue)] ?? key
    }

    /// All names under which a conversation is found.
    func names(everOf key: ConversationKey) -> [ConversationID] {
      let first = ConversationID(rawValue: key.rawValue)
      let others = keys.filter { $0.value == key && $0.key != first }.keys.sorted {
        $0.rawValue < $1.rawValue
      }
      return self.key(of: first) == key ? [first] + others : others
    }
  }
  private struct State {
    var table = Table()
    var revision = 0
  }
  private let state = Mutex(State())

  package init() {}

  /// The key of the conversation that has this name, or had it last.
  package func key(of name: ConversationID) -> ConversationKey { state.withLock { $0.table.key(of: name) } }

  /// The present name of a conversation.
  package func name(of key: ConversationKey) -> ConversationID { state.withLock { $0.table.name(of: key) } }

  /// The conversation that this one was merged into, or this one itself.
  package func whole(of key: ConversationKey) -> ConversationKey {
    state.withLock { $0.table.whole(of: key) }
  }

  /// A number that grows with each change of the names. Caches by conversation are refreshed when it changes.
  package var revision: Int { state.withLock { $0.revision } }

  /// - Parameter isChanged: whether the names are known to differ from the present ones. Otherwise they are compared.
  func set(_ value: Table, isChanged: Bool = false) {
    state.withLock { state in
      guard isChanged || state.table != value else { return }
      state = State(table: value, revision: state.revision + 1)
    }
  }

  var value: Table { state.withLock { $0.table } }
}
