import Holdfast

extension TransportConformance {
  /// A fault of the server, which a backend makes on request. Faults at a transport's border are made by
  /// ``FaultyTransport``, for every backend.
  public enum Fault: Sendable, Hashable {
    /// The next messages are refused for good, each by itself.
    case rejections(Int)
    /// The next messages fail this time, as with an error 500 that concerns one message. The server does not have them.
    case transientRefusals(Int)
    /// No message is taken for this time, and each sender is told how long it lasts, as with an error 429.
    case busy(Duration)
    /// The next messages are refused because this account may not write in their conversation.
    case refusedConversations(Int)
    /// The next hand-overs are carried out, and the connection ends before the answer.
    case lostAnswers(Int)
    /// The account's credentials are no longer good for new connections and requests. A connection that is open may stay open.
    /// ``ConformanceBackend/behave()`` renews them.
    case expiredCredentials(UserID)
    /// The server gives a conversation another ID, and tells its members.
    case renamedConversation(ConversationID, to: ConversationID)
    /// The server removes a conversation, and tells its members.
    case removedConversation(ConversationID)
    /// The way to the server fails, for every connection. ``ConformanceBackend/behave()`` ends it, and throws if nothing
    /// came that the fault could strike.
    case network(NetworkFault)

    /// The kinds of faults.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// The server is killed, and started again on the same data.
      case kill
      /// The fault of this name.
      case rejections, transientRefusals, busy, refusedConversations, lostAnswers, expiredCredentials
      /// The fault of this name.
      case renamedConversation, removedConversation, network
    }

    /// The kind of the fault.
    public var kind: Kind {
      switch self {
      case .rejections: .rejections
      case .transientRefusals: .transientRefusals
      case .busy: .busy
      case .refusedConversations: .refusedConversations
      case .lostAnswers: .lostAnswers
      case .expiredCredentials: .expiredCredentials
      case .renamedConversation: .renamedConversation
      case .removedConversation: .removedConversation
      case .network: .network
      }
    }
  }
}

extension TransportConformance.Fault.Kind {
  /// What the backend does, for the sentence "The backend cannot …".
  var deed: String {
    switch self {
    case .kill: "be killed and started again"
    case .rejections: "refuse a message on request"
    case .transientRefusals: "fail a message once on request"
    case .busy: "ask for patience on request"
    case .refusedConversations: "refuse a conversation on request"
    case .lostAnswers: "lose an answer on request"
    case .expiredCredentials: "let credentials expire"
    case .renamedConversation: "give a conversation another ID"
    case .removedConversation: "remove a conversation"
    case .network: "make the network fail"
    }
  }
}
