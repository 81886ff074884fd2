import Foundation
import Holdfast
import HoldfastStore

/// The end of a case: all faults end, all activity ends, and the server's record and all phones are compared with
/// the users' acts.
extension ConformanceStage {
  /// Ends all faults, and waits until every phone has sent everything, and shows the server's state.
  func reachQuiescence() async throws {
    try await heal()
    for phone in phones { try await delivered(on: phone) }
    for (conversation, chat) in ledger.all {
      let records = try await record(of: conversation)
      for phone in phones where chat.members.contains(phone.user) {
        try await compare(phone, in: conversation, with: records)
      }
      if hasServer, capabilities.supportsReadReceipts {
        try await compareReadMarks(of: chat, in: conversation)
      }
    }
  }

  /// Compares the server's record with the users' acts, also after a failed case.
  func audit() async -> ConformanceAudit {
    var audit = ConformanceAudit()
    do {
      try await startServer()
      for (conversation, chat) in ledger.all {
        let pending = Set(phones.flatMap { self.pending(on: $0, in: conversation, chat) })
        audit =
          audit
          + ConformanceAudit(of: chat.entries, pending: pending, against: try await record(of: conversation))
      }
    } catch {
      audit.sentences.append("The server's record could not be read: \(error)")
    }
    return audit
  }

  private func heal() async throws {
    step("ending the faults")
    try await backend.behave()
    try await startServer()
    for phone in phones {
      (phone.transport.withholdsReceipts, phone.transport.holdsUploads) = (false, false)
      phone.transport.withholdsItems = false
      if !phone.isRunning { try await phone.relaunch() }
      phone.path.set(isUp: true)
      await (try phone.client).reconnectNow()
    }
  }

  /// The messages that wait on a phone, or have a waiting change. All messages of its user, when its app is not
  /// running.
  private func pending(
    on phone: ConformancePhone, in conversation: ConversationID, _ chat: ConformanceLedger.Chat
  ) -> [MessageID] {
    guard phone.isRunning, let rows = try? phone.rows(of: present(conversation)) else {
      return chat.entries.filter { $0.sender == phone.user }.map(\.id)
    }
    return rows.filter { $0.status.isUnsent || $0.operation != nil }.map(\.id)
  }

  /// Waits until a phone shows exactly the server's messages, in the server's order.
  private func compare(
    _ phone: ConformancePhone, in conversation: ConversationID, with records: [TransportConformance.Record]
  ) async throws {
    let expected = records.filter { !$0.isDeleted }.map(Shown.init)
    let id = present(conversation)
    do {
      try await until("what the server has", on: phone) { client in
        try self.shown(of: id, by: client) == expected ? true : nil
      }
    } catch let failure as ConformanceFailure {
      let shown = try shown(of: id, by: phone.client)
      throw ConformanceFailure("\(failure.sentence) \(Shown.difference(shown, expected))")
    }
  }

  private func shown(of conversation: ConversationID, by client: ChatClient) throws -> [Shown] {
    try client.reader.conversation(conversation, limit: Self.limit).rows.filter { !$0.isDeleted }
      .map(Shown.init)
  }

  private func compareReadMarks(
    of chat: ConformanceLedger.Chat, in conversation: ConversationID
  ) async throws {
    let id = present(conversation)
    for (reader, message) in chat.readMarks {
      for phone in phones where chat.members.contains(phone.user) && phone.user != reader {
        try await row(message, in: conversation, on: phone, is: "as read by \(reader)") {
          $0.sender == reader || $0.readBy.contains(reader)
        }
      }
    }
    guard !chat.readMarks.isEmpty else { return }
    let marks = try await backend.readMarks(in: id)
    for (reader, message) in chat.readMarks where marks[reader] != message {
      throw ConformanceFailure("The server does not have the read mark of \(reader).")
    }
  }
}

/// The part of a shown message that the server's record contains too.
private struct Shown: Equatable, Sendable {
  var id: MessageID
  var sender: UserID
  var text: String
  /// Each value with the number of its senders, in the order of the values.
  var reactions: [String]
  /// The checksums of the local bytes. Nil while the file is absent.
  var files: [ChatAttachment.Checksum?]

  init(_ record: TransportConformance.Record) {
    (id, sender, text) = (record.id, record.sender, record.text)
    reactions = MessageRow.Reaction.counted(record.reactions, by: record.sender).map {
      "\($0.value) \($0.count)"
    }
    files = record.attachments
  }

  init(_ row: MessageRow) {
    (id, sender, text) = (row.id, row.sender, row.text)
    reactions = row.reactions.map { "\($0.value) \($0.count)" }
    files = row.attachments.map { $0.file.flatMap { try? OpenFile(reading: $0).checksum() } }
  }

  /// A sentence about the first difference.
  static func difference(_ shown: [Shown], _ expected: [Shown]) -> String {
    let ids = (Set(shown.map(\.id)), Set(expected.map(\.id)))
    if let missing = expected.first(where: { !ids.0.contains($0.id) }) {
      return "'\(missing.text)' is missing."
    }
    if let extra = shown.first(where: { !ids.1.contains($0.id) }) {
      return "It shows '\(extra.text)', which the server does not have."
    }
    if shown.count > expected.count { return "It shows a message twice." }
    guard let (left, right) = zip(shown, expected).first(where: { $0 != $1 }) else { return "" }
    return left.id == right.id
      ? "It shows '\(left.text)' \(left.reactions) with \(left.files.count) files, and the server has '\(right.text)' \(right.reactions) with \(right.files.count)."
      : "It shows '\(left.text)' where the server has '\(right.text)'."
  }
}

extension ConformancePhone {
  /// The messages of a conversation in the store's file, read without a client.
  func storedRecord(of conversation: ConversationID) throws -> [TransportConformance.Record] {
    let span = TimelineSpan(newest: ConformanceStage.limit)
    let reading = try StoreReading.read(folder) {
      try $0.messages.timelineReading(of: $0.key(of: conversation), in: span, afterFailure: .continue)
    }
    return reading.messages.map { message in
      TransportConformance.Record(
        id: message.id, sender: message.sender, text: message.content.text, isDeleted: message.isDeleted,
        reactions: message.reactions,
        attachments: (reading.attachments[message.id] ?? []).map(\.attachment.checksum))
    }
  }
}
