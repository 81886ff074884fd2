#if Firestore
  import HoldfastCore
  import HoldfastTransport
  import Synchronization

  /// The members of conversations, as far as this connection has been told. Each message names them, so that one query
  /// finds all messages of an account.
  final class FirestoreConversations: Sendable {
    private let client: FirestoreClient
    private let known = Mutex<[ConversationID: [UserID]]>([:])

    init(_ client: FirestoreClient) { self.client = client }

    func note(_ items: [IncomingItem]) {
      known.withLock { known in
        for case .conversation(let conversation) in items { known[conversation.id] = conversation.members }
      }
    }

    /// The members, read if they are not known. Nil when the conversation does not exist, takes no messages, or is
    /// not this account's.
    ///
    /// - Parameter isFresh: whether what is known may be out of date.
    func members(of conversation: ConversationID, isFresh: Bool = false) async throws -> [UserID]? {
      if !isFresh, let members = known.withLock({ $0[conversation] }) { return members }
      let name = client.database.document(DocumentID(of: conversation.rawValue), in: .conversations)
      let found: FSDocument?
      do {
        found = try await client.documents([name])[name]
      } catch  where FirestoreVerdict(error) == .denied {
        found = nil
      }
      let document = found.flatMap(ConversationDocument.init).flatMap { $0.takesMessages ? $0 : nil }
      known.withLock { $0[conversation] = document?.members }
      return document?.members
    }

    /// Creates the conversation of a message that names members, unless it exists.
    func create(for message: OutgoingMessage) async throws -> [UserID]? {
      if let members = known.withLock({ $0[message.conversation] }) { return members }
      do {
        _ = try await client.commit([ConversationDocument.creation(for: message, in: client.database)])
      } catch {
        // It exists, or it may not be created so: then it is somebody else's, or its members do not include this account.
        switch FirestoreVerdict(error) {
        case .alreadyThere, .denied: return try await members(of: message.conversation, isFresh: true)
        default: throw error
        }
      }
      known.withLock { $0[message.conversation] = message.members }
      return message.members
    }
  }
#endif
