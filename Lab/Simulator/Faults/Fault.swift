/// A fault that can strike in a world. The raw values are the names on the command line.
package enum Fault: String, Sendable, CaseIterable {
  /// A frame never arrives.
  case loss
  /// Frames take longer to arrive.
  case delay
  /// A frame arrives twice.
  case duplicate
  /// A frame overtakes another.
  case reorder
  /// The server accepts the messages, and its response is lost together with the connection.
  case lostReceipt = "lost-receipt"
  /// The server accepts the messages, and the transport gets no definitive response: it reports an ambiguous
  /// outcome.
  case noAnswer = "no-answer"
  /// The connection breaks at an arbitrary moment.
  case brokenConnection = "broken-connection"
  /// Connections stay open, but no frames pass through them, in one direction or both.
  case partition
  /// The device has no network, and knows it.
  case lostNetwork = "lost-network"
  /// The network goes and comes back several times within a second.
  case flapping
  /// The server responds late, or so late that its clients have stopped waiting.
  case slowServer = "slow-server"
  /// A burst of responses like HTTP's 400, 403 and 413, which reject a message permanently.
  case rejection
  /// A burst of responses like HTTP's 500, which fail one attempt.
  case serverError = "server-error"
  /// A burst of responses like HTTP's 429 and 503, which delay a message, and of refused connections.
  case busyServer = "busy-server"
  /// The server's disk is full.
  case serverDisk = "server-disk"
  /// The phone's disk is full.
  case phoneDisk = "phone-disk"
  /// A process ends right before a commit.
  case crashBeforeCommit = "crash-before-commit"
  /// A process ends right after a commit, before any caller is notified.
  case crashAfterCommit = "crash-after-commit"
  /// A phone's process ends between two commits.
  case phoneKill = "phone-kill"
  /// The server's process ends between two commits.
  case serverKill = "server-kill"
  /// A device's clock jumps by minutes to years, in either direction.
  case clockJump = "clock-jump"
  /// A device's credentials expire. The server responds with 401 to every connection with them, until the user has
  /// new ones.
  case expiredCredentials = "expired-credentials"
  /// A frame that no honest peer sends, to the phone or from it.
  case hostileFrame = "hostile-frame"
  /// The server refuses a whole conversation for a while, to one of its members or to all.
  case refusedConversation = "refused-conversation"

  enum Unit {
    /// The probability that the fault strikes a frame.
    case frames
    /// The probability that the fault strikes a commit.
    case commits
    /// The mean time until the fault strikes again, in seconds.
    case seconds
    /// The longest latency of a frame, in milliseconds.
    case milliseconds
  }

  var unit: Unit {
    switch self {
    case .loss, .duplicate, .reorder, .lostReceipt, .noAnswer, .brokenConnection, .hostileFrame: .frames
    case .crashBeforeCommit, .crashAfterCommit: .commits
    case .delay: .milliseconds
    case .partition, .lostNetwork, .flapping, .slowServer, .rejection, .serverError, .busyServer,
      .serverDisk, .phoneDisk, .phoneKill, .serverKill, .clockJump, .expiredCredentials,
      .refusedConversation:
      .seconds
    }
  }

  /// The rates at which the fault can strike. By its unit, a rate is a probability, the mean seconds between strikes
  /// (ten milliseconds to a day), or the longest latency of a frame (a millisecond to a minute).
  package var rates: ClosedRange<Double> {
    switch unit {
    case .frames, .commits: 0...1
    case .seconds: 0.01...86_400
    case .milliseconds: 1...60_000
    }
  }

  /// The plural name of the fault's events. Nil when the fault has no single events.
  fileprivate var events: String? {
    switch self {
    case .loss: "lost frames"
    case .delay: nil
    case .duplicate: "duplicates"
    case .reorder: "reorders"
    case .lostReceipt: "lost receipts"
    case .noAnswer: "answers without a word"
    case .brokenConnection: "broken connections"
    case .partition: "partitions"
    case .lostNetwork: "lost networks"
    case .flapping: "flapping networks"
    case .slowServer: "slow answers"
    case .rejection: "rejected messages"
    case .serverError: "server errors"
    case .busyServer: "busy answers"
    case .serverDisk: "full server disks"
    case .phoneDisk: "full phone disks"
    case .crashBeforeCommit: "crashes before a commit"
    case .crashAfterCommit: "crashes after a commit"
    case .phoneKill: "killed phones"
    case .serverKill: "killed servers"
    case .clockJump: "clock jumps"
    case .expiredCredentials: "expired credentials"
    case .hostileFrame: "hostile frames"
    case .refusedConversation: "refusals of a conversation"
    }
  }

  /// The faults that leave a message without a response while its connection stays. Such an attempt counts (rule
  /// B4).
  fileprivate static let silences: [Fault] = [.loss, .partition, .slowServer]

  fileprivate static let crashes: [Fault] = [.crashBeforeCommit, .crashAfterCommit, .phoneKill, .serverKill]
}

/// The number of times that each fault struck. A run without faults proves nothing.
package struct FaultCounts: Sendable, Hashable {
  private var counts: [Fault: Int] = [:]

  /// Counts that are all 0.
  package init() {}

  /// The number of times that one fault struck.
  package subscript(_ fault: Fault) -> Int { counts[fault, default: 0] }

  /// Whether a response may have been lost, or have come too late, on a connection that stayed.
  var mayHaveSilenced: Bool { Fault.silences.contains { self[$0] > 0 } }

  mutating func count(_ fault: Fault) { counts[fault, default: 0] += 1 }

  /// Adds the counts of another world.
  package mutating func add(_ other: FaultCounts) {
    for fault in Fault.allCases where other[fault] > 0 { counts[fault, default: 0] += other[fault] }
  }

  /// One line with every fault: "312 crashes (110 crashes before a commit, …), 41 lost receipts, …".
  package var summary: String {
    let crashes = Fault.crashes.reduce(0) { $0 + self[$1] }
    let kinds = Fault.crashes.map { "\(self[$0]) \($0.events ?? "")" }.joined(separator: ", ")
    let others = Fault.allCases.filter { !Fault.crashes.contains($0) }.compactMap { fault in
      fault.events.map { "\(self[fault]) \($0)" }
    }
    return (["\(crashes) crashes (\(kinds))"] + others).joined(separator: ", ")
  }

  /// The summary without the faults that did not strike.
  var struck: String {
    let struck = Fault.allCases.filter { self[$0] > 0 }.map { "\(self[$0]) \($0.events ?? $0.rawValue)" }
    return struck.isEmpty ? "nothing" : struck.joined(separator: ", ")
  }
}
