import Holdfast

/// A local conversation on one device, as its users have made it (rules L1, L2).
///
/// Nobody else writes there, and no server decides about the order. So the expected messages are known exactly,
/// except for the acts whose calls have not returned: each of them is done or not.
struct DevicePromise: Sendable {
  struct Row: Sendable, Hashable {
    var id: MessageID
    var sender: UserID
    var text: String
    /// The values of the user's reactions.
    var reactions: Set<String> = []
    var attachments: [ChatAttachment.Checksum] = []
    /// Whether the app is notified of the delivery: the message was sent or written here, and not recorded.
    var isReported = true
  }

  /// A message that a call adds. Its ID is nil when the call makes it.
  struct New: Sendable, Hashable {
    var id: MessageID?
    var sender: UserID
    var text: String
    var attachments: [ChatAttachment.Checksum] = []
    var isReported = true

    func matches(_ row: Row) -> Bool { id.map { $0 == row.id } ?? (text == row.text) }
  }

  enum Act: Sendable {
    /// Messages that one transaction adds.
    case add([New])
    case edit(MessageID, String)
    case delete(MessageID)
    case react(MessageID, String, isWanted: Bool)
  }

  private struct Begun: Sendable {
    var act: Act
    /// The messages that existed before. Added messages come after them.
    var before: Set<MessageID>
  }

  /// The conversation's IDs, the present one last.
  private(set) var ids: [ConversationID]
  /// Whether the conversation certainly exists.
  var isMade = false
  private(set) var rows: [Row] = []
  /// By process: the act whose call has not returned.
  private var begun: [String: Begun] = [:]

  init(_ id: ConversationID) { ids = [id] }

  /// The ID for the next rename. It is the same again after a rename that did not return.
  var nextID: ConversationID { ConversationID(rawValue: "\(ids[0])+\(ids.count)") }

  mutating func rename(to id: ConversationID) {
    if !ids.contains(id) { ids.append(id) }
  }

  /// Records that a call begins. It overrides an earlier call on the same message that did not return.
  mutating func begin(_ act: Act, in process: String) {
    for (other, pending) in begun where pending.act.isReplaced(by: act) { begun[other] = nil }
    begun[process] = Begun(act: act, before: Set(rows.map(\.id)))
  }

  /// Records the result of a process's call, from the conversation's present rows.
  ///
  /// - Parameter isDone: whether the call returned, or was refused. Nil when it is unknown.
  /// - Returns: the promise that the result breaks, if any.
  mutating func resolve(_ process: String, in found: [Row], isDone: Bool?) -> Violation? {
    guard let ended = begun.removeValue(forKey: process) else { return nil }
    let wasDone = take(ended, in: found)
    if case .add(let new) = ended.act,
      let place = found.firstIndex(where: { row in new.contains { $0.matches(row) } }),
      let behind = found[place...].first(where: { ended.before.contains($0.id) })
    {
      return Violation(
        promise: "the order on the device holds", expected: "\(behind.id) in front of \(found[place].id)",
        found: "it behind")
    }
    guard let isDone, isDone != wasDone, !ended.act.isEmpty else { return nil }
    return Violation(
      promise: "a call on the device is done or refused",
      expected: "\(ended.act) to be \(isDone ? "done" : "refused")",
      found: isDone ? "nothing done" : "it done")
  }

  /// Applies the effects of an act. Returns whether it had any.
  private mutating func take(_ ended: Begun, in found: [Row]) -> Bool {
    switch ended.act {
    case .add(let new):
      let added = found.filter { row in new.contains { $0.matches(row) } }
      for row in added where !rows.contains(where: { $0.id == row.id }) {
        var row = row
        row.isReported = new.first { $0.matches(row) }?.isReported ?? true
        let next = found.drop { $0.id != row.id }.dropFirst().map(\.id).compactMap { id in
          rows.firstIndex { $0.id == id }
        }.first
        rows.insert(row, at: next ?? rows.endIndex)
      }
      return !added.isEmpty
    case .edit(let id, let text):
      guard found.contains(where: { $0.id == id && $0.text == text }) else { return false }
      change(id) { $0.text = text }
      return true
    case .delete(let id):
      guard !found.contains(where: { $0.id == id }) else { return false }
      rows.removeAll { $0.id == id }
      return true
    case .react(let id, let value, let isWanted):
      guard let row = found.first(where: { $0.id == id }), row.reactions.contains(value) == isWanted else {
        return false
      }
      change(id) { $0.reactions = row.reactions }
      return true
    }
  }

