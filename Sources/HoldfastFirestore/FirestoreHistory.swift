#if Firestore
  import Foundation
  import HoldfastCore
  import HoldfastTransport

  /// Reads older messages of a conversation (rule B6): a query from the newest to the oldest, starting from a
  /// message.
  struct FirestoreHistory: Sendable {
    let client: FirestoreClient
    let account: UserID

    /// - Throws: ``HistoryPage/Refusal`` when the server refuses, and ``ConnectionFailure`` when the connection is
    ///   lost.
    func page(_ request: HistoryRequest) async throws -> HistoryPage {
      do {
        let start = request.before.flatMap(Place.init) ?? request.oldest.flatMap(Place.init)
        var page = try await messages(of: request.conversation, before: start, limit: request.limit)
        page.beginsWithNewest = start == nil
        if page.before == nil { try await confirmBeginning(of: request.conversation) }
        if let sought = request.sought {
          page.isSoughtMissing = try await isMissing(sought, in: request.conversation)
        }
        return page
      } catch let error as HistoryPage.Refusal {
        throw error
      } catch {
        try Task.checkCancellation()
        switch FirestoreVerdict(error) {
        case .lost, .unauthorized: throw ConnectionFailure(listening: error)
        case .outcomeUnknown: throw HistoryPage.Refusal.notNow(after: nil)
        case .notNow(let delay): throw HistoryPage.Refusal.notNow(after: delay)
        case .alreadyThere, .denied, .invalid:
          throw HistoryPage.Refusal.rejected(FailureReason(.historyNotLoaded))
        }
      }
    }

    /// The messages before a place, oldest first. Without a place, the newest ones.
    func messages(of conversation: ConversationID, before place: Place?, limit: Int) async throws
      -> HistoryPage
    {
      let query = FSStructuredQuery.messages(
        of: conversation, for: account, before: place?.cursor(in: client.database), limit: limit)
      let documents = try await client.query(query).documents
      // An unreadable document is skipped. The next page still begins after it.
      return HistoryPage(
        items: documents.compactMap(MessageDocument.message).reversed().map(IncomingItem.message),
        before: documents.count < limit ? nil : documents.last.flatMap(Place.init)?.historyPlace)
    }

    /// Throws for a conversation that was given another ID: it has no messages under the old one, which must not
    /// count as its beginning.
    private func confirmBeginning(of conversation: ConversationID) async throws {
      let name = client.database.document(DocumentID(of: conversation.rawValue), in: .conversations)
      guard try await client.documents([name])[name] != nil else {
        throw HistoryPage.Refusal.notNow(after: nil)
      }
    }

    private func isMissing(_ id: MessageID, in conversation: ConversationID) async throws -> Bool {
      let name = MessageDocument.name(of: id, in: client.database)
      do {
        let message = try await client.documents([name])[name].flatMap(MessageDocument.message)
        return message?.conversation != conversation
      } catch  where FirestoreVerdict(error) == .denied {
        // The message is in a conversation of others.
        return true
      }
    }
  }

  extension FirestoreHistory {
    /// The position of a message in the order of the query.
    struct Place: Codable, Hashable {
      /// The server's time, in microseconds since 1970.
      var sentAt: Int64
      /// The number in its commit.
      var number: Int64
      /// The document's ID.
      var id: String

      init?(_ document: FSDocument) {
        guard let sentAt = document.fields["sentAt"]?.time else { return nil }
        self.sentAt = sentAt.microseconds
        number = document.fields["n"]?.integer ?? 0
        id = document.id.rawValue
      }

      /// Nil when the message has no order. Times of requests have milliseconds, so the order contains all of the
      /// time.
      init?(_ message: HistoryRequest.Message) {
        guard let order = message.order else { return nil }
        (sentAt, number) = (MessageDocument.milliseconds(of: order) * 1000, MessageDocument.number(of: order))
        id = DocumentID(of: message.id.rawValue).rawValue
      }

      /// Nil when the place comes from another transport.
      init?(_ place: HistoryPlace) {
        guard let place = try? JSONDecoder().decode(Self.self, from: Data(place.rawValue.utf8)) else {
          return nil
        }
        self = place
      }

      var historyPlace: HistoryPlace? {
        guard let data = try? JSONEncoder().encode(self) else { return nil }
        return HistoryPlace(rawValue: String(decoding: data, as: UTF8.self))
      }

      /// The position after this message, in the order of the query.
      func cursor(in database: FirestoreDatabase) -> FSCursor {
        .with {
          $0.values = [
            .time(microseconds: sentAt), .integer(number),
            .with { $0.referenceValue = database.document(DocumentID(rawValue: id), in: .messages) },
          ]
          $0.before = false
        }
      }
    }
  }

  extension FSStructuredQuery {
    /// The newest messages of a conversation, newest first.
    fileprivate static func messages(
      of conversation: ConversationID, for account: UserID, before cursor: FSCursor?, limit: Int
    ) -> FSStructuredQuery {
      .with {
        $0.from = [.with { $0.collectionID = FirestoreDatabase.Collection.messages.rawValue }]
        $0.where.compositeFilter = .with {
          $0.op = .and
          // The rules permit only a query for this account's messages.
          $0.filters = [
            .field("members", .arrayContains, .string(account.rawValue)),
            .field("conversation", .equal, .string(DocumentID(of: conversation.rawValue).rawValue)),
          ]
        }
        $0.orderBy = ["sentAt", "n", "__name__"].map { field in
          .with {
            $0.field.fieldPath = field
            $0.direction = .descending
          }
        }
        $0.limit = .with { $0.value = Int32(clamping: limit) }
        if let cursor { $0.startAt = cursor }
      }
    }
  }
#endif
