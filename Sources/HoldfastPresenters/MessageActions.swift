import Holdfast
import Observation

/// Carries out the user's choices on the messages of one conversation, one after the other. A view reports the
/// choice, and shows the result: a sheet, a question, a problem.
@MainActor @Observable package final class MessageActions {
  /// Writes a reply with the app's model: continues it, retries it, or regenerates it.
  package typealias Writer =
    @MainActor (_ kind: MessageAction.Kind, _ message: MessageID) async throws -> Void

  /// The message that a sheet explains. Nil when no such sheet is open.
  package var info: MessageID? { didSet { onInfo(info) } }
  /// Called when the presented sheet changes, so that the window can restore it.
  @ObservationIgnored var onInfo: (MessageID?) -> Void = { _ in }
  /// The reason why the last choice could not be carried out. Nil once another one was carried out.
  package var problem: ChatError? { actionQueue.problem ?? held.problem }
  /// The question about held messages, which a choice may ask for.
  @ObservationIgnored package let held: HeldModel

  @ObservationIgnored private let client: ChatClient
  @ObservationIgnored private let composer: ComposerModel
  @ObservationIgnored private let writer: Writer?
  @ObservationIgnored package let actionQueue = ActionQueue()

  /// - Parameters:
  ///   - composer: the composer of the conversation. It gets the texts that are edited, and the message that is
  ///     answered.
  ///   - writer: nil when this app writes no replies. A view then shows no such action.
  package init(_ composer: ComposerModel, writer: Writer? = nil) {
    (client, self.composer, self.writer) = (composer.client, composer, writer)
    held = HeldModel(composer.client)
  }

  /// Carries out a choice, or adds it for ``run()``.
  package func choose(_ kind: MessageAction.Kind, on message: MessageID) {
    switch kind {
    case .reply: composer.reply(to: message)
    case .beginEdit: composer.beginEdit(message)
    case .info: info = message
    case .decide: held.isWanted = true
    default:
      let (handle, writer) = (client.message(message), writer)
      actionQueue.add { try await Self.perform(kind, on: handle, writer: writer) }
    }
  }

  /// Adds a reaction of this user, or removes it.
  package func react(_ value: String, isOn: Bool, to message: MessageID) {
    actionQueue.attempt { () throws(ChatError) in
      if isOn {
        try client.message(message).react(value)
      } else {
        try client.message(message).unreact(value)
      }
    }
  }

  /// Fetches a file that is on the server alone.
  package func download(_ file: ChatAttachment.Checksum) {
    actionQueue.add { [client] in try await client.download(file) }
  }

  /// Carries out the choices, and follows the held messages, until the task is cancelled.
  package func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.actionQueue.run() }
      group.addTask { await self.held.run() }
    }
  }

  /// Carries out a choice that needs no view. Does nothing for others.
  package static func perform(
    _ kind: MessageAction.Kind, on message: MessageHandle, writer: Writer? = nil
  ) async throws {
    switch kind {
    case .retry: try await message.retry()
    case .cancel: try await message.cancel()
    case .takeBack: try await message.takeBack()
    case .delete: try message.delete()
    case .stopReply: try await message.stopReply()
    case .keepEarlierReply: try message.keepEarlierReply()
    case .restoreReply:
      if let earlier = try message.versions().first { try message.restoreVersion(earlier.id) }
    case .continueReply, .retryReply, .regenerateReply: try await writer?(kind, message.id)
    case .reply, .beginEdit, .info, .decide: break
    }
  }
}
