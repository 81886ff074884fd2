import Holdfast
import Synchronization
import HoldfastRelay
import HoldfastRescue

/// What the engine has promised the users of a world: kept outside of it, and compared with it.
final class Promises: Sendable {
  /// A message whose send returned.
  struct Sent: Sendable {
    var id: MessageID
    var text: String
    var sender: UserID
    /// The phone it was sent from: each phone's messages keep their order.
    var device: String
    var conversation: ConversationID
    /// Nobody can say any more where it belongs in the order: the process ended while it was put back.
    var hasPlace = true
    /// When it was put into the queue, or put back.
    var queuedAt: Duration = .zero
    /// Nil: the process ended while it was sent, and nobody knows.
    var attachments: [AttachmentChecksum]?
    /// The process that sent it.
    var process = ""
    /// How often something had been asked for on the phone when it was sent.
    var turn = 0
    /// It was brought along from another app, where it had waited for days, and its user has not said since that it is
    /// to go.
    var isFromLongAgo = false
  }

  /// One conversation's messages that are held, in the order of their sends.
  struct Held: Sendable {
    var conversation: ConversationID
    var messages: [Sent]
    var ids: [MessageID] { messages.map(\.id) }
    /// What its composer is given when they go back there.
    var text: String { messages.map(\.text).joined(separator: "\n") }
  }

  /// What a user asked for, in a call that did not return because the process ended in it.
  enum Act: Sendable {
    case send(String, ConversationID, isDraft: Bool)
    case retry(MessageID, ConversationID, hasFailed: Bool)
    /// Or any of its messages, while the server refuses all of them.
    case retryConversation(ConversationID)
    case withdraw(MessageID, ConversationID, toComposer: Bool)
    case finish(MessageID)
    case discard(ConversationID)
    case answer(HeldAnswer, [Held])
    case change(MessageID, Change, before: ChangePromises.Message?)
    case importQueue
  }

  /// What a user does to a message that is there.
  enum Change: Sendable {
    case edit(String)
    case delete
    case react(String, isWanted: Bool)
  }

  /// An answer that is written piece by piece.
  struct Reply: Sendable {
    var id: MessageID
    var sender: UserID
    var device: String
    /// The process that writes it, or wrote it last.
    var writer: String
    var conversation: ConversationID
    /// Everything that was appended.
    var text = ""
    /// When it was how long, in characters.
    var lengths: [(at: Duration, length: Int)] = []
    /// What it was each time when it was cut off: others may go on showing a beginning of these.
    var earlier: [String] = []
    /// By process: what it writes behind which another one has taken it over. It shows that until it notices.
    var lost: [String: String] = [:]

    /// What a screen may show a beginning of.
    var shown: [String] { [text] + earlier + lost.values }
  }

  private struct Begun {
    var act: Act
    var turn: Int
  }

  private struct State {
    /// In the order in which they were sent, or put back.
    var sent: [Sent] = []
    /// Messages that their users deleted, or took back into the composer.
    var withdrawn: Set<MessageID> = []
    /// By device and process.
    var acts: [String: [String: Begun]] = [:]
    /// By device: how often something was asked for.
    var turns: [String: Int] = [:]
    var replies: [MessageID: Reply] = [:]
    /// What the server's gateway answered for each message since it was sent, or put back.
    var refusals: [MessageID: [Wire.Refused.Kind]] = [:]
    /// By device: seen held or failed, and not released by its user since.
    var stopped: [String: Set<MessageID>] = [:]
    /// Handed to a link at least once, or nobody knows.
    var departed: Set<MessageID> = []
    /// By device: something that was not sent has referred to them there, or was about to.
    var referred: [String: Set<MessageID>] = [:]
  }
  private let state = Mutex(State())
  let changes = ChangePromises()
  let standing = StandingPromises()

  var sent: [Sent] { state.withLock { $0.sent } }
  var withdrawn: Set<MessageID> { state.withLock { $0.withdrawn } }
  var replies: [Reply] {
    state.withLock { $0.replies.values.sorted { $0.id.rawValue < $1.id.rawValue } }
  }

  func sent(by device: String, in conversation: ConversationID) -> [Sent] {
    sent.filter { $0.device == device && $0.conversation == conversation }
  }

  func reply(_ id: MessageID) -> Reply? { state.withLock { $0.replies[id] } }

  // MARK: Acts

  /// The user asks for something. Until ``settle(_:)`` nobody knows whether it was done.
  func begin(_ act: Act, on device: String, in process: String) {
    state.withLock { state in
      state.turns[device, default: 0] += 1
      state.acts[device, default: [:]][process] = Begun(act: act, turn: state.turns[device, default: 0])
    }
  }

  /// What was asked for when the process ended. Nil: nothing was under way.
  func unsettled(on device: String, in process: String) -> Act? {
    state.withLock { $0.acts[device]?[process]?.act }
  }

  /// What is under way at this moment in the processes of a device.
  func unsettled(on device: String) -> [Act] {
    state.withLock { state in
      (state.acts[device] ?? [:]).sorted { $0.key < $1.key }.map(\.value.act)
    }
  }

  /// It is being taken back or deleted, or nobody knows whether it was.
  func mayBeWithdrawn(_ id: MessageID, on device: String) -> Bool {
    unsettled(on: device).contains { act in
      switch act {
      case .withdraw(id, _, _): true
      case .answer(.backToComposer, let held): held.contains { $0.ids.contains(id) }
      default: false
      }
    }
  }

