import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

/// Stores the events of a walk through a history, in transactions of a bounded size.
final class HistoryImport {
  /// A transaction of this size is so short that other writers do not notice the wait.
  static let messagesAtOnce = 250
  private static let bytesAtOnce = 256 << 10

  private enum Step {
    case conversation(HistoryHead)
    case message(ImportedMessage)
  }

  /// The conversation that the messages belong to.
  private struct Current {
    /// The conversation's ID in the file.
    var name: ConversationID
    /// The conversation's present ID in this store.
    var id: ConversationID
    /// The conversation was deleted here and stays deleted.
    var isPassedOver: Bool
    var needsTitle: Bool
    var places = ImportedPlaces()
    /// The next stored message behind the last one has not been looked up yet.
    var isNextUnknown = true
    var lastDate: Int64
    /// The previous message's fingerprint; empty when that message had an ID. `repeats` counts the equal messages
    /// before it in a row.
    var fingerprint = ""
    var repeats = 0
  }

  private let client: ChatClient
  private let bringsBackDeleted: Bool
  private let reached: (Int64) throws -> Void
  private let decoder = JSONDecoder()
  private var report = ImportReport(.history)
  private var steps: [Step] = []
  private var bytes = 0
  private var current: Current?
  private var active: ConversationID?
  /// The offset of the file's drafts, which are imported behind the messages. Nil when there are none.
  private(set) var draftsAt: Int64?

  init(
    _ client: ChatClient, bringingBackDeleted: Bool, reached: @escaping (_ offset: Int64) throws -> Void
  ) {
    (self.client, bringsBackDeleted, self.reached) = (client, bringingBackDeleted, reached)
  }

  func run(_ cursor: JSONCursor) throws -> ImportReport {
    var walk = HistoryWalk(cursor) { [self] in try take($0) }
    try walk.walk()
    // The last transaction is synced, and with it all earlier ones.
    try client.store.write { transaction in
      try storeSteps(transaction)
      try endConversation(transaction)
      try activate(transaction)
    }
    return report
  }

  private func take(_ event: HistoryEvent) throws {
    switch event {
    case .conversation(let head): steps.append(.conversation(head))
    case .message(let data, let place):
      guard let message = decoded(data, at: place) else { return }
      steps.append(.message(message))
      bytes += data.count
      guard steps.count >= Self.messagesAtOnce || bytes >= Self.bytesAtOnce else { return }
      try client.store.writeUnsynced { try storeSteps($0) }
      try reached(place.offset)
    case .active(let id): active = ConversationID(imported: id)
    case .drafts(let offset): draftsAt = offset
    case .problem(let code, let place): report.note(code, place.name, at: place.offset)
    }
  }

  private func decoded(_ data: Data, at place: ImportPlace) -> ImportedMessage? {
    do {
      // A decoder may take bytes with a zero among them for another encoding.
      guard !data.contains(0) else { throw JSONDamage.malformed }
      return try decoder.decode(ImportedMessage.self, from: data)
    } catch DecodingError.keyNotFound, DecodingError.typeMismatch, DecodingError.valueNotFound {
      report.note(.wrongFields, place.name, at: place.offset)
    } catch DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty {
      report.note(.wrongFields, place.name, at: place.offset)
    } catch {
      report.note(.malformed, place.name, at: place.offset)
    }
    return nil
  }

  private func storeSteps(_ transaction: Transaction) throws {
    for step in steps {
      switch step {
      case .conversation(let head):
        try endConversation(transaction)
        try begin(head, transaction)
      case .message(let message): try store(message, transaction)
      }
    }
    steps.removeAll(keepingCapacity: true)
    bytes = 0
  }

  private func begin(_ head: HistoryHead, _ transaction: Transaction) throws {
    guard let name = head.id else { return }
    let id = transaction.current(name)
    let now = client.environment.now().microseconds
    let createdAt = head.createdAt ?? head.updatedAt ?? now
    let isDeleted = transaction.deletions.horizons[id]?.isEvicted == false && !bringsBackDeleted
    current = Current(
      name: name, id: id, isPassedOver: transaction.isHidden(id) || isDeleted, needsTitle: head.title == nil,
      lastDate: createdAt)
    guard current?.isPassedOver == false else { return }
    let members = head.members ?? []
    let isNew = try transaction.importConversation(
      ImportedHead(
        id: id, title: Self.title(head.title), titleIsCustom: head.titleIsCustom,
        members: members.contains(client.user) ? members : [client.user] + members, createdAt: createdAt,
        updatedAt: head.updatedAt ?? createdAt))
    if isNew { report.conversations += 1 }
    if !isNew { current?.needsTitle = false }
  }

