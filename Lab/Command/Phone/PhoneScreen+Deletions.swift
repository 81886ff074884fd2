import Holdfast
import HoldfastPresenters

/// The intents that delete conversations (rule H5).
extension PhoneScreen {
  func delete(_ intent: PhoneIntent, in window: PhoneWindow) async {
    let id = intent.conversation.map(ConversationID.init(rawValue:))
    switch intent.type {
    case .deleteConversation: if let id { await attempt { try await client.conversation(id).delete() } }
    case .undoDeletion: if let id { await attempt { try await client.conversation(id).undoDeletion() } }
    case .undoEmptying: if let id { await attempt { try await client.conversation(id).undoEmptying() } }
    case .askDeleteAll: await attempt { window.deletion = try client.deletionQuestion() }
    case .askEmpty:
      if let id { await attempt { window.deletion = try client.conversation(id).emptyingQuestion() } }
    default:
      guard let question = window.deletion else { return }
      window.close()
      do {
        try await question.carryOut(on: client)
      } catch {
        await attempt {
          if error.code == .confirmationOutdated { window.deletion = try client.deletionQuestion() }
        }
        await attempt { throw error }
      }
    }
  }
}
