#if Firestore
  import Foundation
  import HoldfastCore
  import HoldfastTransport

  /// Sends the items of a conversation, one commit after the other.
  ///
  /// ```
  ///            ┌── committed ─────────────────────────────────────────────► receipts
  ///            ├── ALREADY_EXISTS ──► read ─┬─ mine ──────────────────────► receipts; the rest again
  ///   commit ──┤                            └─ another's ─────────────────► rejected
  ///            ├── denied, invalid ──► one by one ────────────────────────► rejected
  ///            ├── timeout, aborted ──────────────────────────────────────► outcome unknown
  ///            └── unavailable ───────────────────────────────────────────► the connection fails
  /// ```
  struct FirestoreLane: Sendable {
    enum Item: Sendable {
      case message(OutgoingMessage)
      case mark(IncomingItem.ReadMark)
    }

    /// The largest number of messages in a commit.
    static let batch = 100
    /// The largest commit in bytes. Google accepts 10 MiB, and gRPC 4 MiB by default.
    private static let bytes = 3_000_000

    private let client: FirestoreClient
    private let account: UserID
    private let conversations: FirestoreConversations

    init(_ client: FirestoreClient, as account: UserID, _ conversations: FirestoreConversations) {
      (self.client, self.account, self.conversations) = (client, account, conversations)
    }

    /// Sends the items of one conversation, in order.
    ///
    /// - Parameter refused: the messages that were refused on this connection. A message after one of them is
    ///   refused too, so that none overtakes its predecessor.
    /// - Returns: the messages that are refused now.
    func carry(
      _ items: [Item], behind refused: Set<MessageID>, _ emit: (TransportEvent) -> Void
    ) async throws -> Set<MessageID> {
      var (items, refused) = (items[...], refused)
      while let next = items.first {
        try Task.checkCancellation()
        switch next {
        case .mark(let mark):
          items.removeFirst()
          try await write(mark)
        case .message(let first):
          let batch = first.operation == nil ? Self.batch(from: items) : [first]
          items = items.dropFirst(batch.count)
          let ready = batch.prefix { $0.predecessor.map(refused.contains) != true }
          let answers = ready.isEmpty ? [] : try await answers(to: Array(ready))
          // A message is sent again under its ID once its predecessor has been accepted.
          for message in ready { refused.remove(message.id) }
          for case .refused(let id, _, _) in answers { refused.insert(id) }
          answers.forEach(emit)
          for message in batch.dropFirst(ready.count) {
            refused.insert(message.id)
            emit(.refused(message.id, transmission: message.transmission, .predecessorMissing))
          }
        }
      }
      return refused
    }

    /// The messages of one commit.
    private static func batch(from items: ArraySlice<Item>) -> [OutgoingMessage] {
      var (batch, size): ([OutgoingMessage], Int) = ([], 0)
      for case .message(let message) in items.prefix(Self.batch).prefix(while: \.isNewMessage) {
        size += message.content.documentBytes
        // All messages of a commit that name members must name the same ones as the first.
        let isMeantAlike = message.members.isEmpty || message.members == batch.first?.members
        guard batch.isEmpty || (size <= bytes && isMeantAlike) else { break }
        batch.append(message)
      }
      return batch
    }

    private func answers(to messages: [OutgoingMessage]) async throws -> [TransportEvent] {
      guard let first = messages.first else { return [] }
      do {
        let members =
          // An operation creates no conversation.
          first.members.isEmpty || first.operation != nil
          ? try await conversations.members(of: first.conversation)
          : try await conversations.create(for: first)
        guard let members else { return messages.map { $0.refused(.conversationRefused) } }
        if let operation = first.operation {
          return [try await answer(to: first, operation, members: members)]
        }
        guard conversations.isMeant(by: first, members: members) else {
          return try await answersFromThere(to: messages, members: nil)
        }
        return try await commit(messages, members: members)
      } catch {
        return try messages.map { $0.refused(try refusal(error)) }
      }
    }

    private func commit(_ messages: [OutgoingMessage], members: [UserID]) async throws -> [TransportEvent] {
      let writes = messages.enumerated().map { number, message in
        MessageDocument.creation(
          of: message, by: account, members: members, number: number, in: client.database)
      }
      do {
        let response = try await authorized { try await client.commit(writes) }
        return try receipts(messages, response)
      } catch {
        switch FirestoreVerdict(error) {
        case .alreadyThere: return try await answersFromThere(to: messages, members: members)
        case .denied:
          guard let present = try await conversations.members(of: messages[0].conversation, isFresh: true),
            present.contains(account)
          else { return messages.map { $0.refused(.conversationRefused) } }
          if present != members { return try await commit(messages, members: present) }
          return try await oneByOne(messages, members: members)
        case .invalid: return try await oneByOne(messages, members: members)
        default: throw error
        }
      }
    }

    /// Sends each message by itself to find the refused one, because a commit is carried out as a whole or not at
    /// all.
    private func oneByOne(_ messages: [OutgoingMessage], members: [UserID]) async throws -> [TransportEvent] {
      guard messages.count > 1 else { return messages.map { $0.refused(.rejected) } }
      var answers: [TransportEvent] = []
      for (index, message) in messages.enumerated() {
        answers += try await commit([message], members: members)
        guard case .refused? = answers.last else { continue }
        return answers
          + messages[(index + 1)...].map {
            .refused($0.id, transmission: $0.transmission, .predecessorMissing)
          }
      }
      return answers
    }

    /// Reads the documents of messages when at least one exists: those of this account have been sent before.
    ///
    /// - Parameter members: nil when the conversation has other members than the messages name. Missing messages are
    ///   then refused, and none has to exist.
    private func answersFromThere(
      to messages: [OutgoingMessage], members: [UserID]?
    ) async throws -> [TransportEvent] {
      let names = messages.map { MessageDocument.name(of: $0.id, in: client.database) }
      let found: [String: FSDocument]
      do {
        found = try await client.documents(names)
      } catch  where FirestoreVerdict(error) == .denied {
        // It exists and cannot be read: it is this account's, written when it was still a member, or someone else's.
        return messages.map { $0.refused(Refusal.outcomeUnknown()) }
      }
      var (answers, absent): ([TransportEvent], [OutgoingMessage]) = ([], [])
      for (message, name) in zip(messages, names) {
        guard let document = found[name] else {
          absent.append(message)
          continue
        }
        guard let there = MessageDocument.message(document), there.sender == message.sender ?? account,
          there.conversation == message.conversation
        else {
          answers.append(message.refused(.rejected))
          continue
        }
        answers.append(.receipts([Receipt(there)]))
      }
      guard let members else { return answers + absent.map { $0.refused(.otherMembers) } }
      // None could be read, although one exists.
      guard absent.count < messages.count else {
        return messages.map { $0.refused(Refusal.outcomeUnknown()) }
      }
      guard !absent.isEmpty else { return answers }
      // A message whose ID belongs to someone else is before or after them.
      if answers.contains(where: \.isRefusal) {
        return answers + absent.map { $0.refused(.predecessorMissing) }
      }
      return answers + (try await commit(absent, members: members))
    }

    private func receipts(
      _ messages: [OutgoingMessage], _ response: FSCommitResponse
    ) throws -> [TransportEvent] {
      guard response.writeResults.count == messages.count else {
        throw ConnectionFailure(.incompatible, detail: "an answer to another commit")
      }
      let receipts = zip(messages, response.writeResults).enumerated().map { number, pair in
        let (message, result) = pair
        let sentAt = result.transformResults.first?.time ?? response.commitTime
        return Receipt(
          id: message.id, conversation: message.conversation,
          order: MessageDocument.order(sentAt: sentAt, number: Int64(number), id: message.id.rawValue),
          createdAt: sentAt.date)
      }
      return [.receipts(receipts)]
    }

    /// Carries out an operation on a message.
    ///
    /// - Parameter members: the members of the conversation. The rules compare them with the present ones.
    private func answer(
      to message: OutgoingMessage, _ operation: MessageOperation, members: [UserID]
    ) async throws -> TransportEvent {
      let write = MessageDocument.change(
        message, operation, by: account, members: members, in: client.database)
      do {
        let response = try await authorized { try await client.commit([write]) }
        let result = response.writeResults.first ?? FSWriteResult()
        return .receipts([
          Receipt(
            id: message.id, conversation: message.conversation, order: nil, createdAt: result.updateTime.date,
            revision: result.updateTime.microseconds)
        ])
      } catch  where FirestoreVerdict(error) == .denied {
        return try await answerFromThere(to: message, operation, members: members)
      }
    }

    /// The response to a denied operation: the members may have changed, or it may already have been carried out.
    private func answerFromThere(
      to message: OutgoingMessage, _ operation: MessageOperation, members: [UserID]
    ) async throws -> TransportEvent {
      guard let present = try await conversations.members(of: message.conversation, isFresh: true),
        present.contains(account)
      else { return message.refused(.conversationRefused) }
      if present != members { return try await answer(to: message, operation, members: present) }
      let name = MessageDocument.name(of: operation.target, in: client.database)
      let document: FSDocument?
      do { document = try await client.documents([name])[name] } catch
        where FirestoreVerdict(error) == .denied
      {
        document = nil
      }
      guard let document, let target = MessageDocument.message(document), target.deletedAt != nil,
        operation.kind == .delete && target.sender.account == account || operation.kind == .unreact
      else { return message.refused(.rejected) }
      return .receipts([
        Receipt(
          id: message.id, conversation: message.conversation, order: target.order,
          createdAt: target.createdAt,
          revision: target.revision)
      ])
    }

    /// Writes a mark. A refused mark is not retried here: the engine repeats a mark that is not echoed.
    private func write(_ mark: IncomingItem.ReadMark) async throws {
      do {
        guard let members = try await conversations.members(of: mark.conversation, isClosed: true)
        else { return }
        let write = ReadMarkDocument.write(mark, by: account, members: members, in: client.database)
        _ = try await authorized { try await client.commit([write]) }
      } catch {
        _ = try refusal(error)
      }
    }

    /// Retries once with a new token when the server refuses the last one.
    private func authorized<Value>(_ body: () async throws -> Value) async throws -> Value {
      do { return try await body() } catch  where FirestoreVerdict(error) == .unauthorized {
        return try await body()
      }
    }

    /// The refusal of messages after an error without a definitive answer.
    ///
    /// - Throws: a failure of the connection.
    private func refusal(_ error: any Error) throws -> Refusal {
      try Task.checkCancellation()
      if error is ConnectionFailure { throw error }
      switch FirestoreVerdict(error) {
      case .notNow(let after): return .notNow(after: after)
      case .lost, .unauthorized: throw ConnectionFailure(listening: error)
      case .denied, .invalid: return .rejected(.rejected)
      case .outcomeUnknown, .alreadyThere: return .outcomeUnknown()
      }
    }
  }

  extension FirestoreLane.Item {
    fileprivate var isNewMessage: Bool {
      if case .message(let message) = self { message.operation == nil } else { false }
    }
  }

  extension TransportEvent {
    fileprivate var isRefusal: Bool { if case .refused = self { true } else { false } }
  }

  extension FailureReason {
    fileprivate static let rejected = FailureReason(.rejected, "The server did not accept this message.")
    fileprivate static let conversationRefused = FailureReason(
      .conversationRefused, "You may not write in this conversation.")
    fileprivate static let otherMembers = FailureReason(
      .rejected, "Another conversation has this ID. See who is in it before you send again.")
  }

  extension OutgoingMessage {
    fileprivate func refused(_ refusal: Refusal) -> TransportEvent {
      .refused(id, transmission: transmission, refusal)
    }

    fileprivate func refused(_ reason: FailureReason) -> TransportEvent { refused(.rejected(reason)) }
  }

  extension MessageContent {
    /// An upper bound of the document's size, for batches.
    fileprivate var documentBytes: Int {
      let texts = [text, reasoning ?? ""] + images + videos
      return 2_000 + (formatting?.count ?? 0) + (metadata?.count ?? 0)
        + texts.reduce(0) { $0 + $1.utf8.count }
    }
  }
#endif
