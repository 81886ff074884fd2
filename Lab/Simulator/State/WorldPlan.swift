import Holdfast
import HoldfastTesting
import HoldfastTransport

/// The make-up of a world: its phones and conversations, the amount of writing, and the faults.
///
/// ```swift
/// var plan = WorldPlan(seed: 7)
/// plan.phones = 2
/// plan.faults[.lostReceipt] = 0.5
/// let report = try World(seed: 7, plan: plan).run()
/// ```
///
/// A world runs the nearest possible plan: a number outside the ranges below becomes the nearest number inside.
package struct WorldPlan: Sendable, Hashable, CustomStringConvertible {
  /// The phones of a world and their accounts, in the order in which a plan uses them.
  static let devices: [(device: String, user: UserID)] = [
    ("alice", "alice"), ("bob", "bob"), ("carol", "carol"), ("alice-2", "alice"),
  ]

  /// The number of phones, 2...4. The first two belong to alice and bob, the third to carol, and the fourth is
  /// alice's second.
  package var phones: Int
  /// The number of conversations, 1...3. All users take part in the first.
  package var conversations: Int
  /// The number of messages that each phone's user sends, 0 or more.
  package var messages: Int
  /// The number of answers that each phone writes piece by piece, as an assistant does.
  package var replies: Int
  /// The seconds after which a phone holds a queued message and asks its user. 0 for never.
  package var heldAfter: Int
  /// The number of times that each phone's user edits, deletes or reacts to a message.
  package var changes: Int
  /// The number of files that each phone's user attaches to messages.
  package var attachments: Int
  /// The number of phones, from the first on, that have a share extension: a second process on the app's store.
  package var extensions: Int
  /// The number of times that each phone's conversations get another ID.
  package var renames: Int
  /// The number of times that each phone's user makes a conversation and deletes it, with and without Undo.
  package var deletions: Int
  /// The number of times that each phone's user makes a conversation and empties it, with and without Undo.
  package var emptyings: Int
  /// The number of times that each phone's user imports an old history, always the same one.
  package var imports: Int
  /// The number of times that each phone's user imports the queue of an older app, always the same one.
  package var queueImports: Int
  /// The number of phones, from the first on, that keep only the last messages
  /// (``ChatConfiguration/HistoryLimits``). If there is one, the first conversation has a past.
  package var quotas: Int
  /// The number of messages of each conversation that a new phone gets at first. 0: all. If there is a limit, the
  /// first conversation has a past.
  package var newest: Int
  /// The number of times that each phone's user scrolls back to older messages.
  package var readBacks: Int
  /// The number of times that each phone's user reads a conversation up to a message.
  package var reads: Int
  /// The number of acts of each phone's user in a local conversation.
  package var onDevice: Int
  /// The number of replies that an assistant writes on each phone, whose model fails now and then.
  package var assistantReplies: Int
  /// The number of phones, from the first on, whose app keeps its messages in its own table and is notified of each
  /// delivery (``ChatConfiguration/recordsDeliveries``).
  package var tables: Int
  /// Whether each phone's user moves about in three windows.
  package var hasWindows: Bool
  /// The time for which the backend remembers IDs, as the phones' transports declare it.
  package var idempotency: TransportCapabilities.Idempotency
  /// Whether the messages behind a failed message wait for it (``ChatConfiguration/RetryPolicy/AfterFailure/wait``).
  package var strictOrder: Bool
  /// The kind of the server's events.
  package var backend: Backend
  /// The faults, with their rates.
  package var faults: FaultMix
  /// The end of one process at one of its commits, besides the faults. Nil when no end is planned.
  package var crash: CommitCrash?

  /// A plan with these numbers. The defaults are a small world without faults.
  package init(
    phones: Int = 2, conversations: Int = 1, messages: Int = 5, replies: Int = 0,
    heldAfter: Int = 0, changes: Int = 0, attachments: Int = 0, extensions: Int = 0, renames: Int = 0,
    deletions: Int = 0, imports: Int = 0, queueImports: Int = 0, quotas: Int = 0, newest: Int = 0,
    readBacks: Int = 0, reads: Int = 0, onDevice: Int = 0, assistantReplies: Int = 0, tables: Int = 0,
    emptyings: Int = 0,
    hasWindows: Bool = false,
    idempotency: TransportCapabilities.Idempotency = .forever,
    strictOrder: Bool = false, backend: Backend = .states, faults: FaultMix = FaultMix(),
    crash: CommitCrash? = nil
  ) {
    self.phones = phones
    self.conversations = conversations
    self.messages = messages
    self.replies = replies
    self.heldAfter = heldAfter
    self.changes = changes
    self.attachments = attachments
    self.extensions = extensions
    self.renames = renames
    self.deletions = deletions
    self.emptyings = emptyings
    self.imports = imports
    self.queueImports = queueImports
    self.quotas = quotas
    self.newest = newest
    self.readBacks = readBacks
    self.reads = reads
    self.onDevice = onDevice
    self.assistantReplies = assistantReplies
    self.tables = tables
    self.hasWindows = hasWindows
    self.idempotency = idempotency
    self.strictOrder = strictOrder
    self.backend = backend
    self.faults = faults
    self.crash = crash
  }

  /// The kind of the server's events about messages. The raw values are the names on the command line.
  package enum Backend: String, Sendable, Hashable, CaseIterable {
    /// The reference server's own events: a message's present state, under our ID, with numbers.
    case states
    /// The same, with the server's own names (rule B1).
    case names
    /// The server's own names, operations as events, and no numbers (rules B2, B3).
    case events
  }

  /// Draws the plan from the seed.
  package init(seed: UInt64) {
    // The plan has its own random numbers, so that a reduced plan does not change the world's other draws.
    var random = SeededRandom(seed: seed ^ 0x504C_414E)
    self.init()
    phones = random.pick([2, 2, 2, 3, 3, 4])!
    conversations = random.pick([1, 1, 2, 3])!
    messages = Int.random(in: 2...15, using: &random)
    replies = random.pick([0, 0, 1, 2])!
    faults = FaultMix.drawn(from: &random)
    heldAfter = random.chance(0.4) ? random.pick([1, 1, 2, 4, 8, 15, 40])! : 0
    changes = random.pick([0, 0, 4, 10])!
    attachments = random.pick([0, 0, 1, 3])!
    extensions = random.pick([0, 0, 0, 0, 1, 1, 2])!
    renames = random.pick([0, 0, 0, 1, 3])!
    idempotency = random.pick([
      .forever, .forever, .forever, .forever, .none, .window(.seconds(30), scope: .account),
      .window(.seconds(60), scope: .account), .window(.seconds(60), scope: .connection),
    ])!
    // These are drawn last, so that they do not change the worlds without them.
    strictOrder = random.chance(0.2)
    let (isRefused, pause) = (random.chance(0.25), Int.random(in: 3...20, using: &random))
    if isRefused { faults[.refusedConversation] = Double(pause) }
    deletions = random.pick([0, 0, 0, 1, 3])!
    hasWindows = random.pick([false, false, true])!
    imports = random.pick([0, 0, 0, 0, 0, 0, 0, 2])!
    queueImports = random.chance(0.1) ? 2 : 0
    quotas = random.chance(0.05) ? random.pick([1, 2])! : 0
    // The past is on every screen, and every user reads the screen all the time.
    if quotas > 0 { phones = 2 }
    reads = random.pick([0, 0, 4, 12])!
    onDevice = random.pick([0, 0, 0, 8])!
    assistantReplies = random.pick([0, 0, 0, 4])!
    tables = random.chance(0.15) ? random.pick([1, 2])! : 0
    emptyings = random.pick([0, 0, 0, 2])!
    let (isWithoutWord, chance) = (random.chance(0.2), random.unit() * 0.4)
    if isWithoutWord { faults[.noAnswer] = chance }
    backend = random.pick([.states, .states, .states, .names, .events])!
    let hasLate = random.chance(0.05)
    if hasLate { newest = random.pick([1, 5, 30])! }
    if newest > 0 { phones = 2 }
    if quotas + newest > 0 { readBacks = random.pick([0, 2, 6])! }
  }

  /// Whether the first conversation has messages from before the world began.
  var hasPast: Bool { quotas > 0 || newest > 0 }

  /// The nearest plan that a world can run.
  var runnable: WorldPlan {
    var plan = self
    plan.phones = min(max(phones, 2), Self.devices.count)
    plan.conversations = min(max(conversations, 1), 3)
    plan.messages = max(messages, 0)
    plan.replies = max(replies, 0)
    plan.changes = max(changes, 0)
    plan.attachments = max(attachments, 0)
    plan.extensions = min(max(extensions, 0), plan.phones)
    plan.renames = max(renames, 0)
    // A decision about held messages also covers the messages of conversations that are made to be deleted. The echo
    // of a message whose conversation was deleted, under the server's name, counts as a new message.
    plan.deletions = heldAfter > 0 || backend != .states ? 0 : max(deletions, 0)
    plan.emptyings = heldAfter > 0 || backend != .states ? 0 : max(emptyings, 0)
    plan.imports = max(imports, 0)
    plan.queueImports = max(queueImports, 0)
    // Messages without numbers are not evicted, and an echo under the server's name counts as one more message for a
    // while.
    plan.quotas = backend != .states ? 0 : min(max(quotas, 0), plan.phones)
    // Without numbers, an own message whose event was left out stays at the end until its page arrives. The suite
    // for transports covers reading back on such a server.
    plan.newest = backend == .events ? 0 : max(newest, 0)
    plan.readBacks = backend == .events ? 0 : max(readBacks, 0)
    plan.reads = max(reads, 0)
    plan.onDevice = max(onDevice, 0)
    plan.assistantReplies = max(assistantReplies, 0)
    plan.tables = min(max(tables, 0), plan.phones)
    return plan
  }

  package var description: String {
    let some = [
      extensions > 0 ? "\(extensions) with an extension" : nil, renames > 0 ? "\(renames) renames each" : nil,
      runnable.deletions > 0 ? "\(deletions) deletions each" : nil,
      runnable.emptyings > 0 ? "\(emptyings) emptied conversations each" : nil,
      imports > 0 ? "\(imports) imports each" : nil,
      queueImports > 0 ? "\(queueImports) imports of a queue each" : nil,
      quotas > 0 ? "\(quotas) with history limits" : nil,
      newest > 0 ? "the newest \(newest) at first" : nil,
      readBacks > 0 ? "\(readBacks) looks at older messages each" : nil,
      reads > 0 ? "\(reads) reads each" : nil,
      assistantReplies > 0 ? "\(assistantReplies) replies of an assistant each" : nil,
      tables > 0 ? "\(tables) with a table" : nil,
      onDevice > 0 ? "\(onDevice) acts on the device alone each" : nil,
      hasWindows ? "three windows each" : nil,
      idempotency == .forever ? nil : "IDs good for \(idempotency.option)",
      strictOrder ? "strict order" : nil, backend == .states ? nil : "backend \(backend.rawValue)",
      heldAfter > 0 ? "held after \(heldAfter) s" : nil, "\(faults)", crash.map { "\($0)" },
    ]
    return "\(phones) phones, \(conversations) conversations, \(messages) messages, \(replies) replies, "
      + "\(changes) changes and \(attachments) attachments each; "
      + some.compactMap(\.self).joined(separator: "; ")
  }
}

/// The end of one process at one of its commits.
package struct CommitCrash: Sendable, Hashable, CustomStringConvertible {
  /// The side of a commit on which a process ends: before it, so that nothing of it is on disk, or after it.
  package enum Side: String, Sendable, Hashable, CaseIterable {
    /// Nothing of the transaction is on disk.
    case before
    /// All of the transaction is on disk, and nobody was notified.
    case after
  }

  /// One of ``World/processes``. A process that a world does not have ends nothing.
  package var process: String
  /// The number of the commit, counted over all launches of the process, from 1.
  package var commit: Int
  /// The side of the commit.
  package var side: Side

  /// An end of one process at one of its commits, counted from 1.
  package init(process: String, commit: Int, side: Side) {
    self.process = process
    self.commit = commit
    self.side = side
  }

  package var description: String { "\(process) ends \(side.rawValue) its commit \(commit)" }
}
