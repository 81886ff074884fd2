import Synchronization

/// The queues of one account's sockets. Their total size is limited, and above the limit the largest one is dropped:
/// an account cannot exhaust the relay's memory with many sockets that it does not read.
final class AccountQueues: Sendable {
  static let maximumBytes = 48 << 20

  private struct State {
    var queues: [ObjectIdentifier: (queue: OutboundQueue, bytes: Int)] = [:]
    var bytes = 0
  }

  /// The server accepts one frame of an account at a time: many sockets of one account delay the others by at most a
  /// frame.
  let receiving = AsyncLock()
  private let state = Mutex(State())
  private let maximumBytes: Int

  init(maximumBytes: Int = AccountQueues.maximumBytes) { self.maximumBytes = maximumBytes }

  /// The queues of the account, in no order.
  var all: [OutboundQueue] { state.withLock { $0.queues.values.map(\.queue) } }

  /// Counts the bytes of a queue from now on.
  func add(_ queue: OutboundQueue) {
    state.withLock { $0.queues[ObjectIdentifier(queue)] = (queue, 0) }
  }

  func remove(_ queue: OutboundQueue) {
    state.withLock { $0.bytes -= $0.queues.removeValue(forKey: ObjectIdentifier(queue))?.bytes ?? 0 }
  }

  /// Counts the bytes that a queue has added or removed. Returns the queue that must be dropped, when all of them
  /// together are too large.
  func count(_ bytes: Int, in queue: OutboundQueue) -> OutboundQueue? {
    state.withLock { state in
      let id = ObjectIdentifier(queue)
      // A dropped queue no longer counts.
      guard state.queues[id] != nil else { return nil }
      state.queues[id]?.bytes += bytes
      state.bytes += bytes
      guard state.bytes > maximumBytes else { return nil }
      return state.queues.values.max { $0.bytes < $1.bytes }?.queue
    }
  }
}

/// The queues of all sockets of a relay, by the token of their account: each account has one.
final class RelayQueues: Sendable {
  private let accounts = Mutex<[String: (queues: AccountQueues, sockets: Int)]>([:])

  /// A queue for a new socket.
  func open(token: String) -> OutboundQueue {
    let account = accounts.withLock { accounts in
      let account = accounts[token] ?? (AccountQueues(), 0)
      accounts[token] = (account.queues, account.sockets + 1)
      return account.queues
    }
    return OutboundQueue(account: account)
  }

  /// Removes the queue of a socket that has ended.
  func close(_ queue: OutboundQueue, token: String) {
    queue.account.remove(queue)
    accounts.withLock { accounts in
      guard let account = accounts[token] else { return }
      accounts[token] = account.sockets == 1 ? nil : (account.queues, account.sockets - 1)
    }
  }

  /// Drops the queues that have not made progress for some turns.
  func dropStalled() {
    let all = accounts.withLock { accounts in accounts.values.map(\.queues) }
    for queue in all.flatMap(\.all) { queue.dropIfStalled() }
  }
}
