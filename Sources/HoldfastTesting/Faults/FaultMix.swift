/// What goes wrong in one world, and how often. Drawn from the seed.
public struct FaultMix: Sendable, CustomStringConvertible {
  /// A frame is lost, per frame.
  var loss = 0.0
  /// A frame arrives twice, per frame.
  var duplicate = 0.0
  /// A frame may overtake another.
  var reorders = false
  /// A frame's way, in milliseconds.
  var delay = 5...40
  /// The server's answer to a frame with messages is lost, and the connection with it.
  var lostReceipt = 0.0
  /// The connection breaks, per frame.
  var breaks = 0.0
  /// A process ends before or after a commit, per commit.
  var crashBeforeCommit = 0.0
  var crashAfterCommit = 0.0
  /// A process is killed between commits: the mean time, in seconds of the virtual clock. 0: never.
  var phoneLifetime = 0
  var serverLifetime = 0
  /// The device loses its network: the mean time until then. 0: never.
  var pathUptime = 0

  static let none = FaultMix()

  init() {}

  init(drawnFrom random: inout SeededRandom) {
    // Each world has some of the faults: a mix of all of them hides what two of them do together.
    if random.chance(0.4) { loss = random.unit() * 0.15 }
    if random.chance(0.4) { duplicate = random.unit() * 0.3 }
    reorders = random.chance(0.25)
    if random.chance(0.3) { delay = 1...Int.random(in: 100...2500, using: &random) }
    if random.chance(0.4) { lostReceipt = random.unit() * 0.3 }
    if random.chance(0.4) { breaks = random.unit() * 0.08 }
    if random.chance(0.4) { crashBeforeCommit = random.unit() * 0.05 }
    if random.chance(0.4) { crashAfterCommit = random.unit() * 0.05 }
    if random.chance(0.4) { phoneLifetime = Int.random(in: 3...60, using: &random) }
    if random.chance(0.4) { serverLifetime = Int.random(in: 3...60, using: &random) }
    if random.chance(0.4) { pathUptime = Int.random(in: 2...40, using: &random) }
  }

  public var description: String {
    var parts: [String] = ["delay \(delay.lowerBound)-\(delay.upperBound) ms"]
    func add(_ name: String, _ value: Double) {
      if value > 0 { parts.append("\(name) \((value * 1000).rounded() / 10)%") }
    }
    add("loss", loss)
    add("duplicate", duplicate)
    if reorders { parts.append("reorder") }
    add("lost receipt", lostReceipt)
    add("break", breaks)
    add("crash before commit", crashBeforeCommit)
    add("crash after commit", crashAfterCommit)
    if phoneLifetime > 0 { parts.append("phone lives \(phoneLifetime) s") }
    if serverLifetime > 0 { parts.append("server lives \(serverLifetime) s") }
    if pathUptime > 0 { parts.append("network lasts \(pathUptime) s") }
    return parts.joined(separator: ", ")
  }
}

/// How often each fault struck. A run that survived nothing proves nothing.
public struct FaultCounts: Sendable {
  public enum Fault: String, Sendable, CaseIterable {
    case crash, lostFrame, duplicate, reorder, lostReceipt, brokenConnection, lostNetwork, refusedConnection
  }
  public private(set) var counts: [Fault: Int] = [:]

  public init() {}

  mutating func count(_ fault: Fault) { counts[fault, default: 0] += 1 }

  public mutating func add(_ other: FaultCounts) {
    for fault in Fault.allCases { counts[fault, default: 0] += other.counts[fault, default: 0] }
  }

  public var summary: String {
    Fault.allCases.map { "\(counts[$0, default: 0]) \($0.rawValue)" }.joined(separator: ", ")
  }
}
