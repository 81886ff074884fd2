import Holdfast

extension TransportConformance {
  /// A fault of the server, which a backend makes on request. Faults at a transport's boundary are made by
  /// ``FaultyTransport``, for every backend.
  public enum Fault: Sendable, Hashable {
    /// The next messages are rejected permanently, each by itself.
    case rejections(Int)
    /// The next messages fail once, as with an error 500 that concerns one message. The server does not have them.
    case transientRefusals(Int)
    /// No message is accepted for this time, and each sender gets the remaining time, as with an error 429.
    case busy(Duration)
    /// The next messages are refused because this account may not write in their conversation.
    case refusedConversations(Int)
    /// The next transmissions are carried out, and the connection ends before the response.
    case lostAnswers(Int)
    /// The account's credentials are invalid for new connections and requests. An open connection may stay open.
    /// ``ConformanceBackend/behave()`` renews them.
    case expiredCredentials(UserID)
    /// The server gives a conversation another ID, and notifies its members.
    case renamedConversation(ConversationID, to: ConversationID)
    /// The server removes a conversation, and notifies its members.
    case removedConversation(ConversationID)
    /// The network to the server fails, for every connection. ``ConformanceBackend/behave()`` ends it, and throws if
    /// the fault had nothing to strike.
    case network(NetworkFault)

    /// The kinds of faults.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// The server is killed, and restarted on the same data.
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
  /// The fault as a verb phrase, for the sentence "The backend cannot …".
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
