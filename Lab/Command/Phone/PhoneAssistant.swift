import Foundation
import Holdfast
import HoldfastAssistant
import HoldfastPresenters
import Observation

/// The demo's assistant: a member that answers in conversations of its own, in the phone's process. When that
/// process is killed, the answer is cut off, like an answer over the app's connection.
///
/// In a conversation with people it answers the other members, who begin their questions with ``call``. Their phones
/// wait for the answer as for that of any backend, and query the relay about it after a kill (rule P1).
@MainActor final class PhoneAssistant {
  nonisolated static let call = "@assistant"

  /// The first conversation of its own.
  let conversation: ConversationID
  private let client: ChatClient
  private let assistant: Assistant
  /// The demo's own model. Nil if a model server answers.
  private let builtIn: ResponderModel?
  /// The timelines of the conversations with people.
  private var attended: [ConversationModel] = []
  private var answered: Set<MessageID> = []

  /// - Parameter model: the model that answers. Nil: the built-in one.
  init(_ client: ChatClient, model: CompletionModel?, environment: ChatEnvironment) throws {
    self.client = client
    let responder = ResponderModel(environment)
    builtIn = model == nil ? responder : nil
    assistant = Assistant(client, "assistant", model: model ?? responder)
    conversation = ConversationID(rawValue: "assistant-\(client.user)")
    try client.createConversation(
      conversation, title: "Assistant (\(model?.name ?? "built in"))", members: [assistant.member])
  }

  /// Whether a message asks the assistant of another member.
  static func isCalled(by text: String) -> Bool { text.lowercased().hasPrefix(call) }

  /// Answers the other members of a conversation from ``run()`` on.
  func attend(_ conversation: ConversationID) { attended.append(ConversationModel(client, conversation)) }

  /// Writes the answers until the task is cancelled.
  func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { [assistant] in await assistant.run() }
      for timeline in attended {
        group.addTask { await timeline.run() }
        group.addTask { await self.followQuestions(in: timeline) }
      }
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
        // Without a stored reply there is no answer. The question stays in the conversation, and can be asked again.
        _ = try? await assistant.answer(newest.id, in: timeline.snapshot.id)
      }
      await changed.wait()
    }
  }

  /// Continues, restarts or regenerates a reply.
  func write(_ kind: MessageAction.Kind, _ id: MessageID) async throws {
    switch kind {
    case .continueReply: try await assistant.continueAnswer(id)
    case .regenerateReply: try await assistant.regenerate(id)
    default:
      builtIn?.excuse()
      try await assistant.retry(id)
    }
  }

  func stopReply(_ id: MessageID) async throws { try await assistant.stop(id) }

  /// Makes another conversation with the assistant. Its first question becomes its title.
  func beginChat() throws -> ConversationID {
    try client.createConversation(members: [assistant.member]).id
  }

  /// Whether the assistant is the only other member of a conversation.
  func isAlone(in row: ConversationListSnapshot.Row) -> Bool {
    row.members.contains(assistant.member) && row.members.allSatisfy { $0.account == client.user }
  }

  /// Asks the text in the composer of one of the assistant's conversations. Returns whether it was asked.
  func ask(_ composer: ComposerModel, in conversation: ConversationID) async -> Bool {
    guard let reply = await composer.ask(assistant.member, takesFiles: false) else { return false }
    await assistant.write(reply, in: conversation)
    return true
  }
}
