import Foundation
import Holdfast
import HoldfastTransport

/// The declared capabilities of a transport (rule B7).
extension TransportConformance {
  static var declarations: [Case] {
    [
      Case("what is declared unsupported is refused by name, and nothing is stored", ["B7.2", "B7.3"]) {
        stage in
        let missing = MessageOperation.Kind.allCases.filter { !stage.capabilities.operations.contains($0) }
        let carriesFiles = stage.capabilities.carriesAttachments
        let dropped = TransportCapabilities.Field.allCases.filter { !stage.capabilities.fields.contains($0) }
        guard !missing.isEmpty || !dropped.isEmpty || !carriesFiles else {
          throw ConformanceSkip("The transport declares every operation, every field, and attachments.")
        }
        let (alice, bob, chat) = try await stage.pair()
        let id = try alice.say(in: chat)
        try await stage.delivered(on: alice)
        try await stage.sees(id, in: chat, bob)
        let before = try alice.rows(of: chat)
        for kind in missing {
          // Without a reaction, there is nothing to remove.
          if kind == .unreact { continue }
          try refuses(.unsupported) { try Self.carryOut(kind, on: id, by: alice) }
        }
        for field in dropped {
          let (content, code) = Self.content(with: field, answering: id)
          try refuses(code) { try alice.client.conversation(chat).send(content) }
        }
        if !carriesFiles {
          try refuses(.attachmentsUnsupported) { try alice.sendFile(ConformanceFile.small, in: chat) }
          try alice.client.drafts.edit("", in: chat)
        }
        try require(try alice.rows(of: chat) == before, "A refused intent changes no row.")
        try require(
          try alice.client.outbox.unsentCount() == 0, "A refused intent leaves nothing in the outbox.")
        try await alice.relaunch()
        try require(try alice.client.outbox.unsentCount() == 0, "A refused intent is not stored.")
      },
      Case(
        "a file that is too large is refused, and nothing is stored", ["O7.11", "B7.2"],
        needs: [.largestAttachment]
      ) {
        stage in
        let (alice, _, chat) = try await stage.pair()
        let file = try alice.sparseFile(bytes: (stage.capabilities.maximumAttachmentBytes ?? 0) + 1)
        try refuses(.attachmentTooLarge) { try alice.client.conversation(chat).attach(file) }
        try require(
          try alice.client.drafts.attachments(in: chat).isEmpty, "A refused file is not in the draft.")
        try alice.say(in: chat)
      },
    ]
  }

  /// A message with one field, and the code with which it is refused.
  private static func content(
    with field: TransportCapabilities.Field, answering message: MessageID
  ) -> (content: MessageContent, code: ChatError.Code) {
    switch field {
    case .reply: (MessageContent("an answer", replyTo: message), .repliesUnsupported)
    case .formatting: (MessageContent("bold", formatting: Data([1])), .formattingUnsupported)
    case .reasoning: (MessageContent("a reply", reasoning: "its reason"), .reasoningUnsupported)
    case .metadata: (MessageContent("a text", metadata: Data([1])), .metadataUnsupported)
    case .references: (MessageContent("a picture", images: ["a reference"]), .referencesUnsupported)
    }
  }

  private static func carryOut(
    _ kind: MessageOperation.Kind, on message: MessageID, by phone: ConformancePhone
  ) throws -> MessageID? {
    let handle = try phone.client.message(message)
    return switch kind {
    case .edit: try handle.edit(to: "another text")
    case .delete: try handle.delete()
    case .react: try handle.react("👍")
    case .unreact: try handle.unreact("👍")
    }
  }
}

extension ConformancePhone {
  /// A sparse file of zeros.
  fileprivate func sparseFile(bytes: Int64) throws -> URL {
    let url = folder.appendingPathComponent("sparse.bin")
    try Data().write(to: url)
    let file = try FileHandle(forWritingTo: url)
    defer { try? file.close() }
    try file.truncate(atOffset: UInt64(bytes))
    return url
  }
}
