#if Firestore
  import Foundation
  import HoldfastCore
  import HoldfastTransport

  /// Turns the responses of a stream into events. It does no networking.
  ///
  /// ```
  ///             conversations are current              everything is current, and has a time
  ///   opening ──────────────────────────► all targets ──────────────────────────────────────► a place
  /// ```
  ///
  /// Documents are delivered in their present state, so they need not wait for a whole snapshot. The place moves
  /// only with a whole snapshot: documents before it would arrive again.
  struct FirestoreListening {
    /// An action after a response.
    enum Step: Equatable {
      /// The conversations are known, so the other targets can be added.
      case addTargets
      case event(TransportEvent)
    }

    /// One query of the stream.
    enum Target: Int32, CaseIterable {
      case conversations = 1, messages, readMarks
    }

    /// The largest number of documents in an event.
    static let page = 500

    private(set) var place: FirestorePlace
    private var conversations: [IncomingItem] = []
    private var others: [IncomingItem] = []
    private var current: Set<Int32> = []
    private var hasAll = false

    /// - Parameter place: the result of ``FirestorePlace/resumed(takesTokens:)``. Nil for a device without data.
    init(after place: FirestorePlace?) {
      self.place = place ?? FirestorePlace(bound: nil, read: 0, token: nil)
    }

    /// Whether everything that existed when the stream began has arrived.
    var isCurrent: Bool { current.count == Target.allCases.count }

    /// - Throws: ``ConnectionFailure`` when the server refuses a query.
    mutating func apply(_ response: FSListenResponse) throws(ConnectionFailure) -> [Step] {
      switch response.responseType {
      case .documentChange(let change) where change.removedTargetIds.isEmpty:
        note(change.document)
        return conversations.count + others.count >= Self.page ? events(at: nil) : []
      case .targetChange(let change): return try apply(change)
      // Documents leave a query when they are removed, or when this account leaves their conversation. Data on this
      // device is kept.
      case .documentChange, .documentDelete, .documentRemove, .filter, nil: return []
      }
    }

    private mutating func apply(_ change: FSTargetChange) throws(ConnectionFailure) -> [Step] {
      switch change.targetChangeType {
      case .remove:
        // The text of the cause contains the query, and so the account.
        let isDenied = change.cause.code == 7 || change.cause.code == 9
        throw ConnectionFailure(
          isDenied ? .incompatible : .unavailable,
          detail: "Firestore ended the stream with code \(change.cause.code)")
      case .reset: current.subtract(ids(change))
      case .current: current.formUnion(ids(change))
      default: break
      }
      var steps: [Step] = []
      if !hasAll, current.contains(Target.conversations.rawValue) {
        hasAll = true
        steps.append(.addTargets)
      }
      // A snapshot is whole when every target is current and a time arrives for all of them. Earlier documents are
      // delivered now: the next snapshot may take long.
      guard isCurrent, change.hasReadTime, change.targetIds.isEmpty else { return steps + events(at: nil) }
      place.read = change.readTime.microseconds
      if !change.resumeToken.isEmpty { place.token = change.resumeToken }
      return steps + events(at: place)
    }

    /// No target means all of them.
    private func ids(_ change: FSTargetChange) -> [Int32] {
      change.targetIds.isEmpty ? Target.allCases.map(\.rawValue) : change.targetIds
    }

    private mutating func note(_ document: FSDocument) {
      let parts = document.name.split(separator: "/")
      switch parts.dropLast().last.flatMap({ FirestoreDatabase.Collection(rawValue: String($0)) }) {
      case .conversations:
        ConversationDocument(document).map { conversations.append($0.item) }
      case .messages: MessageDocument.message(document).map { others.append(.message($0)) }
      case .readMarks: ReadMarkDocument.mark(document).map { others.append(.readMark($0)) }
      case nil: break
      }
    }

    private mutating func events(at place: FirestorePlace?) -> [Step] {
      defer { (conversations, others) = ([], []) }
      let items = conversations + others
      // A place without changes is delivered too, so that the next stream begins there.
      return items.isEmpty && place == nil ? [] : [.event(.items(items, cursor: place?.cursor))]
    }
  }

  extension FirestoreListening.Target {
    /// The documents of an account that were changed after `bound`.
    func request(
      for account: UserID, after place: FirestorePlace, in database: FirestoreDatabase
    ) -> FSListenRequest {
      let collection: FirestoreDatabase.Collection =
        switch self {
        case .conversations: .conversations
        case .messages: .messages
        case .readMarks: .readMarks
        }
      var filters = [FSStructuredQuery.Filter.field("members", .arrayContains, .string(account.rawValue))]
      if let bound = place.bound {
        filters.append(.field("changedAt", .greaterThan, .time(microseconds: bound)))
      }
      let query = FSStructuredQuery.with {
        $0.from = [.with { $0.collectionID = collection.rawValue }]
        $0.where.compositeFilter = .with {
          $0.op = .and
          $0.filters = filters
        }
        $0.orderBy = [
          .with {
            $0.field.fieldPath = "changedAt"
            $0.direction = .ascending
          }
        ]
      }
      return FSListenRequest.with {
        $0.database = database.path
        $0.addTarget.targetID = rawValue
        $0.addTarget.query.parent = database.documents
        $0.addTarget.query.structuredQuery = query
        if let token = place.token { $0.addTarget.resumeToken = token }
      }
    }
  }

  extension FSStructuredQuery.Filter {
    static func field(
      _ path: String, _ op: FSStructuredQuery.FieldFilter.Operator, _ value: FSValue
    ) -> Self {
      .with {
        $0.fieldFilter.field.fieldPath = path
        $0.fieldFilter.op = op
        $0.fieldFilter.value = value
      }
    }
  }
#endif
