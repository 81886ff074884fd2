import HoldfastCore

extension ConversationSnapshot: Localizable {
  package mutating func localize(with texts: (ChatConfiguration.ShownText) -> String) {
    for index in rows.indices { rows[index].localize(with: texts) }
    older.localize(with: texts)
    let above = older.note(texts)
    // The stored messages do not show whether others precede them.
    let isUnknown = exists && older.mayCome
    note =
      rows.isEmpty ? (isUnknown ? above : nil) ?? texts(exists ? .noMessages : .conversationNotFound) : nil
    noteAbove = rows.isEmpty && isUnknown ? nil : above
  }
}

extension ConversationSnapshot.OlderMessages {
  /// Whether the server may still give older messages.
  var mayCome: Bool {
    switch self {
    case .onServer, .loading, .offline, .failed: true
    case .onDevice, .removed, .none: false
    }
  }

  /// Whether a page was requested and has not arrived.
  var isAwaited: Bool { self == .loading || self == .offline }

  fileprivate func note(_ texts: (ChatConfiguration.ShownText) -> String) -> String? {
    switch self {
    case .loading: texts(.loadingHistory)
    case .offline: texts(.historyOffline)
    case .failed(let reason): reason.explanation
    case .removed: texts(.earlierRemoved)
    case .onDevice, .onServer, .none: nil
    }
  }

  fileprivate mutating func localize(with texts: (ChatConfiguration.ShownText) -> String) {
    guard case .failed(var reason) = self else { return }
    reason.localize(with: texts)
    self = .failed(reason)
  }
}

extension ConversationListSnapshot: Localizable {
  package mutating func localize(with texts: (ChatConfiguration.ShownText) -> String) {
    for index in rows.indices { rows[index].localize(with: texts) }
    for index in undoable.indices { undoable[index].localize(with: texts) }
    note = rows.isEmpty && !hasMore ? texts(.noConversations) : nil
  }
}

extension ConversationListSnapshot.Row: Localizable {
  package mutating func localize(with texts: (ChatConfiguration.ShownText) -> String) {
    switch excerptKind {
    case .message, .file, .draft: break
    case .empty: excerpt = texts(.nothingWritten)
    case .image: excerpt = texts(.image)
    case .video: excerpt = texts(.video)
    case .deleted: excerpt = texts(.messageDeleted)
    }
  }
}

extension ConversationListSnapshot.Undoable: Localizable {
  package mutating func localize(with texts: (ChatConfiguration.ShownText) -> String) {
    text = texts(isEmptied ? .conversationEmptied(title: title) : .conversationDeleted(title: title))
  }
}

extension ConnectionBanner: Localizable {
  package mutating func localize(with texts: (ChatConfiguration.ShownText) -> String) {
    text =
      switch kind {
      case .offline: texts(.offline(queued: queued))
      case .reconnecting: texts(.reconnecting)
      case .signedOut: texts(.signedOut)
      case .connected: texts(.connected)
      }
  }
}

extension ConnectionBanner.Progress: Localizable {
  package mutating func localize(with texts: (ChatConfiguration.ShownText) -> String) {
    text = texts(.sendingQueue(position: min(sent + 1, total), total: total))
  }
}

extension SceneNotice: Localizable {
  package mutating func localize(with texts: (ChatConfiguration.ShownText) -> String) {
    switch kind {
    case .conversationNotFound: text = texts(.conversationNotFound)
    }
  }
}

extension ChatError: Localizable {
  package mutating func localize(with texts: (ChatConfiguration.ShownText) -> String) {
    self = ChatError(code, texts(.error(self)))
  }
}

extension MessageRow.Action {
  /// The label of the action's button: `configuration.texts(action.label)`.
  public var label: ChatConfiguration.ShownText { .button(.init(rawValue: rawValue) ?? .info) }
}

extension HeldMessages.Answer {
  /// The label of the answer's button: `configuration.texts(answer.label)`.
  public var label: ChatConfiguration.ShownText { .button(.init(rawValue: rawValue) ?? .decide) }
}
