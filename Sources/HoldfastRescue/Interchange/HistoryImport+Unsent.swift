import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

/// Unsent messages (rule H12). They go into the outbox: those of a queue are sent as soon as possible, and those of
/// a history once the user has confirmed them.
extension HistoryImport {
  func storeUnsent(
    _ entry: HistoryEntry, _ original: MessageID, _ place: ImportPlace, in conversation: inout Current,
    _ transaction: Transaction
  ) throws {
    guard let id = try newID(of: entry, original, in: &conversation, transaction) else {
      return count(\.alreadyHere)
    }
    var entry = entry
    keepFiles(of: &entry)
    let content = entry.message.content
    guard
      !content.text.isBlank || !entry.message.attachments.isEmpty || !content.images.isEmpty
        || !content.videos.isEmpty
    else {
      return leaveOut(entry.problems.contains(.attachmentsLeftOut) ? .attachmentsLeftOut : .empty, place)
    }
    var failure = unsentFailure(of: entry)
    do {
      try transaction.outbox.requireRoom(in: conversation.id, limits: client.configuration.outbox)
    } catch let error as ChatError where error.code == .outboxFull {
      return leaveOut(.outboxFull, place)
    }
    let problem = try validate(&entry, in: conversation, transaction)
    failure = failure ?? problem
    reportProblems(entry, place)
    try insert(entry, id, failure, in: &conversation, transaction)
    _ = try transaction.imports.note(item(of: entry, original, in: conversation))
    if failure == nil { try waits(conversation, place, transaction) }
    count(failure == nil ? \.queued : \.failed)
  }

  private func leaveOut(_ code: ImportProblem.Code, _ place: ImportPlace) {
    report.note(code, place.name, at: place.offset)
    report.leftOut += 1
  }

  // MARK: Identity

  /// The ID under which the message is sent. Nil when the message is stored, or was imported before and has gone
  /// since. An ID that is a count is replaced, because it is not unique on a server.
  private func newID(
    of entry: HistoryEntry, _ original: MessageID, in conversation: inout Current, _ transaction: Transaction
  ) throws -> MessageID? {
    guard try !transaction.imports.contains(item(of: entry, original, in: conversation)) else { return nil }
    let own = MessageID(
      rawValue: ImportedID.make([
        "queue", client.user.rawValue, conversation.name.rawValue, original.rawValue,
        entry.message.createdAt.map(String.init) ?? "", entry.message.content.text,
      ]))
    if let known = try transaction.imports.known(own) {
      conversation.pass(known.place)
      return nil
    }
    guard !ImportedID.isCount(original.rawValue) else { return own }
    guard let known = try transaction.imports.known(original) else {
      return try transaction.imports.contains("message:" + original.rawValue) ? nil : original
    }
    guard known.conversation == conversation.id, known.isChanged || known.hasSameText(as: entry) else {
      return own
    }
    conversation.pass(known.place)
    return nil
  }

  /// The key under which the import of the message is recorded, so that it is not imported again after it was sent
  /// or cancelled.
  private func item(of entry: HistoryEntry, _ original: MessageID, in conversation: Current) -> String {
    "message:"
      + ImportedID.make([
        conversation.name.rawValue, original.rawValue, entry.message.createdAt.map(String.init) ?? "",
        entry.message.content.text,
      ])
  }

  // MARK: Contents

  /// Keeps the files whose bytes are beside the imported file. A message whose file is missing is sent without it.
  private func keepFiles(of entry: inout HistoryEntry) {
    let all = entry.message.attachments
    entry.message.attachments = all.filter { attachment in
      if inlineFiles[attachment.checksum] != nil { return client.transport.capabilities.carriesAttachments }
      return folder.map { FileManager.default.fileExists(atPath: $0.file(of: attachment.checksum).path) }
        ?? false
    }
    let isMissing = entry.message.attachments.count < all.count || entry.notes.contains(.filesElsewhere)
    entry.notes.removeAll { $0 == .filesElsewhere }
    if isMissing, !entry.problems.contains(.attachmentsLeftOut) { entry.problems.append(.attachmentsLeftOut) }
    if entry.isTextNames { entry.message.content.text = "" }
  }

