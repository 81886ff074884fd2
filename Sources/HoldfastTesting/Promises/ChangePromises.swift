import Holdfast
import Synchronization
import HoldfastRelay
import HoldfastRescue
import HoldfastStore

/// What users did to messages that were there, by edits, deletions and reactions: kept outside of the engine, and
/// compared with it.
///
/// Where one device alone changed something, the last that was asked for must hold at the end. Where two did, where
/// it was cancelled, and where the process ended in the call, nobody knows; but nothing may be there that was never
/// asked for.
final class ChangePromises: Sendable {
  /// What was asked for last, and by which device. Nil: nobody knows.
  struct Wish<Value: Sendable & Equatable>: Sendable {
    var device: String
    var value: Value?

    /// Another device has asked for something too: which of them comes last, nobody knows any more.
    private(set) var isContested = false

    init(device: String) { self.device = device }

    /// Somebody asks for another value.
    mutating func replace(with value: Value?, on device: String) {
      if device != self.device { isContested = true }
      self.value = isContested ? nil : value
    }
  }

  struct Message: Sendable {
    /// All that it may say.
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

  /// A call begins: from now on nobody knows. Gives what was known, for a call that is refused.
  func begin(_ change: Promises.Change, of id: MessageID, by user: UserID, on device: String) -> Message? {
    note(change, of: id, by: user, on: device, isDone: false)
  }

  /// The call returned.
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

  /// Something that failed was cancelled.
  func forget(_ kind: MessageOperation.Kind, _ value: String, of id: MessageID, by user: UserID) {
    messages.withLock { messages in
      switch kind {
      case .edit: messages[id]?.text?.value = nil
      case .delete:
        // A deletion takes away the edits and reactions of its user that wait, and they do not come back with the message.
        messages[id]?.deletion?.value = nil
        messages[id]?.text?.value = nil
        for reaction in messages[id]?.reactions.keys.filter({ $0.user == user }) ?? [] {
          messages[id]?.reactions[reaction]?.value = nil
        }
      case .react, .unreact: messages[id]?.reactions[Reaction(user: user, value: value)]?.value = nil
      }
    }
  }

  /// What a message must say at the end, where the server says `found`. Nil: it must not be there.
  func text(of sent: Promises.Sent, found: (text: String, isDeleted: Bool)?) -> String? {
    guard let message = self[sent.id] else { return sent.text }
    // What is deleted while it is on its way, and then refused, is gone.
    guard let found else { return message.deletion == nil ? sent.text : nil }
    if found.isDeleted, message.deletion != nil { return "" }
    if message.deletion?.value == true { return "" }
    if let wish = message.text?.value { return wish }
    return message.texts.contains(found.text) ? found.text : sent.text
  }
}
