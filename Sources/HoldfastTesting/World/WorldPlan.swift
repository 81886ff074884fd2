/// What a world is made of: how many phones and conversations, how much is written, and what goes wrong.
///
/// ```swift
/// var plan = WorldPlan(seed: 7)
/// plan.phones = 2
/// plan.faults[.lostReceipt] = 0.5
/// let report = try World(seed: 7, plan: plan).run()
/// ```
public struct WorldPlan: Sendable, Hashable, CustomStringConvertible {
  /// 2...4. The first two belong to alice and bob; the third to carol, and the fourth is alice's second.
  public var phones: Int
  /// 1...3. All users take part in the first.
  public var conversations: Int
  /// How many messages each phone's user sends.
  public var messages: Int
  /// How many answers each phone writes piece by piece, as an assistant does.
  public var replies: Int
  /// How many files each phone's user attaches to messages.
  public var attachments: Int
  public var faults: FaultMix
  /// One process ends at one commit of its own, besides what `faults` does.
  public var crash: CommitCrash?

  public init(
    phones: Int = 2, conversations: Int = 1, messages: Int = 5, replies: Int = 0, attachments: Int = 0,
    faults: FaultMix = FaultMix(), crash: CommitCrash? = nil
  ) {
    self.phones = phones
    self.conversations = conversations
    self.messages = messages
    self.replies = replies
    self.attachments = attachments
    self.faults = faults
    self.crash = crash
  }

  /// The plan that the seed draws.
  public init(seed: UInt64) {
    // Dice of its own: a plan that was cut down leaves the world's other draws alone.
    var random = SeededRandom(seed: seed ^ 0x504C_414E)
    self.init()
    phones = random.pick([2, 2, 2, 3, 3, 4])!
    conversations = random.pick([1, 1, 2, 3])!
    messages = Int.random(in: 2...15, using: &random)
    replies = random.pick([0, 0, 1, 2])!
    faults = FaultMix.drawn(from: &random)
    attachments = random.pick([0, 0, 1, 3])!
  }

  public var description: String {
    "\(phones) phones, \(conversations) conversations, \(messages) messages, \(replies) replies and "
      + "\(attachments) attachments each; "
      + "\(faults)\(crash.map { "; \($0)" } ?? "")"
  }
}

/// The end of one process at one of its commits.
public struct CommitCrash: Sendable, Hashable, CustomStringConvertible {
  public enum Side: String, Sendable, Hashable, CaseIterable { case before, after }
  /// "alice", "bob", …, or "server".
  public var process: String
  /// Counted over all launches of the process, from 1.
  public var commit: Int
  public var side: Side

  public init(process: String, commit: Int, side: Side) {
    self.process = process
    self.commit = commit
    self.side = side
  }

  public var description: String { "\(process) ends \(side.rawValue) its commit \(commit)" }
}