  /// Converts the text into the form in which it is sent. Returns the reason why it cannot be sent: it is too long,
  /// or the server would drop a part of it.
  private func validate(
    _ entry: inout HistoryEntry, in conversation: Current, _ transaction: Transaction
  ) throws -> FailureReason? {
    guard try client.sender.carries(entry.message.content, in: conversation.id, transaction) else {
      return FailureReason(.fieldsNotCarried)
    }
    let text = entry.message.content.formattedText
    do {
      if !text.string.isBlank {
        entry.message.content.formattedText = try client.sender.validated(
          text, in: conversation.id, transaction)
      }
      return nil
    } catch let error as ChatError where error.code == .messageTooLong {
      return FailureReason(.tooLongToSend)
    }
  }

  private func unsentFailure(of entry: HistoryEntry) -> FailureReason? {
    switch entry.status {
    case .failed: FailureReason(.failedBeforeImport)
    // It is unknown whether it was sent.
    case .unfinished: FailureReason(.outcomeUnknown)
    default: nil
    }
  }

  // MARK: Storing

  private func insert(
    _ entry: HistoryEntry, _ id: MessageID, _ failure: FailureReason?, in conversation: inout Current,
    _ transaction: Transaction
  ) throws {
    let now = client.environment.now()
    let writtenAt = min(entry.message.createdAt ?? now.microseconds, now.microseconds)
    let reading = client.waitingReading(writtenAt: writtenAt, now: now)
    if report.format == .queue {
      let title = ConversationTitle.automatic(from: entry.message.content.text)
      try transaction.conversations.noteSend(
        id, title: title, in: conversation.id, endsDraft: false, now: now)
    }
    let at =
      failure == nil ? TimelinePlace.underWay : try place(of: entry.message, in: &conversation, transaction)
    try transaction.messages.insert(
      id, in: conversation.id, sender: client.user, role: .user, content: entry.message.content, order: nil,
      place: at, createdAt: Date(microseconds: writtenAt))
    if !entry.message.attachments.isEmpty {
      for attachment in entry.message.attachments {
        try transaction.attachments.insert(attachment, isHere: false, now: now)
      }
      try transaction.attachments.set(entry.message.attachments, of: .message(id))
    }
    try transaction.outbox.enqueue(id, in: conversation.id, at: reading)
    if let failure { return try transaction.imports.fail(id, in: conversation.id, reason: failure) }
    let isHeld =
      report.format == .queue ? client.held.isOld(reading) : client.configuration.outbox.heldAfter != nil
    if isHeld { held.insert(conversation.id) }
  }

  /// Blocks a conversation that the import made without known members, until the app has made it.
  private func waits(_ conversation: Current, _ place: ImportPlace, _ transaction: Transaction) throws {
    guard conversation.isWithoutMembers, client.hasServer else { return }
    try transaction.conversations.refuse(conversation.id, reason: FailureReason(.membersUnknown))
    report.count(.membersUnknown, place.name, at: place.offset)
  }
}

extension KnownImport {
  fileprivate func hasSameText(as entry: HistoryEntry) -> Bool {
    text.hasSameBytes(as: entry.message.content.text)
      || text.hasSameBytes(as: entry.message.content.text.trimmed)
  }
}

extension ChatClient {
  nonisolated var hasServer: Bool { transport.capabilities.hasServer }

  /// The time of the waiting clock at which a message written elsewhere began to wait. If that is longer ago than
  /// the limit (a day by default), its user is asked before it is sent (rule O16).
  fileprivate nonisolated func waitingReading(writtenAt: Int64, now: Date) -> Int64 {
    waitingClock.reading(at: environment.uptime()) - (now.microseconds - writtenAt)
  }
}
