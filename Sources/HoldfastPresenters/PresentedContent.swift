import Holdfast

/// The content in place of rows, or above them (rules V5, H7). A failed read never looks like an empty list.
package struct PresentedContent: Sendable, Codable, Hashable {
  /// Whether the rows have not been read yet: a skeleton is shown in their place.
  package var isLoading = false
  /// The heading of a failed read. Nil when the read succeeded.
  package var failure: String?
  /// The reason for the failure, in a sentence.
  package var reason: String?
  /// Whether there are no rows of an earlier read, so that the failure is shown alone.
  package var isAlone = false
  /// The text in place of rows: "No messages yet".
  package var note: String?
  /// The text above the first row: older messages load, could not be loaded, or were removed.
  package var above: String?
  /// The label of the button above the first row, which loads older messages. Nil when there are none to load, and
  /// while they are being loaded.
  package var olderLabel: String?
  /// Whether older messages load automatically when the reader comes near the first row.
  package var loadsOlder = false

  /// No content: the rows were read, and there are some.
  package init() {}

  /// The content of a timeline that has no rows to show, or not all.
  @MainActor package init(_ timeline: ConversationModel, _ texts: (ChatConfiguration.ShownText) -> String) {
    // An access of the rows reads them.
    guard !timeline.isLoading else {
      self.init()
      isLoading = true
      return
    }
    self.init(
      isLoading: false, problem: timeline.problem?.message, note: timeline.note,
      hasRows: !timeline.rowIDs.isEmpty, title: .messagesUnreadable, texts)
    above = timeline.noteAbove
    switch timeline.older {
    case .onDevice, .onServer: olderLabel = texts(.button(.earlierMessages))
    case .failed: olderLabel = texts(.button(.reload))
    case .loading, .offline, .removed, .none: break
    }
    loadsOlder = timeline.older == .onServer
  }

  /// The content of a list of conversations that has no rows to show, or not all.
  @MainActor package init(_ list: ConversationListModel, _ texts: (ChatConfiguration.ShownText) -> String) {
    guard !list.isLoading else {
      self.init()
      isLoading = true
      return
    }
    self.init(
      isLoading: false, problem: list.problem?.message, note: list.note, hasRows: !list.rows.isEmpty,
      title: .conversationsUnreadable, texts)
  }

  /// - Parameters:
  ///   - problem: the reason why the rows cannot be read. Nil when they were read.
  ///   - note: the text in place of rows, if there are none.
  ///   - title: the heading of a failed read.
  package init(
    isLoading: Bool, problem: String?, note: String?, hasRows: Bool, title: ChatConfiguration.ShownText,
    _ texts: (ChatConfiguration.ShownText) -> String
  ) {
    if isLoading {
      self.isLoading = true
    } else if let problem {
      (failure, reason, isAlone) = (texts(title), problem, !hasRows)
    } else {
      self.note = note
    }
  }
}
