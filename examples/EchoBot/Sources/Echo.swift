import Holdfast
import ServiceLifecycle

/// A bot that answers each message once, whatever happens to it. Kill it at any moment and start it again: no
/// message is left without an answer, and none gets two.
///
/// Two things make that true, and both are the engine's:
/// - The received messages are stored together with the place up to which the bot has received, in one transaction.
/// - An answer's ID follows from the ID of the message that it answers, and a message is sent once under one ID. So
///   the bot need not remember what it has done: it may answer everything again, and nothing happens.
///
/// Each answer names its question as the request that it answers. An app that marks its question with
/// `beginProcessing(_:)`, under the ID of the message, has the mark taken away by the answer.
struct Echo: Service {
  let client: ChatClient

  func run() async throws {
    // One round at the start, for messages that came before the bot was killed, and one after each change.
    for await list in client.conversations().cancelOnGracefulShutdown() {
      for conversation in list.rows { try await answerAll(in: conversation.id) }
    }
  }

  private func answerAll(in conversation: ConversationID) async throws {
    for question in await unanswered(in: conversation) {
      try client.conversation(conversation).sendOnce(
        MessageContent(question.text, request: RequestID(rawValue: question.id.rawValue)),
        id: Self.answerID(to: question.id))
    }
  }

  /// The messages of others that have no answer yet, oldest first. The search goes back until it finds an answered
  /// message: answers are given in order, so all earlier messages have theirs.
  private func unanswered(in conversation: ConversationID) async -> [MessageRow] {
    var limit = 100
    while let snapshot = await client.conversation(conversation).timeline(limit: limit).first(where: { _ in
      true
    }) {
      let here = Set(snapshot.rows.map(\.id))
      let questions = snapshot.rows.filter(isQuestion)
      let open = questions.filter { !here.contains(Self.answerID(to: $0.id)) }
      if open.count < questions.count || !snapshot.hasOlder { return open }
      limit *= 2
    }
    return []
  }

  /// Whether a message is to be answered. Another bot's answer is not, or the two would talk for ever. A text that
  /// is still being written has no answer yet.
  private func isQuestion(_ row: MessageRow) -> Bool {
    !row.isMine && row.status.isComplete && !row.id.rawValue.hasSuffix(Self.suffix)
  }

  private static let suffix = "-echo"

  /// The ID of the answer to a message. It is made from 200 bytes at most, because an ID has 255 bytes at most.
  private static func answerID(to question: MessageID) -> MessageID {
    MessageID(rawValue: String(decoding: question.rawValue.utf8.prefix(200), as: UTF8.self) + suffix)
  }
}
