import Foundation
import Holdfast
import Observation

/// The demo's built-in assistant. It writes answers into a conversation of its own, one token at a time, in the
/// phone's process. When that process is killed, the answer is cut off, like an answer that comes over the app's
/// connection.
@MainActor final class Assistant {
  static let title = "Assistant (built in)"
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

  /// Writes the queued answers until the task is cancelled. A question that was asked just before a kill is the
  /// last message, and is answered now.
  func run() async {
    if let last = timeline.snapshot.rows.last, last.role == .user, last.isMine {
      await answer(last.text, id: last.id)
    }
    await withDiscardingTaskGroup { group in
      group.addTask { await self.timeline.run() }
      for await job in jobs { await write(job) }
    }
  }

  func answer(_ question: String, id: MessageID) async {
    // Without a stored reply there is no answer. The question stays in the conversation, and can be asked again.
    guard
      let reply = try? await client.conversation(conversation).beginReply(
        as: name, answering: RequestID(rawValue: "answer-\(id)"))
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

  /// The responder for the question of a reply: the user's last message before the reply.
  private func responder(for reply: MessageID) -> Responder {
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
