import Holdfast
import HoldfastRelay
import HoldfastStore
import HoldfastTesting

/// Runs the faults until the users have sent everything, heals the world, waits for rest, and checks the outcome.
struct Judge: Sendable {
  /// The longest time that the faults may strike, on the virtual clock.
  static let rage: Duration = .seconds(240)
  /// The longest time that the world may take to come to rest: several of the engine's longest waits in a row.
  static let patience: Duration = .seconds(240)

  let world: WorldState
  let server: SimulatedServer
  let phones: [SimulatedPhone]
  let promises: Promises

  func judge() async -> [Violation] {
    let rage = world.scheduler.now + Self.rage
    while world.scheduler.now < rage, world.violations.isEmpty, !phones.allSatisfy(\.isFinished) {
      try? await world.scheduler.sleep(until: world.scheduler.now + .seconds(1))
    }
    world.heal()
    let patience = world.scheduler.now + Self.patience
    var outcome: WorldOutcome?
    let pause: Duration = world.plan.hasPast ? .seconds(5) : .seconds(1)
    while world.scheduler.now < patience, world.violations.isEmpty {
      try? await world.scheduler.sleep(until: world.scheduler.now + pause)
      let isLast = world.scheduler.now + pause >= patience
      guard phones.allSatisfy(\.isFinished), isLast || !isMoving, let present = try? await look() else {
        continue
      }
      outcome = present
      if present.isAtRest, phones.allSatisfy(\.hasNoNotes) { break }
    }
    // The first broken promise is the story. Its consequences are left out.
    guard world.violations.isEmpty else { return [] }
    guard var outcome else {
      return [
        Violation(promise: "the world goes on", expected: "all processes up again", found: "one that is not")
      ]
    }
    let left = phones.filter { !$0.hasNoNotes }.map {
      Violation(
        promise: "what is deleted is gone", expected: "\($0.name) to be rid of it", found: "some of it")
    }
    guard left.isEmpty else { return left }
    // Two processes on one store do not learn of each other's end.
    let waiting = phones.filter { $0.store == nil && (try? $0.client?.processingRequests().isEmpty) == false }
      .map {
        Violation(
          promise: "a request ends", expected: "\($0.name) to wait for nothing", found: "a request")
      }
    guard waiting.isEmpty else { return waiting }
    if outcome.isAtRest, let folders = try? await folders() { outcome.folders = folders }
    return Invariants.check(outcome)
  }

  private func folders() async throws -> [(process: String, audit: AttachmentAudit)] {
    var folders = try phones.compactMap { phone in
      try phone.client.map { (process: phone.name, audit: try $0.store.auditAttachments(isSwept: true)) }
    }
    if let chat = server.current {
      folders.append((process: SimulatedServer.name, audit: try await chat.auditAttachments()))
    }
    return folders
  }

  /// Whether a phone has something to send, or a screen has something to show. Reading the whole world costs many
  /// times as much.
  private var isMoving: Bool {
    phones.filter { !$0.isClosed }.contains { phone in
      guard let client = phone.client, (try? client.outbox.unsentCount()) == 0 else { return true }
      return (try? phone.screen.stale(client, phone.shownConversations).isEmpty) != true
    }
  }

  /// Returns the state of the world now. Nil when a process is down.
  private func look() async throws -> WorldOutcome? {
    guard let chat = server.current else { return nil }
    var outcome = WorldOutcome(
      conversations: [], foreign: [], withdrawn: promises.withdrawn, replies: promises.replies, waiting: [],
      stale: [])
    let names = phones.flatMap(\.conversations)
      .reduce(into: [ConversationID]()) { if !$0.contains($1) { $0.append($1) } }
    outcome.foreign = try await chat.conversationIDs().filter {
      !names.contains($0) && !$0.rawValue.hasPrefix(Note.prefix)
    }
    for name in names {
      let served = try await chat.messages(in: name)
      outcome.conversations.append(
        WorldOutcome.Conversation(
          id: name,
          server: served.map {
            WorldOutcome.Row(
              id: MessageID(rawValue: $0.id), sender: $0.author, text: $0.text,
              isDeleted: $0.deletedAt != nil,
              reactions: ($0.reactions ?? []).map { "\($0.value) \($0.senders.count)" })
          }, phones: [], sent: promised(in: name, served),
          attachments: try await chat.attachments(in: name).reduce(into: [:]) { attachments, message in
            attachments[MessageID(rawValue: message.key)] = message.value.map {
              ChatAttachment.Checksum(rawValue: $0.checksum)
            }
          }))
      var reading = WorldOutcome.Reading()
      for mark in try await chat.readMarks(in: name) {
        reading.server[UserID(rawValue: mark.reader)] = MessageID(rawValue: mark.message)
      }
      reading.begun = promises.reading.begun(in: name)
      // A fetched message without a number counts as read, and moves no mark.
      if !world.fetchesWithoutNumbers { reading.kept = promises.reading.kept(in: name) }
      outcome.conversations[outcome.conversations.count - 1].reading = reading
      outcome.reactions += reactions(served)
    }
    for phone in phones where !phone.isClosed {
      guard let client = phone.client else { return nil }
      for index in outcome.conversations.indices {
        let name = outcome.conversations[index].id
        guard phone.conversations.contains(name) else { continue }
        var snapshot = try phone.screen.fresh(name, of: client)
        // A row under the server's name is that message. Beside the message's own row, it would be a duplicate.
        for index in snapshot.rows.indices {
          snapshot.rows[index].id = ServerName.ours(snapshot.rows[index].id)
        }
        let rows = snapshot.rows
        // A user who has scrolled back to the beginning has everything.
        if world.mayLack(phone.device), world.plan.readBacks == 0 {
          outcome.conversations[index].evictions[phone.name] = EvictionPromise(
            isReported: snapshot.hasEvicted,
            referred: promises.referred(on: phone.device), least: world.leastKept)
        }
        try note(snapshot, on: phone, client, in: &outcome.conversations[index].reading)
        outcome.conversations[index].files.append((phone.name, Self.files(of: rows)))
        outcome.conversations[index].phones.append(
          (
            phone.name,
            rows.filter { $0.status.state == .delivered }.map {
              WorldOutcome.Row(
                id: $0.id, sender: $0.sender, text: $0.text, isDeleted: $0.isDeleted,
                reactions: $0.reactions.map { "\($0.value) \($0.count)" })
            }
          ))
      }
      if phone.hasTable, !phone.isExtension {
        let table = phone.table.value
        outcome.tables.append(
          WorldOutcome.Table(
            device: phone.device, delivered: table.outcomes.filter { $0.failure == nil }.map(\.message),
            isComplete: try client.outbox.storedDeliveries(after: table.last).isEmpty))
      }
      outcome.unfinished += try unfinished(on: phone, client)
      outcome.limits[phone.name] = HistoryPromise(
        // After a user has scrolled back, nothing is evicted before the next launch.
        limits: client.history.hasReadBack ? .init() : world.historyLimits(of: phone.device))
      outcome.waiting.append((phone.name, try client.outbox.unsentCount()))
      for conversation in try phone.screen.stale(client, phone.shownConversations) {
        outcome.stale.append((phone.name, conversation))
      }
    }
    return outcome
  }

