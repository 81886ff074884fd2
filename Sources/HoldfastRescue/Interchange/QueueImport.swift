import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

/// A message that another outbox has not sent (SPEC H10). Apps name the same fields differently.
struct QueueEntry: Decodable {
  var id: String?
  var conversation: ConversationID?
  var text: String?
  var createdAt: Int64?
  var hasAttachments: Bool

  static let keys: Set = [
    "text", "content", "body", "chatID", "chatId", "conversationID", "conversationId", "retryCount",
  ]

  private enum Key: String, CodingKey, CaseIterable {
    case id, localId, messageID, messageId
    case chatID, chatId, conversationID, conversationId, sessionID, sessionId, threadID, threadId, projectID,
      projectId
    case text, content, body, message
    case timestamp, createdAt, date, queuedAt
    case attachments, images
  }

  private static let ids: [Key] = [.id, .localId, .messageID, .messageId]
  private static let conversations: [Key] = [
    .chatID, .chatId, .conversationID, .conversationId, .sessionID, .sessionId, .threadID, .threadId,
    .projectID,
    .projectId,
  ]
  private static let texts: [Key] = [.text, .content, .body, .message]
  private static let dates: [Key] = [.timestamp, .createdAt, .date, .queuedAt]

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    id = Self.ids.lazy.compactMap(fields.id).first
    conversation = Self.conversations.lazy.compactMap(fields.id).first.map(ConversationID.init(rawValue:))
    text = Self.texts.lazy.compactMap { fields.optional(String.self, $0) }.first
    createdAt = Self.dates.lazy.compactMap { fields.optional(InterchangeTime.self, $0)?.microseconds }.first
    hasAttachments = [Key.attachments, .images].contains { key in
      (try? fields.nestedUnkeyedContainer(forKey: key)).map { !$0.isAtEnd } ?? false
    }
  }
}

/// Puts the messages of another outbox into this one, in their order.
final class QueueImport {
  private static let largestEntry = 16 << 20

  private let client: ChatClient
  private let reached: (Int64) throws -> Void
  private var report = ImportReport(.queue)
  /// Conversations in which a message of this queue has waited too long. All their messages are held together.
  private var old: Set<ConversationID> = []
  private var entries: [(entry: QueueEntry, name: String, offset: Int64)] = []

  init(_ client: ChatClient, reached: @escaping (_ offset: Int64) throws -> Void) {
    (self.client, self.reached) = (client, reached)
  }

  func run(_ start: JSONCursor) throws -> ImportReport {
    var cursor = start
    try cursor.skipMark()
    try cursor.expect(.openArray)
    var (isFirst, isAt, number) = (true, false, 0)
    while true {
      var offset = cursor.offset
      do {
        if !isAt {
          guard try cursor.nextElement(isFirst: isFirst) else { break }
        }
        (isFirst, isAt, offset) = (false, false, cursor.offset)
        try take(&cursor, "[\(number)]", at: offset)
      } catch let damage as JSONDamage {
        report.note(.init(damage), "[\(number)]", at: offset)
        cursor.move(to: offset + 1)
        guard try cursor.seekLandmark(messageKeys: QueueEntry.keys, conversationKeys: []) == .message else {
          break
        }
        isAt = true
      }
      number += 1
    }
    try flush()
    return report
  }

  private func take(_ cursor: inout JSONCursor, _ name: String, at offset: Int64) throws {
    let data: Data
    do { data = try cursor.cut(atMost: Self.largestEntry) } catch JSONDamage.tooLarge {
      return report.note(.tooLarge, name, at: offset)
    } catch JSONDamage.tooDeep {
      return report.note(.tooDeep, name, at: offset)
    }
    guard !data.contains(0), let entry = try? JSONDecoder().decode(QueueEntry.self, from: data) else {
      return report.note(.wrongFields, name, at: offset)
    }
    entries.append((entry, name, offset))
    guard entries.count >= HistoryImport.messagesAtOnce else { return }
    try flush()
    try reached(offset)
  }

  private func flush() throws {
    guard !entries.isEmpty else { return }
    var (report, old) = (report, old)
    try client.queueHolding { transaction in
      for (entry, name, offset) in entries {
        if let problem = try take(entry, &report, &old, transaction) {
          report.note(problem, name, at: offset)
        }
      }
      return old
    }
    (self.report, self.old) = (report, old)
    entries.removeAll(keepingCapacity: true)
  }

  private func take(
    _ entry: QueueEntry, _ report: inout ImportReport, _ old: inout Set<ConversationID>,
    _ transaction: Transaction
  ) throws -> ImportProblem.Code? {
    guard let conversation = entry.conversation else { return .conversationUnknown }
    guard let text = entry.text else { return entry.hasAttachments ? .attachmentsLeftOut : .wrongFields }
    let date = entry.createdAt.map(String.init) ?? ""
    let id = MessageID(
      rawValue: entry.id ?? ImportedID.make(["queue", conversation.rawValue, date, text]))
    let item = "message:" + id.rawValue
    let isKnown = try transaction.importPlace(of: id) != nil
    guard try !isKnown && !transaction.wasImported(item) else {
      report.alreadyHere += 1
      return nil
    }
    do throws(ChatError) {
      let reading = try client.enqueueImported(
        text, id, in: conversation, writtenAt: entry.createdAt, transaction)
      if client.isOld(reading) { old.insert(transaction.current(conversation)) }
    } catch {
      switch error.code {
      case .emptyMessage: return .empty
      case .messageTooLong: return .tooLong
      case .outboxFull: return .outboxFull
      default: throw error
      }
    }
    _ = try transaction.noteImported(item)
    report.queued += 1
    return entry.hasAttachments ? .attachmentsLeftOut : nil
  }
}

extension ChatClient {
  /// Queues a text that another outbox has not sent. The text has waited since it was written: when that is longer
  /// than the limit (a day by default), its user is asked before it leaves (SPEC O16). Returns the reading of the
  /// waiting clock at which its wait began.
  fileprivate nonisolated func enqueueImported(
    _ text: String, _ id: MessageID, in name: ConversationID, writtenAt: Int64?, _ transaction: Transaction
  ) throws(ChatError) -> Int64 {
    let now = environment.now()
    let writtenAt = min(writtenAt ?? now.microseconds, now.microseconds)
    let reading = waitingClock.reading(at: environment.uptime()) - (now.microseconds - writtenAt)
    try Store.typed {
      let conversation = transaction.current(name)
      let body = try validated(text, in: conversation, transaction)
      // Unsent messages count more than an unfinished deletion, which is completed first.
      try transaction.eraseToMakeAnew(conversation)
      try transaction.requireRoom(in: conversation, limits: configuration.outbox)
      if try !transaction.isHere(conversation) {
        try transaction.createConversation(conversation, title: nil, members: [user], now: now)
        try transaction.restoreHead(of: conversation)
      }
      try transaction.noteSend(id, title: title(from: body), in: conversation, endsDraft: false, now: now)
      try transaction.insertMessage(
        id, in: conversation, sender: user, role: .user, content: MessageContent(body), order: nil,
        place: TimelinePlace.underWay, createdAt: Date(microseconds: writtenAt))
      try transaction.enqueue(id, in: conversation, at: reading)
    }
    return reading
  }
}
