#if Firestore
  import Foundation
  import HoldfastCore
  import HoldfastTransport
  import SwiftProtobuf

  /// A message as a Firestore document: `messages/ID`.
  enum MessageDocument {
    /// The message in a document. Nil when this transport cannot read it.
    static func message(_ document: FSDocument) -> IncomingMessage? {
      let fields = document.fields
      guard let id = document.id.text, let conversation = fields["conversation"]?.string,
        let name = DocumentID(rawValue: conversation).text, let sender = fields["sender"]?.string,
        let sentAt = fields["sentAt"]?.time
      else { return nil }
      return IncomingMessage(
        id: MessageID(rawValue: id), conversation: ConversationID(rawValue: name),
        sender: UserID(rawValue: sender),
        role: fields["role"]?.string.flatMap(MessageRole.init(rawValue:)) ?? .user, content: content(fields),
        order: order(sentAt: sentAt, number: fields["n"]?.integer ?? 0, id: id), createdAt: sentAt.date,
        // An unchanged message has revision 0.
        revision: document.updateTime == document.createTime ? 0 : document.updateTime.microseconds,
        editedAt: fields["editedAt"]?.time?.date, deletedAt: fields["deletedAt"]?.time?.date,
        reactions: reactions(fields["reactions"]?.map ?? [:]))
    }

    /// The order of a message: its time in milliseconds, its number in its commit (7 bits), and 11 bits of its ID,
    /// so that messages of one millisecond have the same order on every device. Below 2^60 until 2109.
    ///
    /// Firestore's times of requests have milliseconds
    /// ([`REQUEST_TIME`](https://firebase.google.com/docs/firestore/reference/rest/v1/Write#ServerValue)).
    static func order(sentAt: Google_Protobuf_Timestamp, number: Int64, id: String) -> Int64 {
      let milliseconds = sentAt.microseconds / 1000
      // FNV-1a, which is the same on every device.
      let hash = id.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
      return milliseconds << 18 | (number & 0x7F) << 11 | Int64(hash >> 21)
    }

    /// The time in an order, in milliseconds since 1970.
    static func milliseconds(of order: Int64) -> Int64 { order >> 18 }
    /// The number in its commit, in an order.
    static func number(of order: Int64) -> Int64 { order >> 11 & 0x7F }

    /// Creates a message, unless its ID exists.
    ///
    /// - Parameters:
    ///   - members: the members of the conversation.
    ///   - number: the message's number in its commit.
    static func creation(
      of message: OutgoingMessage, by account: UserID, members: [UserID], number: Int,
      in database: FirestoreDatabase
    ) -> FSWrite {
      var fields = fields(of: message.content)
      fields["conversation"] = .string(DocumentID(of: message.conversation.rawValue).rawValue)
      fields["members"] = .strings(members.map(\.rawValue))
      fields["sender"] = .string((message.sender ?? account).rawValue)
      fields["role"] = .string(message.role.rawValue)
      fields["n"] = .integer(Int64(number))
      return FSWrite.with {
        $0.update.name = name(of: message.id, in: database)
        $0.update.fields = fields
        $0.currentDocument.exists = false
        $0.updateTransforms = [.requestTime("sentAt"), .requestTime("changedAt")]
      }
    }

    /// Carries out an operation on an existing message.
    ///
    /// - Parameter members: the present members of the conversation. They are written into the message, so that no
    ///   query of a removed member finds changes after his removal.
    static func change(
      _ message: OutgoingMessage, _ operation: MessageOperation, by account: UserID, members: [UserID],
      in database: FirestoreDatabase
    ) -> FSWrite {
      FSWrite.with { write in
        write.update.name = name(of: operation.target, in: database)
        write.currentDocument.exists = true
        write.updateTransforms = [.requestTime("changedAt")]
        switch operation.kind {
        case .edit:
          // A field in the mask that the document does not have is removed.
          let content =
            operation.isWhole
            ? message.content : MessageContent(message.text, formatting: message.formatting)
          write.update.fields = fields(of: content)
          write.updateMask.fieldPaths = operation.isWhole ? wholeEditFields : ["text", "formatting"]
          write.updateTransforms.append(.requestTime("editedAt"))
        case .delete:
          write.update.fields = ["text": .string("")]
          write.updateMask.fieldPaths = contentFields + ["reactions"]
          write.updateTransforms.append(.requestTime("deletedAt"))
        case .react, .unreact:
          write.updateTransforms.append(
            .with {
              $0.fieldPath = fieldPath("reactions", account.rawValue)
              let value = FSArrayValue.with { $0.values = [.string(message.text)] }
              if operation.kind == .react {
                $0.appendMissingElements = value
              } else {
                $0.removeAllFromArray = value
              }
            })
        }
        write.update.fields["members"] = .strings(members.map(\.rawValue))
        write.updateMask.fieldPaths.append("members")
      }
    }

    static func name(of id: MessageID, in database: FirestoreDatabase) -> String {
      database.document(DocumentID(of: id.rawValue), in: .messages)
    }

    private static let wholeEditFields = ["text", "formatting", "reasoning", "metadata", "images", "videos"]
    private static let contentFields = [
      "text", "formatting", "reasoning", "replyTo", "request", "metadata", "images", "videos",
    ]

    private static func fields(of content: MessageContent) -> [String: FSValue] {
      var fields = ["text": FSValue.string(content.text)]
      fields["formatting"] = content.formatting.map(FSValue.bytes)
      fields["reasoning"] = content.reasoning.map(FSValue.string)
      fields["replyTo"] = content.replyTo.map { .string($0.rawValue) }
      fields["request"] = content.request.map { .string($0.rawValue) }
      fields["metadata"] = content.metadata.map(FSValue.bytes)
      if !content.images.isEmpty { fields["images"] = .strings(content.images) }
      if !content.videos.isEmpty { fields["videos"] = .strings(content.videos) }
      return fields
    }

    private static func content(_ fields: [String: FSValue]) -> MessageContent {
      MessageContent(
        fields["text"]?.string ?? "", formatting: fields["formatting"]?.bytes,
        reasoning: fields["reasoning"]?.string,
        replyTo: fields["replyTo"]?.string.map(MessageID.init(rawValue:)),
        request: fields["request"]?.string.map(RequestID.init(rawValue:)),
        metadata: fields["metadata"]?.bytes,
        images: fields["images"]?.strings ?? [], videos: fields["videos"]?.strings ?? [])
    }

    /// The reactions, ordered by the members' IDs, because Firestore keeps no order among them.
    private static func reactions(_ map: [String: FSValue]) -> [IncomingMessage.Reaction] {
      map.sorted { $0.key < $1.key }.flatMap { sender, values in
        (values.strings ?? []).map { IncomingMessage.Reaction($0, from: UserID(rawValue: sender)) }
      }
    }
  }
#endif