  /// The unfinished replies on a phone's screens.
  private func unfinished(on phone: SimulatedPhone, _ client: ChatClient) throws -> [WorldOutcome.Unfinished]
  {
    try phone.shownConversations.flatMap { conversation in
      try phone.screen.fresh(conversation, of: client).rows
        .filter { !$0.status.isComplete }.map {
          // In a shared store, a reply counts as being written until another process takes over the connection,
          // although its writer has ended.
          let mayBeWritten = phone.store != nil && $0.status.state == .streaming
          return WorldOutcome.Unfinished(
            device: phone.name, id: $0.id, isEmpty: $0.text.isEmpty && !$0.isWrittenHere,
            isWrittenHere: $0.isWrittenHere && !mayBeWritten)
        }
    }
  }

  /// Records the read marks that a phone shows.
  private func note(
    _ snapshot: ConversationSnapshot, on phone: SimulatedPhone, _ client: ChatClient,
    in reading: inout WorldOutcome.Reading
  ) throws {
    let delivered = snapshot.rows.filter { !$0.status.isUnsent }
    reading.phones.append(
      (phone.name, phone.user, Dictionary(delivered.map { ($0.id, $0.readBy) }) { first, _ in first }))
    // A phone that lacks messages counts fewer.
    guard snapshot.rows.count < Screen.limit, !snapshot.hasEvicted, world.plan.imports == 0 else { return }
    let rows = try client.reader.list(limit: 1_000).rows
    guard let row = rows.first(where: { $0.id == snapshot.id }) else { return }
    guard !world.fetchesWithoutNumbers else { return }
    reading.unread.append((phone.name, phone.user, row.unreadCount))
  }

  /// The messages that must exist, each with the text that it must have after all changes.
  private func promised(in conversation: ConversationID, _ served: [Wire.MessageItem]) -> [Promises.Sent] {
    let found = Dictionary(served.map { ($0.id, ($0.text, $0.deletedAt != nil)) }) { first, _ in first }
    return promises.sent.filter { $0.conversation == conversation }.compactMap { message in
      var message = message
      guard let text = promises.changes.text(of: message, found: found[message.id.rawValue]) else {
        return nil
      }
      message.text = text
      // A deleted message keeps no attachments.
      if found[message.id.rawValue]?.1 == true { message.attachments = [] }
      return message
    }
  }

  /// Every reaction that was asked for or exists, with whether it exists and whether it is wanted.
  private func reactions(_ served: [Wire.MessageItem]) -> [WorldOutcome.Reaction] {
    served.filter { $0.deletedAt == nil }.flatMap { item in
      let id = MessageID(rawValue: item.id)
      let wishes = promises.changes[id]?.reactions ?? [:]
      let present = (item.reactions ?? []).flatMap { reaction in
        reaction.senders.map { ChangePromises.Reaction(user: UserID(rawValue: $0), value: reaction.value) }
      }
      let unasked = present.filter { wishes[$0] == nil }.map {
        WorldOutcome.Reaction(message: id, user: $0.user, value: $0.value, isThere: true, isWanted: false)
      }
      return unasked
        + wishes.sorted { ($0.key.user.rawValue, $0.key.value) < ($1.key.user.rawValue, $1.key.value) }
        .compactMap { reaction, wish in
          wish.value.map { isWanted in
            WorldOutcome.Reaction(
              message: id, user: reaction.user, value: reaction.value, isThere: present.contains(reaction),
              isWanted: isWanted)
          }
        }
    }
  }

  /// The checksums of each row's attachments, computed from their bytes and not taken from their names. Nil for a
  /// missing file.
  private static func files(of rows: [MessageRow]) -> [MessageID: [ChatAttachment.Checksum?]] {
    let attached = rows.filter { !$0.attachments.isEmpty }
    return Dictionary(
      attached.map { row in
        (row.id, row.attachments.map { $0.file.flatMap { try? OpenFile(reading: $0).checksum() } })
      }, uniquingKeysWith: { first, _ in first })
  }
}

extension Wire.MessageItem {
  /// The author: the account, or an assistant of it.
  fileprivate var author: UserID {
    let account = UserID(rawValue: sender)
    return assistant.map { UserID.assistant($0, of: account) } ?? account
  }
}
