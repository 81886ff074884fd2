import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

/// Messages of a file: which are stored already, and where the others go (rules H12, H14, H15).
extension HistoryImport {
  func store(_ entry: HistoryEntry, _ place: ImportPlace, _ transaction: Transaction) throws {
    guard var conversation = current else { return }
    defer { current = conversation }
    let id = name(of: entry.message, in: &conversation)
    guard !conversation.isPassedOver else { return count(\.deletedHere) }
    conversation.lastDate = entry.message.createdAt ?? conversation.lastDate
    if try transaction.messages.isHere(
      underName: entry.message.serverID, besides: entry.message.id, sender: sender(of: entry.message),
      in: conversation.id)
    {
      return count(\.alreadyHere)
    }
    if entry.isUnsent { return try storeUnsent(entry, id, place, in: &conversation, transaction) }
    switch try match(entry, id, in: conversation, transaction) {
    case .here(let known):
      conversation.pass(known.place)
      return count(\.alreadyHere)
    case .beginning(let known):
      conversation.pass(known.place)
      try transaction.imports.replace(entry.message, as: known.id)
      return count(\.replaced)
    case .new(let new, let isApart):
      if isApart { report.count(.sameID, place.name, at: place.offset) }
      try insert(entry, as: new, place, in: &conversation, transaction)
    }
  }

  private func insert(
    _ entry: HistoryEntry, as id: MessageID, _ place: ImportPlace, in conversation: inout Current,
    _ transaction: Transaction
  ) throws {
    if let horizon = transaction.localDeletions.horizons[conversation.id], horizon.isEvicted,
      let order = entry.message.order, order <= horizon.serverOrder,
      // Without limits, absent messages were never received, unless they were deleted.
      client.configuration.history.isLimited || order <= horizon.deletedOrder ?? 0
    {
      return count(\.deletedHere)
    }
    reportProblems(entry, place)
    if entry.author?.isNamed == false { report.count(.authorNotNamed, place.name, at: place.offset) }
    let at = try self.place(of: entry.message, in: &conversation, transaction)
    if let writer = unfinishedSender(of: entry) {
      try transaction.imports.addUnfinished(
        entry.message, as: id, sender: writer, in: conversation.id, place: at,
        createdAt: conversation.lastDate,
        failure: failure(of: entry), now: client.environment.now())
      return count(\.interrupted)
    }
    if entry.status == .unknown { report.count(.unknownStatus, place.name, at: place.offset) }
    try transaction.imports.addMessage(
      entry.message, as: id, sender: sender(of: entry.message), in: conversation.id, place: at,
      createdAt: conversation.lastDate, now: client.environment.now())
    conversation.readPlace = max(conversation.readPlace ?? .min, at)
    conversation.note(entry.message.createdAt)
    count(\.messages)
  }

  /// Reports the problems and notes of an imported entry.
  func reportProblems(_ entry: HistoryEntry, _ place: ImportPlace) {
    for code in entry.problems { report.note(code, place.name, at: place.offset) }
    for code in entry.notes { report.count(code, place.name, at: place.offset) }
  }

  func sender(of message: ImportedMessage) -> UserID {
    message.sender ?? (message.role == .user ? client.user : UserID(rawValue: message.role.rawValue))
  }

  // MARK: Replies

  /// The sender who can continue an unfinished reply. Nil when the entry is not one, or is someone else's.
  private func unfinishedSender(of entry: HistoryEntry) -> UserID? {
    guard entry.message.role == .assistant, entry.status == .unfinished || entry.status == .failed,
      entry.message.deletedAt == nil, entry.message.order == nil
    else { return nil }
    guard let sender = entry.message.sender else { return .assistant("assistant", of: client.user) }
    return !client.hasServer || sender.account == client.user || sender.rawValue == "assistant" ? sender : nil
  }

  private func failure(of entry: HistoryEntry) -> FailureReason? {
    let content = entry.message.content
    let isEmpty = content.text.isEmpty && content.reasoning == nil
    if let reason = entry.failure, !reason.isBlank { return FailureReason(.replyFailed, Self.short(reason)) }
    return entry.status == .failed || isEmpty ? FailureReason(.replyFailedBeforeImport) : nil
  }

  /// An app's explanation of a failure, cut to one paragraph.
  private static func short(_ words: String) -> String { String(words.trimmed.storable.prefix(1_000)) }

  // MARK: Order

