import Holdfast
import HoldfastRelay
import HoldfastRescue
import HoldfastStore
import Synchronization

/// The edits, deletions and reactions that users made on existing messages. They are kept outside the engine, and
/// compared with it.
///
/// When only one device has changed something, its last wish must hold at the end. The result is unknown when two
/// devices changed the same thing, when the change was cancelled, or when the process ended in the call. Even then,
/// nothing may appear that was never asked for.
final class ChangePromises: Sendable {
  /// The last wish for one thing, and the device that made the first one. A nil value means that the wish is
  /// unknown.
  struct Wish<Value: Sendable & Equatable>: Sendable {
    var device: String
    var value: Value?

    /// Whether another device has made a wish too, so that it is unknown which of the two is last.
    private(set) var isContested = false

    init(device: String) { self.device = device }

    /// Records that a device asks for another value.
    mutating func replace(with value: Value?, on device: String) {
      if device != self.device { isContested = true }
      self.value = isContested ? nil : value
    }
  }

  struct Message: Sendable {
    /// Every text that an edit has asked for.
    var texts: Set<String> = []
    var text: Wish<String>?
    var deletion: Wish<Bool>?
    /// By user and value.
    var reactions: [Reaction: Wish<Bool>] = [:]
  }

  struct Reaction: Sendable, Hashable {
    var user: UserID
    var value: String
  }

  private let messages = Mutex<[MessageID: Message]>([:])

  subscript(id: MessageID) -> Message? { messages.withLock { $0[id] } }

  /// Records that a call begins: its result is unknown from now on. Returns the state before the call, which holds
  /// again if the call is refused.
  func begin(_ change: Promises.Change, of id: MessageID, by user: UserID, on device: String) -> Message? {
    note(change, of: id, by: user, on: device, isDone: false)
  }

  /// Records that the call returned.
  func conclude(
    _ change: Promises.Change, of id: MessageID, before: Message?, by user: UserID, on device: String
  ) {
    restore(before, of: id)
    _ = note(change, of: id, by: user, on: device, isDone: true)
  }

  func restore(_ before: Message?, of id: MessageID) { messages.withLock { $0[id] = before } }

  private func note(
    _ change: Promises.Change, of id: MessageID, by user: UserID, on device: String, isDone: Bool
  ) -> Message? {
    messages.withLock { messages in
      let before = messages[id]
      var message = before ?? Message()
      switch change {
      case .edit(let text):
        message.texts.insert(text)
        message.text = message.text ?? Wish(device: device)
        message.text?.replace(with: isDone ? text : nil, on: device)
      case .delete:
        message.deletion = message.deletion ?? Wish(device: device)
        message.deletion?.replace(with: isDone ? true : nil, on: device)
      case .react(let value, let isWanted):
        let reaction = Reaction(user: user, value: value)
        message.reactions[reaction] = message.reactions[reaction] ?? Wish(device: device)
        message.reactions[reaction]?.replace(with: isDone ? isWanted : nil, on: device)
      }
      messages[id] = message
      return before
    }
  }

  /// Records that a failed change was cancelled.
  func forget(_ kind: MessageOperation.Kind, _ value: String, of id: MessageID, by user: UserID) {
    messages.withLock { messages in
      switch kind {
      case .edit: messages[id]?.text?.value = nil
      case .delete:
        // A deletion removes the waiting edits and reactions of its user. They are not restored with the message.
        messages[id]?.deletion?.value = nil
        messages[id]?.text?.value = nil
        for reaction in messages[id]?.reactions.keys.filter({ $0.user == user }) ?? [] {
          messages[id]?.reactions[reaction]?.value = nil
        }
      case .react, .unreact: messages[id]?.reactions[Reaction(user: user, value: value)]?.value = nil
      }
    }
  }

  /// The text that a message must have at the end, when the server has `found`. Nil when the message must not exist.
  func text(of sent: Promises.Sent, found: (text: String, isDeleted: Bool)?) -> String? {
    guard let message = self[sent.id] else { return sent.text }
    // A message that is deleted while in flight, and then refused, is gone.
    guard let found else { return message.deletion == nil ? sent.text : nil }
    if found.isDeleted, message.deletion != nil { return "" }
    if message.deletion?.value == true { return "" }
    if let wish = message.text?.value { return wish }
    return message.texts.contains(found.text) ? found.text : sent.text
  }
}
