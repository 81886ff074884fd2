import Holdfast
import HoldfastStore

/// The state of a world at its end. The judge reads it repeatedly until the world is at rest.
struct WorldOutcome: Sendable {
  struct Row: Sendable, Hashable {
    var id: MessageID
    var sender: UserID
    var text: String
    var isDeleted = false
    /// Each value with its number of users, in order.
    var reactions: [String] = []
  }

  /// A reaction that the server has or should have.
  struct Reaction: Sendable {
    var message: MessageID
    var user: UserID
    var value: String
    var isThere: Bool
    var isWanted: Bool
  }

  /// The table of an app that keeps its messages itself.
  struct Table: Sendable {
    var device: String
    /// The messages whose delivery is in the table, each as often as it is there.
    var delivered: [MessageID]
    /// Whether the table has all outcomes of the engine.
    var isComplete: Bool
  }

  /// A reply on a phone's screen that is not whole.
  struct Unfinished: Sendable {
    var device: String
    var id: MessageID
    var isEmpty: Bool
    /// Whether it is written on this phone.
    var isWrittenHere: Bool
  }

  /// One conversation, on the server and on each phone.
  struct Conversation: Sendable {
    var id: ConversationID
    /// The server's messages in its order.
    var server: [Row]
    /// Each phone's delivered rows, from the oldest to the newest.
    var phones: [(device: String, rows: [Row])]
    var sent: [Promises.Sent]
    /// The attachments of the server's messages.
    var attachments: [MessageID: [ChatAttachment.Checksum]] = [:]
    /// The files of each phone's messages, by checksum. Nil for a missing file.
    var files: [(device: String, files: [MessageID: [ChatAttachment.Checksum?]])] = []

    var reading = Reading()

    /// By phone with history limits: the messages that it may have evicted.
    var evictions: [String: EvictionPromise] = [:]

    /// Returns the messages that a phone has evicted, if it shows that. ``Invariants/onlyTheOldestMakeRoom(_:)``
    /// checks whether it was allowed to.
    func evicted(from place: String) -> Set<MessageID> {
      guard evictions[place]?.isReported == true, let phone = phones.first(where: { $0.device == place })
      else { return [] }
      return Set(server.map(\.id)).subtracting(phone.rows.map(\.id))
    }

    /// Every place where a message can be, by name.
    var places: [(name: String, rows: [Row])] {
      [(name: "server", rows: server)] + phones.map { (name: $0.device, rows: $0.rows) }
    }
  }

  var conversations: [Conversation]
  /// Conversations on the server without any phone as a member.
  var foreign: [ConversationID]
  var withdrawn: Set<MessageID>
  var replies: [Promises.Reply]
  /// The number of messages that each phone has not delivered.
  var waiting: [(device: String, count: Int)]
  /// Phones whose screen differs from a fresh query of the store.
  var stale: [(device: String, conversation: ConversationID)]
  var reactions: [Reaction] = []
  var unfinished: [Unfinished] = []
  var tables: [Table] = []
  /// By phone.
  var limits: [String: HistoryPromise] = [:]
  /// By process: the audit of its attachment files against its database. Set only once everything is at rest.
  var folders: [(process: String, audit: AttachmentAudit)] = []

  /// Whether the world is at rest, as far as the outcome shows.
  var isAtRest: Bool {
    waiting.allSatisfy { $0.count == 0 } && stale.isEmpty && Invariants.sameEverywhere(self).isEmpty
      && Invariants.sameState(self).isEmpty
      && Invariants.attachmentsArrive(self).isEmpty && Invariants.limitsAreKept(self).isEmpty
      && tables.allSatisfy(\.isComplete) && Invariants.readMarksArrive(self).isEmpty
      && Invariants.repliesAreWholeOrGone(self).isEmpty
  }
}