  private mutating func change(_ id: MessageID, _ body: (inout Row) -> Void) {
    guard let index = rows.firstIndex(where: { $0.id == id }) else { return }
    body(&rows[index])
  }

  /// Compares the finished messages of the conversation with the promise.
  func violation(in found: [Row]) -> Violation? {
    var shown = found
    for case .add(let new) in begun.values.map(\.act) {
      let known = Set(rows.map(\.id))
      let isThere = new.map { message in
        shown.contains { message.matches($0) && !known.contains($0.id) }
      }
      guard Set(isThere).count < 2 else {
        return Violation(
          promise: "a call is done or not", expected: "\(new.count) messages on the device, or none",
          found: "\(isThere.count { $0 }) of them")
      }
      shown.removeAll { row in !known.contains(row.id) && new.contains { $0.matches(row) } }
    }
    var rest = shown[...]
    for row in rows {
      if let next = rest.first, next.id == row.id {
        if let violation = difference(next, from: row) { return violation }
        rest.removeFirst()
      } else if !mayBeDeleted(row.id) {
        return Violation(
          promise: "what is stored on the device stays", expected: "\(row.id) '\(row.text)' in its place",
          found: rest.first.map { "\($0.id) '\($0.text)'" } ?? "nothing")
      }
    }
    return rest.first.map {
      Violation(
        promise: "only its user writes on the device", expected: "nothing else",
        found: "\($0.id) '\($0.text)' of \($0.sender)")
    }
  }

  private func mayBeDeleted(_ id: MessageID) -> Bool {
    begun.values.contains { if case .delete(id) = $0.act { true } else { false } }
  }

  private func difference(_ found: Row, from row: Row) -> Violation? {
    var texts: Set = [row.text]
    var mayDiffer: Set<String> = []
    for pending in begun.values {
      if case .edit(row.id, let text) = pending.act { texts.insert(text) }
      if case .react(row.id, let value, _) = pending.act { mayDiffer.insert(value) }
    }
    let isKept =
      texts.contains(found.text) && found.sender == row.sender && found.attachments == row.attachments
      && found.reactions.symmetricDifference(row.reactions).isSubset(of: mayDiffer)
    guard !isKept else { return nil }
    return Violation(
      promise: "what is stored on the device stays", expected: "\(row)", found: "\(found)")
  }
}

extension DevicePromise.Act: CustomStringConvertible {
  /// Whether the act changes nothing, because all of its messages exist.
  fileprivate var isEmpty: Bool { if case .add(let new) = self { new.isEmpty } else { false } }

  var description: String {
    switch self {
    case .add(let new): "add \(new.map { "'\($0.text)'" }.joined(separator: ", "))"
    case .edit(let id, let text): "edit \(id) to '\(text)'"
    case .delete(let id): "delete \(id)"
    case .react(let id, let value, let isWanted): "\(isWanted ? "set" : "take back") \(value) on \(id)"
    }
  }

  /// Whether a later act overrides this one.
  fileprivate func isReplaced(by later: Self) -> Bool {
    switch (self, later) {
    case (.edit(let id, _), .edit(let other, _)), (.edit(let id, _), .delete(let other)),
      (.delete(let id), .delete(let other)), (.react(let id, _, _), .delete(let other)):
      id == other
    case (.react(let id, let value, _), .react(let other, let later, _)): id == other && value == later
    default: false
    }
  }
}

extension DevicePromise.Row {
  /// The promised part of a row on a screen.
  init(_ row: MessageRow) {
    self.init(
      id: row.id, sender: row.sender, text: row.text, reactions: Set(row.reactions.map(\.value)),
      attachments: row.attachments.map(\.attachment.checksum))
  }
}
