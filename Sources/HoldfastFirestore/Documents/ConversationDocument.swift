#if Firestore
  import HoldfastCore
  import HoldfastTransport

  /// A conversation as a Firestore document: `conversations/ID`.
  struct ConversationDocument: Sendable, Hashable {
    var id: ConversationID
    var title: String?
    var members: [UserID]
    /// The earlier IDs of the conversation, set by your administration.
    var earlierIDs: [ConversationID]
    /// The reason why the conversation accepts no messages, set by your administration.
    var refusal: String?
    /// Whether your administration has deleted the conversation for everyone.
    var isRemoved: Bool

    var takesMessages: Bool { !isRemoved && refusal == nil }

    /// Nil when the document is not a conversation.
    init?(_ document: FSDocument) {
      guard let id = document.id.text, let members = document.fields["members"]?.strings else { return nil }
      self.id = ConversationID(rawValue: id)
      self.members = members.map(UserID.init(rawValue:))
      title = document.fields["title"]?.string
      earlierIDs = (document.fields["earlierIDs"]?.strings ?? []).map(ConversationID.init(rawValue:))
      refusal = document.fields["refusal"]?.string
      isRemoved = document.fields["removedAt"] != nil
    }

    var item: IncomingItem {
      guard !isRemoved else { return .removed(id) }
      let reason = refusal.map { FailureReason(.conversationRefused, String($0.prefix(300))) }
      return .conversation(
        IncomingConversation(
          id: id, title: title, members: members, earlierIDs: earlierIDs, refusal: reason))
    }

    /// Creates the conversation of a message, unless it exists. A title that exceeds the rules' limit is cut.
    static func creation(
      for message: OutgoingMessage, members: [UserID], in database: FirestoreDatabase
    ) -> FSWrite {
      var fields = ["members": FSValue.strings(members.map(\.rawValue))]
      fields["title"] = message.title.map { .string($0.cut(toBytes: ConversationTitle.maximumBytes)) }
      return FSWrite.with {
        $0.update.name = database.document(
          DocumentID(of: message.conversation.rawValue), in: .conversations)
        $0.update.fields = fields
        $0.currentDocument.exists = false
        $0.updateTransforms = [.requestTime("createdAt"), .requestTime("changedAt")]
      }
    }
  }

  extension FSDocumentTransform.FieldTransform {
    /// Sets a field to the server's time of the request.
    static func requestTime(_ field: String) -> Self {
      .with {
        $0.fieldPath = field
        $0.setToServerValue = .requestTime
      }
    }
  }
#endif
