import HoldfastCore
import HoldfastHTTP
import HoldfastTransport

/// Reads events as the engine's items (rule B2).
///
/// A redaction names an event, and not what that was. Of an edit that was redacted alone, the server keeps neither the
/// text nor the name of the message. So the edits that were received are remembered, and the server is asked for what
/// is left of the message:
///
/// ```
///   redaction of $2 ──┬── an edit of $1 ──► what is left of $1 ──► an edit of $1, with the redaction's name
///                     └── anything else ──► a deletion of $2
/// ```
struct MatrixReader: Sendable {
  let client: MatrixClient
  let echoes: MatrixEchoes
  let account: UserID

  /// What events of a room say, in their order.
  ///
  /// - Parameter conversation: another ID of the room's conversation, by which the engine has asked.
  func items(
    of events: [MatrixEvent], in room: String, as conversation: ConversationID? = nil
  ) async throws -> [IncomingItem] {
    echoes.note(events.flatMap(\.edits))
    var items: [IncomingItem] = []
    // One answer of the server has the outcome of all redactions of a message.
    var redactions: [String: (event: MatrixEvent, editors: Set<String?>)] = [:]
    for event in events {
      if case .redaction(let target, isPart: false) = event.kind, let edit = edit(target) {
        let editors = redactions[edit.message]?.editors ?? []
        redactions[edit.message] = (event, editors.union([edit.sender]))
      } else {
        items += event.items(in: room, for: account, as: conversation)
      }
    }
    let gone = Set(events.compactMap(\.redacted))
    for (message, redaction) in redactions.sorted(by: { $0.key < $1.key }) {
      guard
        let left = try await left(
          of: message, without: gone, after: redaction.event, of: redaction.editors, in: room)
      else { continue }
      var operation = left
      if let conversation { operation.conversation = conversation }
      items.append(.operation(operation))
    }
    return items
  }

  private func edit(_ id: String) -> MatrixPlace.Edit? { echoes.edits.first { $0.id == id } }

  /// What is left of a message, as an edit that comes behind all others. Nil when the message is gone.
  ///
  /// - Parameters:
  ///   - gone: events that are redacted, which another process of the server may not know yet.
  ///   - editors: the senders of the edits that were redacted, as far as they are known.
  private func left(
    of message: String, without gone: Set<String>, after redaction: MatrixEvent, of editors: Set<String?>,
    in room: String
  ) async throws -> IncomingOperation? {
    guard let original = try await MatrixRefusal.ifAllowed({ try await client.event(message, in: room) }),
      case .message(let first, _) = original.kind
    else { return nil }
    // An edit by anybody else has changed nothing.
    guard editors.contains(where: { $0 == nil || $0 == original.sender.rawValue }),
      let related = try await MatrixRefusal.ifAllowed({
        try await client.related(to: message, "m.replace", in: room)
      })
    else { return nil }
    let others = related.filter { $0.sender == original.sender && !gone.contains($0.id) }
    echoes.note(others.flatMap(\.edits))
    var content = first.content
    for case .edit(_, let new, let isWhole) in others.sorted(by: MatrixEvent.isBefore).map(\.kind) {
      if isWhole {
        content = new.content
      } else {
        (content.text, content.formatting) = (new.content.text, new.content.formatting)
      }
    }
    let last = echoes.edits.filter { $0.message == message }.map(\.time).max() ?? 0
    var restored = redaction
    restored.time = max(redaction.time, last + 1)
    echoes.note([
      MatrixPlace.Edit(
        id: redaction.id, message: message, time: restored.time, sender: original.sender.rawValue)
    ])
    return IncomingOperation(
      MessageOperation(.edit, of: MessageID(rawValue: message), isWhole: true), content,
      in: ConversationID(rawValue: room), by: original.sender, at: restored.date, serverID: redaction.id)
  }
}

extension MatrixEvent {
  fileprivate var redacted: String? {
    if case .redaction(let target, _) = kind { target } else { nil }
  }

  /// The edits that the event reports: itself, or the newest one of a message.
  fileprivate var edits: [MatrixPlace.Edit] {
    switch kind {
    case .edit(let message, _, _):
      [MatrixPlace.Edit(id: id, message: message, time: time, sender: sender.rawValue)]
    case .message:
      edit.map { [MatrixPlace.Edit(id: $0.id, message: id, time: $0.time, sender: $0.sender.rawValue)] } ?? []
    default: []
    }
  }

  /// Which of two edits is the earlier one ([validity of replacement
  /// events](https://spec.matrix.org/v1.15/client-server-api/#validity-of-replacement-events)).
  fileprivate static func isBefore(_ one: MatrixEvent, _ other: MatrixEvent) -> Bool {
    (one.time, one.id) < (other.time, other.id)
  }
}
