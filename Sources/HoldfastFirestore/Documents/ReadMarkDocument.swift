#if Firestore
  import HoldfastCore
  import HoldfastTransport

  /// A member's read mark as a Firestore document: `readMarks/CONVERSATION~READER`.
  enum ReadMarkDocument {
    /// The ID of a mark. A `~` in one of its parts is escaped, so that each ID belongs to one mark.
    ///
    /// - Parameter conversation: the ID of the conversation's document.
    static func id(of reader: UserID, in conversation: DocumentID) -> DocumentID {
      let reader = reader.rawValue.replacing("%", with: "%25").replacing("/", with: "%2F")
      return DocumentID(
        rawValue: [conversation.rawValue, reader].map { $0.replacing("~", with: "%7E") }.joined(
          separator: "~"))
    }

    /// The mark in a document. Its fields name the reader, and not its ID: an earlier version escaped no `~`, and
    /// the rules have always compared the fields with the account.
    static func mark(_ document: FSDocument) -> IncomingItem.ReadMark? {
      let fields = document.fields
      guard let conversation = fields["conversation"]?.string,
        let name = DocumentID(rawValue: conversation).text, let reader = fields["reader"]?.string,
        let message = fields["message"]?.string
      else { return nil }
      let order = fields["order"]?.integer ?? 0
      return IncomingItem.ReadMark(
        conversation: ConversationID(rawValue: name), reader: UserID(rawValue: reader),
        message: MessageID(rawValue: message), order: order > 0 ? order : nil)
    }

    /// Moves the mark of an account. The rules allow only forward moves.
    static func write(
      _ mark: IncomingItem.ReadMark, by account: UserID, members: [UserID], in database: FirestoreDatabase
    ) -> FSWrite {
      let conversation = DocumentID(of: mark.conversation.rawValue)
      return FSWrite.with {
        $0.update.name = database.document(id(of: account, in: conversation), in: .readMarks)
        $0.update.fields = [
          "conversation": .string(conversation.rawValue), "reader": .string(account.rawValue),
          "message": .string(mark.message.rawValue), "order": .integer(mark.order ?? 0),
          "members": .strings(members.map(\.rawValue)),
        ]
        $0.updateTransforms = [.requestTime("changedAt")]
      }
    }
  }
#endif