  /// The place of a new message: in the order of the file, and by its date among the messages of other files. A
  /// message with a server's order is placed by that order.
  func place(
    of message: ImportedMessage, in conversation: inout Current, _ transaction: Transaction
  ) throws -> Int64 {
    let date =
      message.order == nil ? conversation.note(message.createdAt, before: client.environment.now()) : nil
    try lookBehind(&conversation, transaction)
    let isFirst = !conversation.isNew && conversation.places == ImportedPlaces(next: conversation.places.next)
    if let date, isFirst || conversation.nextDate.map({ $0 <= date }) ?? false {
      conversation.places = ImportedPlaces()
      if let place = try transaction.imports.place(upTo: date, in: conversation.id) {
        conversation.pass(place)
      }
      conversation.isNextUnknown = true
      try lookBehind(&conversation, transaction)
    }
    return conversation.places.assignPlace(order: message.order)
  }

  /// Looks up the next stored message after the last one of the file, if it is not known.
  private func lookBehind(_ conversation: inout Current, _ transaction: Transaction) throws {
    guard conversation.isNextUnknown else { return }
    let next = try transaction.imports.next(in: conversation.id, behind: conversation.places.last)
    conversation.places.pass(conversation.places.last, next: next?.place)
    conversation.nextDate = next.flatMap { $0.place < 0 ? $0.createdAt : nil }
    conversation.isNextUnknown = false
  }

  // MARK: Identity

  enum Match {
    /// The message is stored with the same content, or was changed in the store.
    case here(KnownImport)
    /// The beginning of the message is stored; it was cut off.
    case beginning(KnownImport)
    /// - Parameter isApart: whether another message has the ID from the file.
    case new(MessageID, isApart: Bool)
  }

  /// Whether the message is stored. Some apps number each conversation's messages from 1, and some give two messages
  /// one ID: the second one's ID is made of the conversation, the ID and, in the same conversation, the content.
  func match(
    _ entry: HistoryEntry, _ id: MessageID, in conversation: Current, _ transaction: Transaction
  ) throws -> Match {
    let apart = ImportedID.make([conversation.name.rawValue, id.rawValue])
    for candidate in [id, MessageID(rawValue: apart)] {
      guard let known = try transaction.imports.known(candidate) else {
        return .new(candidate, isApart: false)
      }
      guard known.conversation == conversation.id else { continue }
      if known.isSame(as: entry) { return .here(known) }
      if known.isBeginning(of: entry) { return .beginning(known) }
      break
    }
    let byContent = MessageID(
      rawValue: ImportedID.make([apart, entry.message.role.rawValue, entry.message.content.text]))
    return try transaction.imports.known(byContent).map(Match.here) ?? .new(byContent, isApart: true)
  }

  /// A message without an ID is recognized by its contents. Without a date either, the previous message counts too,
  /// because short answers are often the same.
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
}

extension HistoryImport.Current {
  /// The latest date of the file's messages up to this one, which decides its place. Nil when no message has a date.
  /// Dates in the future are ignored.
  fileprivate mutating func note(_ date: Int64?, before now: Date) -> Int64? {
    if let date, date <= now.microseconds { latest = max(latest ?? date, date) }
    return date == nil ? nil : latest
  }

  fileprivate mutating func note(_ date: Int64?) {
    guard let date else { return }
    dates = min(dates?.lowerBound ?? date, date)...max(dates?.upperBound ?? date, date)
  }
}

extension KnownImport {
  /// Whether the entry is this message. A stored version that was changed here, or that the server has, wins.
  fileprivate func isSame(as entry: HistoryEntry) -> Bool {
    if isChanged || isInOutbox || hasOrder && entry.message.order != nil || entry.message.deletedAt != nil {
      return true
    }
    if isEnd(of: entry) || isUnfinished && isBeingWritten { return true }
    return !isUnfinished && text.hasSameBytes(as: entry.message.content.text)
  }

  /// Whether the entry is a beginning of this message.
  private func isEnd(of entry: HistoryEntry) -> Bool {
    role == entry.message.role
      && (entry.status == .unfinished || role == .assistant && entry.status == .failed)
      && text.hasPrefix(entry.message.content.text)
  }

  /// Whether the entry is this message with its end. An entry with the same text shows that the text was complete. A
  /// longer one after it is then another message, each time that the file is imported.
  fileprivate func isBeginning(of entry: HistoryEntry) -> Bool {
    isUnfinished && role == entry.message.role && entry.status != .unfinished && entry.status != .failed
      && entry.message.content.text.hasPrefix(text)
  }
}
