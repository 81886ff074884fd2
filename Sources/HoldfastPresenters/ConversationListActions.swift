import Holdfast
import Observation

/// Carries out the user's choices in the list of conversations. A view reports the choice, and shows the question.
@MainActor @Observable package final class ConversationListActions {
  /// The question before something is deleted permanently. Nil without a question.
  package var question: DeletionQuestion?
  /// The conversation that gets another title. Nil: none.
  package private(set) var renamed: ConversationListSnapshot.Row?
  /// The title in the field while a conversation gets another one.
  package var newTitle = ""
  /// The reason why the last choice could not be carried out. Nil once another one was carried out.
  package var problem: ChatError? { actionQueue.problem }

  @ObservationIgnored private let client: ChatClient
  @ObservationIgnored private let actionQueue = ActionQueue()

  package init(_ client: ChatClient) { self.client = client }

  /// The label of the button that answers yes.
  package var confirmation: ChatConfiguration.ShownText.Button {
    question?.isEmptying == true ? .empty : .delete
  }

  /// Deletes a conversation. The list shows an Undo button.
  package func delete(_ conversation: ConversationID) {
    actionQueue.add { [client] in try await client.conversation(conversation).delete() }
  }

  /// Asks for another title of a conversation.
  package func askRename(_ row: ConversationListSnapshot.Row) { (renamed, newTitle) = (row, row.title) }

  /// Gives the conversation the title in the field. An empty one brings the automatic title back.
  package func rename() {
    guard let conversation = renamed else { return }
    actionQueue.attempt { () throws(ChatError) in try client.conversation(conversation.id).setTitle(newTitle)
    }
    cancelRename()
  }

  /// Leaves the title as it is.
  package func cancelRename() { (renamed, newTitle) = (nil, "") }

  /// Undoes a deletion or an emptying.
  package func undo(_ deletion: ConversationListSnapshot.Undoable) {
    let conversation = client.conversation(deletion.id)
    actionQueue.add {
      if deletion.isEmptied {
        try await conversation.undoEmptying()
      } else {
        try await conversation.undoDeletion()
      }
    }
  }

  /// Asks whether to delete all conversations, permanently.
  package func askDeleteAll() {
    actionQueue.attempt { () throws(ChatError) in question = try client.deletionQuestion() }
  }

  /// Asks whether to clear the messages of a conversation.
  package func askEmpty(_ conversation: ConversationID) {
    actionQueue.attempt { () throws(ChatError) in
      question = try client.conversation(conversation).emptyingQuestion()
    }
  }

  /// Carries out what was asked about. When more would be deleted by now than the question stated, it asks again.
  package func confirm() {
    guard let asked = question else { return }
    question = nil
    actionQueue.add { [self, client] in
      do {
        try await asked.carryOut(on: client)
      } catch let error as ChatError where error.code == .confirmationOutdated {
        question = try client.deletionQuestion()
        throw error
      }
    }
  }

  /// Carries out the choices, until the task is cancelled.
  package func run() async { await actionQueue.run() }
}

extension DeletionQuestion {
  /// Carries out what was asked about, and no more.
  package func carryOut(on client: ChatClient) async throws(ChatError) {
    if isEmptying, let conversation {
      try await client.conversation(conversation).empty()
    } else {
      try await client.deleteAllConversations(confirmedBy: self)
    }
  }
}
