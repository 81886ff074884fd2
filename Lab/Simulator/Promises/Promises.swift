import Holdfast
import HoldfastRelay
import HoldfastRescue
import HoldfastTesting
import Synchronization

/// The promises that the engine has made to the users of a world. They are kept outside the engine, and compared
/// with it.
final class Promises: Sendable {
  /// A message whose send returned.
  struct Sent: Sendable {
    var id: MessageID
    var text: String
    var sender: UserID
    /// The phone that the message was sent from. Each phone's messages keep their order.
    var device: String
    var conversation: ConversationID
    /// False when the message's place in the order is unknown, for example because the process ended while the
    /// message was put back.
    var hasPlace = true
    /// When the message was put into the queue, or put back.
    var queuedAt: Duration = .zero
    /// Nil when nothing is promised about the attachments, for example because the process ended while the message
    /// was sent.
    var attachments: [ChatAttachment.Checksum]?
    /// The process that sent the message.
    var process = ""
    /// The number of acts that had begun on the phone when the message was sent.
    var turn = 0
    /// Whether the message was imported from another app, where it had waited for days, and its user has not
    /// released it since.
    var isFromLongAgo = false
  }

  /// The held messages of one conversation, in the order of their sends.
  struct Held: Sendable {
    var conversation: ConversationID
    var messages: [Sent]
    var ids: [MessageID] { messages.map(\.id) }
    /// The composer's text after the messages are put back there.
    var text: String { messages.map(\.text).joined(separator: "\n") }
    /// The parts of that text in known order. A reply is placed where it was begun, and is sent in the order in
    /// which it was finished. When another process ended in the call that finished it, its place is unknown.
    var parts: [String] { messages.allSatisfy(\.hasPlace) ? [text] : messages.map(\.text) }
  }

  /// An act of a user. It stays pending when the process ends in the call, so that the call does not return.
  enum Act: Sendable {
    case send(String, ConversationID, isDraft: Bool)
    case retry(MessageID, ConversationID, hasFailed: Bool)
    /// A retry of the conversation, or of any of its messages, while the server refuses all of them.
    case retryConversation(ConversationID)
    case withdraw(MessageID, ConversationID, toComposer: Bool)
    case finish(MessageID)
    /// The interruption of a reply: its user stops it, or its model fails.
    case interrupt(MessageID)
    case discard(ConversationID)
    case answer(HeldMessages.Answer, [Held])
    case change(MessageID, Change, before: ChangePromises.Message?)
    case importQueue
  }

  /// A change that a user makes to an existing message.
  enum Change: Sendable {
    case edit(String)
    case delete
    case react(String, isWanted: Bool)
  }

  private struct Begun {
    var act: Act
    var turn: Int
  }

  private struct State {
    /// In the order in which the messages were sent, or put back.
    var sent: [Sent] = []
    /// Messages that their users deleted, or took back into the composer.
    var withdrawn: Set<MessageID> = []
    /// By device and process.
    var acts: [String: [String: Begun]] = [:]
    /// By device: the number of acts that have begun.
    var turns: [String: Int] = [:]
    var replies: [MessageID: Reply] = [:]
    /// The gateway's refusals of each message since it was sent, or put back.
    var refusals: [MessageID: [Wire.Refused.Kind]] = [:]
    /// By device: messages that were seen held or failed, and not released by their user since.
    var stopped: [String: Set<MessageID>] = [:]
    /// Messages that were sent at least once, or may have been.
    var transmitted: Set<MessageID> = []
    /// By device: messages that an unsent item has referred to there, or was about to refer to.
    var referred: [String: Set<MessageID>] = [:]
  }
  private let state = Mutex(State())
  let changes = ChangePromises()
  let blocking = BlockingPromises()
  let reading = ReadingPromises()
  let devices = DevicePromises()

  var sent: [Sent] { state.withLock { $0.sent } }
  var withdrawn: Set<MessageID> { state.withLock { $0.withdrawn } }
  var replies: [Reply] {
    state.withLock { $0.replies.values.sorted { $0.id.rawValue < $1.id.rawValue } }
  }

  func sent(by device: String, in conversation: ConversationID) -> [Sent] {
    sent.filter { $0.device == device && $0.conversation == conversation }
  }

  func reply(_ id: MessageID) -> Reply? { state.withLock { $0.replies[id] } }

  // MARK: User actions

  /// Records an act of the user. Its result is unknown until ``finishAct(of:in:)``.
  func begin(_ act: Act, on device: String, in process: String) {
    state.withLock { state in
      state.turns[device, default: 0] += 1
      state.acts[device, default: [:]][process] = Begun(act: act, turn: state.turns[device, default: 0])
    }
  }

  /// The act in progress when the process ended. Nil when there was none.
  func actInProgress(on device: String, in process: String) -> Act? {
    state.withLock { $0.acts[device]?[process]?.act }
  }

