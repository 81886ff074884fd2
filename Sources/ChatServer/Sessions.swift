import HoldfastCore
import HoldfastRelay

/// The open connections, by number and by account. Every result is in the order of connecting, so that a simulation
/// replays exactly.
struct Sessions: Sendable {
  private var byID: [ConnectionID: Session] = [:]
  private var byAccount: [UserID: [ConnectionID]] = [:]
  private var lastNumber = 0

  subscript(id: ConnectionID) -> Session? { byID[id] }

  var all: [ConnectionID] { byID.keys.sorted() }

  mutating func add(account: UserID, send: @escaping @Sendable (ServerOutput) -> Void) -> ConnectionID {
    lastNumber += 1
    let id = ConnectionID(number: lastNumber)
    byID[id] = Session(id: id, account: account, send: send)
    byAccount[account, default: []].append(id)
    return id
  }

  /// Changes a session. Does nothing when the session has ended.
  mutating func update(_ id: ConnectionID, _ change: (inout Session) -> Void) {
    guard var session = byID[id] else { return }
    change(&session)
    byID[id] = session
  }

  @discardableResult
  mutating func remove(_ id: ConnectionID) -> Session? {
    guard let session = byID.removeValue(forKey: id) else { return nil }
    byAccount[session.account]?.removeAll { $0 == id }
    if byAccount[session.account]?.isEmpty == true { byAccount[session.account] = nil }
    return session
  }

  func connections(of account: UserID) -> [ConnectionID] { byAccount[account] ?? [] }

  /// The live sessions of these accounts.
  func live(among accounts: some Sequence<UserID>) -> [Session] {
    var ids: [ConnectionID] = []
    var seen: Set<UserID> = []
    for account in accounts where seen.insert(account).inserted { ids += byAccount[account] ?? [] }
    return ids.sorted().compactMap { byID[$0] }.filter { $0.phase == .live }
  }
}