  /// The call returned, or a later launch has shown what became of it.
  func settle(_ device: String, in process: String) {
    state.withLock { $0.acts[device]?[process] = nil }
  }

  /// Behind everything on its phone; but where the process ended in the call, and only its next launch tells, in front
  /// of what another process has sent since.
  func noteSent(_ message: Sent) {
    state.withLock { state in
      var message = message
      let begun = state.acts[message.device]?[message.process]
      message.turn = begun?.turn ?? state.turns[message.device, default: 0]
      if let begun, begun.turn != state.turns[message.device] {
        let isNew =
          switch begun.act {
          case .send, .importQueue: true
          default: false
          }
        if isNew {
          let next = state.sent.firstIndex { $0.device == message.device && $0.turn > begun.turn }
          return state.sent.insert(message, at: next ?? state.sent.endIndex)
        }
        message.hasPlace = false
      }
      state.sent.append(message)
    }
  }

  /// Put back behind everything that waits on its phone; or where it was, in strict order.
  func noteRetried(_ id: MessageID, hasPlace: Bool, keepsPlace: Bool = false, at time: Duration) {
    standing.release(id)
    if !keepsPlace { standing.noteMoved(id) }
    state.withLock { state in
      state.refusals[id] = nil
      guard let index = state.sent.firstIndex(where: { $0.id == id }) else { return }
      guard !keepsPlace else {
        state.sent[index].queuedAt = time
        state.sent[index].isFromLongAgo = false
        state.stopped[state.sent[index].device]?.remove(id)
        return
      }
      var message = state.sent.remove(at: index)
      // Another process may have asked for something in the middle of the call.
      let acts = (state.acts[message.device] ?? [:]).values
      let isAlone = acts.allSatisfy { $0.turn == state.turns[message.device] }
      message.hasPlace = message.hasPlace && hasPlace && isAlone
      message.queuedAt = time
      message.isFromLongAgo = false
      message.turn = state.turns[message.device, default: 0]
      state.stopped[message.device]?.remove(id)
      state.sent.append(message)
    }
  }

  /// They are where they were, or behind everything that waited: nobody knows.
  func noteWithoutPlace(_ ids: [MessageID]) {
    state.withLock { state in
      for index in state.sent.indices where ids.contains(state.sent[index].id) {
        state.sent[index].hasPlace = false
      }
    }
  }

  func noteWithdrawn(_ id: MessageID) {
    standing.release(id)
    state.withLock { state in
      state.withdrawn.insert(id)
      for device in state.stopped.keys { state.stopped[device]?.remove(id) }
      state.sent.removeAll { $0.id == id }
    }
  }

  // MARK: What waits for its user

  func noteStopped(_ ids: [MessageID], on device: String) {
    state.withLock { $0.stopped[device, default: []].formUnion(ids) }
  }

  /// In the order of the sends.
  func stopped(on device: String) -> [MessageID] {
    state.withLock { state in
      guard let stopped = state.stopped[device], !stopped.isEmpty else { return [] }
      return state.sent.map(\.id).filter(stopped.contains)
    }
  }

  func noteDeparted(_ ids: [MessageID]) { state.withLock { $0.departed.formUnion(ids) } }

  func hasDeparted(_ id: MessageID) -> Bool { state.withLock { $0.departed.contains(id) } }

  // MARK: What makes room

  /// Something that is not sent refers to it from now on, or may.
  func noteReferred(_ id: MessageID, on device: String) {
    state.withLock { _ = $0.referred[device, default: []].insert(id) }
  }

  func referred(on device: String) -> Set<MessageID> { state.withLock { $0.referred[device] ?? [] } }

  // MARK: Replies

  func noteReply(_ reply: Reply) { state.withLock { $0.replies[reply.id] = reply } }

  /// Not to the reply when another process has taken it over, but to what the writer shows.
  func append(_ text: String, to id: MessageID, by writer: String, at time: Duration) {
    state.withLock { state in
      guard state.replies[id]?.writer == writer else {
        state.replies[id]?.lost[writer]?.append(text)
        return
      }
      state.replies[id]?.text += text
      let length = state.replies[id]?.text.count ?? 0
      state.replies[id]?.lengths.append((time, length))
    }
  }

  /// It is about to be continued or begun anew. Screens may show less of it before the call has returned, or although the
  /// process ends in it.
  func mayBeTakenUp(_ id: MessageID) {
    state.withLock { state in
      guard let text = state.replies[id]?.text else { return }
      state.replies[id]?.earlier.append(text)
    }
  }

  /// It was cut off, and is written on behind what was stored of it, or behind nothing.
  func goOn(with id: MessageID, behind text: String, by writer: String) {
    state.withLock { state in
      guard var reply = state.replies[id] else { return }
      reply.earlier.append(reply.text)
      reply.lost[reply.writer] = reply.text
      reply.lost[writer] = nil
      reply.text = text
      reply.lengths = [(.zero, text.count)]
      reply.writer = writer
      state.replies[id] = reply
    }
  }

  // MARK: Refusals

  func noteRefusal(_ id: MessageID, _ kind: Wire.Refused.Kind) {
    state.withLock { $0.refusals[id, default: []].append(kind) }
  }

  func refusals(of id: MessageID) -> [Wire.Refused.Kind] { state.withLock { $0.refusals[id] ?? [] } }
}