  /// The title, cut to the length that a title may have here. Nil when there is none.
  static func title(_ title: String?) -> String? {
    guard let title, !title.isEmpty else { return nil }
    var cut = title.storable
    while cut.utf8.count > ChatClient.maximumTitleBytes {
      cut = String(
        cut.unicodeScalars.prefix(
          max(1, cut.unicodeScalars.count - 1 - (cut.utf8.count - ChatClient.maximumTitleBytes) / 4)))
    }
    return cut
  }

  private func endConversation(_ transaction: Transaction) throws {
    if let current, current.needsTitle, !current.isPassedOver {
      try transaction.titleImported(current.id, by: client.user)
      try transaction.readAll(in: current.id)
    }
    current = nil
  }

  private func store(_ message: ImportedMessage, _ transaction: Transaction) throws {
    guard var conversation = current else { return }
    defer { current = conversation }
    let id = name(of: message, in: &conversation)
    guard !conversation.isPassedOver else {
      report.deletedHere += 1
      return
    }
    conversation.lastDate = message.createdAt ?? conversation.lastDate
    guard let new = try unknownID(id, in: &conversation, transaction) else {
      report.alreadyHere += 1
      return
    }
    if let horizon = transaction.deletions.horizons[conversation.id], horizon.isEvicted,
      let order = message.order, order <= horizon.serverOrder
    {
      report.deletedHere += 1
      return
    }
    if conversation.isNextUnknown {
      let next = try transaction.nextPlace(in: conversation.id, behind: conversation.places.last)
      conversation.places.pass(conversation.places.last, next: next)
      conversation.isNextUnknown = false
    }
    try transaction.importMessage(
      message, as: new, sender: sender(of: message), in: conversation.id,
      place: conversation.places.take(order: message.order), createdAt: conversation.lastDate,
      now: client.environment.now())
    report.messages += 1
  }

  func sender(of message: ImportedMessage) -> UserID {
    message.sender ?? (message.role == .user ? client.user : UserID(rawValue: message.role.rawValue))
  }

  /// A message without an ID is recognized by its contents. When it has no date either, the message before it
  /// counts too, because short answers are often the same.
  private func name(of message: ImportedMessage, in conversation: inout Current) -> MessageID {
    guard message.id == nil else {
      conversation.fingerprint = ""
      return MessageID(rawValue: message.id ?? "")
    }
    let fingerprint = message.fingerprint
    let before = conversation.fingerprint
    conversation.repeats = fingerprint == before ? conversation.repeats + 1 : 0
    conversation.fingerprint = fingerprint
    return MessageID(
      rawValue: ImportedID.make([
        conversation.name.rawValue, fingerprint, message.createdAt == nil ? before : "",
        "\(conversation.repeats)",
      ]))
  }

  /// The ID to store the message under. Nil when the message is here already. Some apps number each conversation's
  /// messages from 1. When a message of another conversation has the ID, the new ID is made of the conversation's
  /// ID and the message's.
  private func unknownID(
    _ id: MessageID, in conversation: inout Current, _ transaction: Transaction
  ) throws -> MessageID? {
    guard let known = try transaction.importPlace(of: id) else { return id }
    if known.conversation == conversation.id {
      conversation.places.pass(known.place, next: nil)
      conversation.isNextUnknown = true
      return nil
    }
    let own = MessageID(rawValue: ImportedID.make([conversation.name.rawValue, id.rawValue]))
    guard let known = try transaction.importPlace(of: own) else { return own }
    conversation.places.pass(known.place, next: nil)
    conversation.isNextUnknown = true
    return nil
  }

  /// An import that adds no conversation does not change the active conversation.
  private func activate(_ transaction: Transaction) throws {
    guard let active, report.conversations > 0, try transaction.activeConversation() == nil else { return }
    let id = transaction.current(active)
    guard id.isWellFormed, !transaction.isHidden(id), try transaction.isHere(id) else { return }
    try transaction.setActiveConversation(id)
  }
}
