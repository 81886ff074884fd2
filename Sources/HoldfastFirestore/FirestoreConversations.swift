#if Firestore
  import HoldfastCore
  import HoldfastTransport
  import Synchronization

  /// The members of conversations, as far as this connection knows them. Each message contains them, so that one
  /// query finds all messages of an account.
  final class FirestoreConversations: Sendable {
    private struct State {
      var known: [ConversationID: [UserID]] = [:]
      /// The conversations whose members have matched those in a message.
      var meant: Set<ConversationID> = []
    }

    private let client: FirestoreClient
    private let state = Mutex(State())

    init(_ client: FirestoreClient) { self.client = client }

    func note(_ items: [IncomingItem]) {
      state.withLock { state in
        for case .conversation(let conversation) in items {
          state.known[conversation.id] = conversation.members
        }
      }
    }

    /// The members, read if they are not known. Nil when the conversation does not exist, accepts no messages, or is
    /// not this account's.
    ///
    /// - Parameters:
    ///   - isFresh: whether the known members may be outdated.
    ///   - isClosed: whether a conversation that accepts no messages is allowed. A removed one has no members.
    func members(
      of conversation: ConversationID, isFresh: Bool = false, isClosed: Bool = false
    ) async throws -> [UserID]? {
      if !isFresh, let members = state.withLock({ $0.known[conversation] }) { return members }
      let name = client.database.document(DocumentID(of: conversation.rawValue), in: .conversations)
      let found: FSDocument?
      do {
        found = try await client.documents([name])[name]
      } catch  where FirestoreVerdict(error) == .denied {
        found = nil
      }
      let document = found.flatMap(ConversationDocument.init).flatMap { document in
        document.takesMessages || (isClosed && !document.isRemoved) ? document : nil
      }
      state.withLock { $0.known[conversation] = document?.members }
      return document?.members
    }

    /// Creates the conversation of a message that names members, unless it exists. An existing one may have other
    /// members.
    func create(for message: OutgoingMessage) async throws -> [UserID]? {
      if let members = state.withLock({ $0.known[message.conversation] }) { return members }
      var named: Set<UserID> = []
      // The rules require distinct members.
      let members = message.members.filter { named.insert($0).inserted }
      do {
        _ = try await client.commit([
          ConversationDocument.creation(for: message, members: members, in: client.database)
        ])
      } catch {
        // It exists, or its creation is denied: then it is someone else's, or its members do not include this
        // account.
        switch FirestoreVerdict(error) {
        case .alreadyThere, .denied: return try await self.members(of: message.conversation, isFresh: true)
        default: throw error
        }
      }
      state.withLock { $0.known[message.conversation] = members }
      return members
    }

    /// Whether a conversation has exactly the members that the message names. The first account to create a
    /// conversation chooses its members, and could otherwise read messages meant for others. Once the members have
    /// matched on this connection, your administration may change them.
    func isMeant(by message: OutgoingMessage, members: [UserID]) -> Bool {
      state.withLock { state in
        guard !message.members.isEmpty, !state.meant.contains(message.conversation) else { return true }
        guard Set(message.members) == Set(members) else { return false }
        state.meant.insert(message.conversation)
        return true
      }
    }
  }
#endif
