import Foundation
import Holdfast
import Observation

/// The demo's built-in assistant. It writes answers into a conversation of its own, one token at a time, in the
/// phone's process. When that process is killed, the answer is cut off, like an answer that comes over the app's
/// connection.
///
/// In a conversation with people it answers the other members, who begin their questions with ``call``. Their phones
/// wait for the answer as for that of any backend, and ask the relay about it after a kill (SPEC P1).
@MainActor final class Assistant {
  static let title = "Assistant (built in)"
  static let call = "@assistant"
  /// The delay before each token: as slow as a model, so that there is time to kill the app.
  private static let pace: Duration = .milliseconds(80)

  private struct Job: Sendable {
    var reply: ReplyHandle
    var tokens: [Responder.Token]
  }

  let conversation: ConversationID
  /// The member in whose name the replies are written.
  private let name: UserID
  private let client: ChatClient
  private let environment: ChatEnvironment
  private let timeline: ConversationModel
  /// The timelines of the conversations with people.
  private var attended: [ConversationModel] = []
  private var answered: Set<MessageID> = []
  private let jobs: AsyncStream<Job>
  private let willWrite: AsyncStream<Job>.Continuation

  init(_ client: ChatClient, environment: ChatEnvironment) throws {
    self.client = client
    self.environment = environment
    name = .assistant("assistant", of: client.user)
    conversation = ConversationID(rawValue: "assistant-\(client.user)")
    try client.createConversation(conversation, title: Self.title, members: [name])
    timeline = ConversationModel(client, conversation)
    (jobs, willWrite) = AsyncStream.makeStream()
  }

  /// Whether a message asks the assistant of another member.
  static func isCalled(by text: String) -> Bool { text.lowercased().hasPrefix(call) }

  /// Answers the other members of a conversation from ``run()`` on.
  func attend(_ conversation: ConversationID) { attended.append(ConversationModel(client, conversation)) }

  /// Writes the queued answers until the task is cancelled. A question that was asked just before a kill is the
  /// last message, and is answered now.
  func run() async {
    if let last = timeline.snapshot.rows.last, last.role == .user, last.isMine {
      await answer(last.text, id: last.id)
    }
    await withDiscardingTaskGroup { group in
      group.addTask { await self.timeline.run() }
      for timeline in attended {
        group.addTask { await timeline.run() }
        group.addTask { await self.followQuestions(in: timeline) }
      }
      for await job in jobs { await write(job) }
    }
  }

  private func followQuestions(in timeline: ConversationModel) async {
    let changed = Signal()
    while !Task.isCancelled {
      let newest = withObservationTracking {
        timeline.snapshot.rows.last
      } onChange: {
        changed.raise()
      }
      if let newest, newest.role == .user, !newest.isMine, Self.isCalled(by: newest.text),
        answered.insert(newest.id).inserted
      {
        await answer(
          newest.text, as: RequestID(rawValue: newest.id.rawValue), in: timeline.snapshot.id)
      }
      await changed.wait()
    }
  }

  func answer(_ question: String, id: MessageID) async {
    await answer(question, as: RequestID(rawValue: "answer-\(id)"), in: conversation)
  }

  private func answer(
    _ question: String, as request: RequestID, in conversation: ConversationID
  ) async {
    // Without a stored reply there is no answer. The question stays in the conversation, and can be asked again.
    guard
      let reply = try? await client.conversation(conversation).beginReply(
        as: name, answering: request)
    else { return }
    let responder = Responder(question: question)
    if let failure = responder.failure {
      // A reply whose failure cannot be stored is cut off by the next launch.
      try? await reply.fail(failure)
    } else {
      willWrite.yield(Job(reply: reply, tokens: responder.tokens))
    }
  }

  func continueReply(_ id: MessageID) async throws {
    let reply = try await client.message(id).continueReply()
    let tokens = responder(for: id).tokens(behind: reply.textSoFar, reasoning: reply.reasoningSoFar)
    willWrite.yield(Job(reply: reply, tokens: tokens))
  }

  func retryReply(_ id: MessageID) async throws {
    let reply = try await client.message(id).retryReply()
    willWrite.yield(Job(reply: reply, tokens: responder(for: id).tokens))
  }

  /// The responder for the question of a reply: the user's last message before the reply, or in a conversation with
  /// people the last call.
  private func responder(for reply: MessageID) -> Responder {
    for attended in attended {
      let rows = attended.snapshot.rows
      guard let index = rows.firstIndex(where: { $0.id == reply }) else { continue }
      return Responder(question: rows[..<index].last { Self.isCalled(by: $0.text) }?.text ?? "")
    }
    let before = timeline.snapshot.rows.prefix { $0.id != reply }
    return Responder(question: before.last { $0.role == .user }?.text ?? "")
  }

  private func write(_ job: Job) async {
    do {
      for token in job.tokens {
        try await environment.sleep(environment.uptime() + Self.pace)
        try await job.reply.append(token.text, reasoning: token.reasoning)
      }
      try await job.reply.finish()
    } catch {
      // The row says that the reply is interrupted, and offers what can be done.
      try? await job.reply.interrupt()
    }
  }
}