  /// The acts in progress in the processes of a device.
  func actsInProgress(on device: String) -> [Act] {
    state.withLock { state in
      (state.acts[device] ?? [:]).sorted { $0.key < $1.key }.map(\.value.act)
    }
  }

  /// Whether a message is being taken back or deleted, or may have been.
  func mayBeWithdrawn(_ id: MessageID, on device: String) -> Bool {
    actsInProgress(on: device).contains { act in
      switch act {
      case .withdraw(id, _, _): true
      case .answer(.backToComposer, let held): held.contains { $0.ids.contains(id) }
      default: false
      }
    }
  }

  /// Records that the call returned, or that a later launch has shown its result.
  func finishAct(of device: String, in process: String) {
    state.withLock { $0.acts[device]?[process] = nil }
  }

  /// Records a sent message after everything on its phone. When the process ended in the call, only its next launch
  /// shows the message. The message then goes before the messages that another process has sent since.
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

  /// Records that a message was put back: after everything that waits on its phone, or in its old place in strict
  /// order.
  func noteRetried(_ id: MessageID, hasPlace: Bool, keepsPlace: Bool = false, at time: Duration) {
    blocking.release(id)
    if !keepsPlace { blocking.noteMoved(id) }
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
      // Another process may have acted in the middle of the call.
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

  /// Records that messages are where they were, or after everything that waited. Their place is unknown.
  func noteWithoutPlace(_ ids: [MessageID]) {
    state.withLock { state in
      for index in state.sent.indices where ids.contains(state.sent[index].id) {
        state.sent[index].hasPlace = false
      }
    }
  }

  func noteWithdrawn(_ id: MessageID) {
    blocking.release(id)
    state.withLock { state in
      state.withdrawn.insert(id)
      for device in state.stopped.keys { state.stopped[device]?.remove(id) }
      state.sent.removeAll { $0.id == id }
    }
  }

  // MARK: Messages that wait for their user

  func noteStopped(_ ids: [MessageID], on device: String) {
    state.withLock { $0.stopped[device, default: []].formUnion(ids) }
  }

  /// The messages that wait for their user, in the order of their sends.
  func stopped(on device: String) -> [MessageID] {
    state.withLock { state in
      guard let stopped = state.stopped[device], !stopped.isEmpty else { return [] }
      return state.sent.map(\.id).filter(stopped.contains)
    }
  }

  func noteTransmitted(_ ids: [MessageID]) { state.withLock { $0.transmitted.formUnion(ids) } }

  func wasTransmitted(_ id: MessageID) -> Bool { state.withLock { $0.transmitted.contains(id) } }

  // MARK: Messages that something unsent refers to

  /// Records that an unsent item refers to the message from now on, or may.
  func noteReferred(_ id: MessageID, on device: String) {
    state.withLock { _ = $0.referred[device, default: []].insert(id) }
  }

  func referred(on device: String) -> Set<MessageID> { state.withLock { $0.referred[device] ?? [] } }

  // MARK: Replies

  func noteReply(_ reply: Reply) { state.withLock { $0.replies[reply.id] = reply } }

  /// Appends to the answer. When another process has taken the answer over, appends to the text that the old writer
  /// still shows.
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

  /// Records that an answer is about to be continued or begun anew. Screens may show less of the answer before the
  /// call has returned, or although the process ends in the call.
  func mayBeTakenUp(_ id: MessageID) {
    state.withLock { state in
      guard let text = state.replies[id]?.text else { return }
      state.replies[id]?.earlier.append(text)
      state.replies[id]?.failure = nil
      state.replies[id]?.isBeingTakenUp = true
    }
  }

  /// Records that an answer was not resumed.
  func noteLeft(_ id: MessageID) { state.withLock { $0.replies[id]?.isBeingTakenUp = false } }

  /// Records that an answer that was cut off is continued after its stored text, or begun anew.
  func noteContinued(_ id: MessageID, behind text: String, by writer: String) {
    state.withLock { state in
      guard var reply = state.replies[id] else { return }
      reply.earlier.append(reply.text)
      reply.lost[reply.writer] = reply.text
      reply.lost[writer] = nil
      reply.text = text
      reply.lengths = [(.zero, text.count)]
      reply.writer = writer
      reply.isBeingTakenUp = false
      reply.explanations = []
      state.replies[id] = reply
    }
  }

  /// Records that a reply is about to fail, for a reason that its row may show from now on.
  func mayFail(_ id: MessageID, _ explanation: String) {
    state.withLock { $0.replies[id]?.explanations.append(explanation) }
  }

  /// Records that a reply has failed, and why. Nil when it has not.
  func noteFailed(_ id: MessageID, _ explanation: String?) {
    state.withLock { $0.replies[id]?.failure = explanation }
  }

  // MARK: Refusals

  func noteRefusal(_ id: MessageID, _ kind: Wire.Refused.Kind) {
    state.withLock { $0.refusals[id, default: []].append(kind) }
  }

  func refusals(of id: MessageID) -> [Wire.Refused.Kind] { state.withLock { $0.refusals[id] ?? [] } }
}
