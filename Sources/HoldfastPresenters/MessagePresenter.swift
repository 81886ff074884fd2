import Foundation
import Holdfast

/// Decides the look of rows: the line under a message, the actions of a tap, and where a group and a day begin. Pure.
package struct MessagePresenter: Sendable {
  private let texts: @Sendable (ChatConfiguration.ShownText) -> String
  private let name: @Sendable (UserID) -> String
  private let calendar: Calendar
  private let replies: Set<MessageAction.Kind>

  /// - Parameters:
  ///   - texts: makes the app's texts: ``ChatConfiguration/texts``.
  ///   - name: the name of a member.
  ///   - calendar: decides where a day begins.
  ///   - replies: the actions on replies that this app's model can carry out. No other is shown.
  package init(
    texts: @escaping @Sendable (ChatConfiguration.ShownText) -> String,
    name: @escaping @Sendable (UserID) -> String = { $0.assistantName ?? $0.rawValue },
    calendar: Calendar = .autoupdatingCurrent, replies: Set<MessageAction.Kind> = MessageAction.Kind.ofReplies
  ) {
    (self.texts, self.name, self.calendar) = (texts, name, calendar)
    self.replies = replies
  }

  /// Decides with the texts and names of a client's app.
  package init(_ client: ChatClient, replies: Set<MessageAction.Kind> = MessageAction.Kind.ofReplies) {
    let names = client.names
    self.init(
      texts: client.configuration.texts, name: { names.name(of: $0) }, replies: replies)
  }

  /// Presents the rows of a timeline, oldest first.
  package func present(_ rows: [MessageRow]) -> [PresentedMessage] {
    rows.indices.map { index in
      let before = index > rows.startIndex ? rows[index - 1] : nil
      let next = index + 1 < rows.endIndex ? rows[index + 1] : nil
      return present(rows[index], after: before, before: next)
    }
  }

  /// Presents one row between its neighbours.
  package func present(_ row: MessageRow, after before: MessageRow?, before next: MessageRow?)
    -> PresentedMessage
  {
    let isCutOff = row.isCutOff
    let line = line(row)
    let reacts = row.status.state == .delivered && row.actions.contains(.react)
    return PresentedMessage(
      id: row.id, isOwn: row.isOwnWord, beginsDay: before.map { !isSameDay($0, row) } ?? true,
      beginsGroup: before.map { !isSameGroup($0, row) } ?? true,
      endsGroup: next.map { !isSameGroup($0, row) } ?? true,
      isLarge: row.isLarge, body: row.note ?? row.text, isCutOff: isCutOff,
      showsReasoning: row.reasoning != nil && row.text.isEmpty
        && (isCutOff || row.status.state == .streaming),
      line: line, tap: row.isUnsent ? row.actions.compactMap(unsent) : [],
      reason: row.isUnsent ? row.status.failure?.explanation : nil, menu: menu(row), canReact: reacts,
      spoken: [row.senderName, row.note ?? row.text, line.text ?? line.receipt?.text ?? ""]
        .filter { !$0.isEmpty }.joined(separator: ", "))
  }

  private func isSameGroup(_ one: MessageRow, _ other: MessageRow) -> Bool {
    one.sender == other.sender && one.role == other.role && isSameDay(one, other)
  }

  private func isSameDay(_ one: MessageRow, _ other: MessageRow) -> Bool {
    calendar.isDate(one.createdAt, inSameDayAs: other.createdAt)
  }

  private func line(_ row: MessageRow) -> PresentedMessage.Line {
    if row.isCutOff {
      let reason = row.status.failure?.explanation
      return .init(
        look: reason == nil ? .badge : .failed, text: row.status.text, reason: reason,
        buttons: row.actions.compactMap(reply))
    }
    if row.status.state == .streaming {
      return .init(
        look: .quiet, text: texts(.writing),
        buttons: row.isWrittenHere ? [MessageAction(.stopReply, .stop, texts)] : [])
    }
    guard row.status.tone == .delivered else {
      return .init(look: .init(row.status.tone), text: row.status.text)
    }
    // A waiting edit has its own line, which shows that the message is edited.
    let isEdited = !row.isDeleted && row.operation?.kind != .edit
    return .init(
      look: .time, editedAt: isEdited ? row.editedAt : nil, change: row.operation.map(change),
      receipt: row.isOwnWord && !row.isDeleted ? receipt(row) : nil)
  }

  private func receipt(_ row: MessageRow) -> PresentedMessage.Receipt {
    guard !row.readBy.isEmpty else { return .init(isRead: false, text: texts(.delivered)) }
    return .init(isRead: true, text: texts(.readBy(row.readBy.map(name))))
  }

  private func change(_ operation: MessageRow.Operation) -> PresentedMessage.Change {
    let isFailed = operation.status.state == .failed
    return .init(
      id: operation.id, look: isFailed ? .failed : .init(operation.status.tone),
      text: operation.status.text ?? "",
      reason: operation.status.failure?.explanation,
      offers: [
        isFailed ? MessageAction(.retry, .retry, texts) : MessageAction(.info, .info, texts),
        givingUp(operation.kind),
      ])
  }

  /// The action that gives up an operation, labelled by the result.
  private func givingUp(_ kind: MessageOperation.Kind) -> MessageAction {
    switch kind {
    case .edit: MessageAction(.cancel, .discardEdit, texts, isDestructive: true)
    case .delete: MessageAction(.cancel, .keepMessage, texts)
    case .react: MessageAction(.cancel, .discardReaction, texts, isDestructive: true)
    case .unreact: MessageAction(.cancel, .keepReaction, texts)
    }
  }

  /// An action of an unsent message.
  private func unsent(_ action: MessageRow.Action) -> MessageAction? {
    switch action {
    case .retry: MessageAction(.retry, .retry, texts)
    case .decide: MessageAction(.decide, .decide, texts)
    case .edit: MessageAction(.takeBack, .edit, texts)
    case .cancel: MessageAction(.cancel, .cancel, texts, isDestructive: true)
    case .delete: MessageAction(.cancel, .delete, texts, isDestructive: true)
    case .info: MessageAction(.info, .info, texts)
    case .react, .continueReply, .retryReply, .regenerateReply, .keepEarlierReply: nil
    }
  }

  /// An action of a reply that was interrupted.
  private func reply(_ action: MessageRow.Action) -> MessageAction? {
    switch action {
    case .continueReply:
      replies.contains(.continueReply) ? MessageAction(.continueReply, .continueReply, texts) : nil
    case .retryReply: replies.contains(.retryReply) ? MessageAction(.retryReply, .retryReply, texts) : nil
    case .keepEarlierReply: MessageAction(.keepEarlierReply, .keepEarlierReply, texts)
    case .delete: MessageAction(.delete, .delete, texts)
    case .retry, .decide, .edit, .cancel, .info, .react, .regenerateReply: nil
    }
  }

  private func menu(_ row: MessageRow) -> [MessageAction]? {
    guard row.status.state == .delivered, !row.actions.isEmpty else { return nil }
    let earlier = row.versions > 0 ? [MessageAction(.restoreReply, .restoreReply, texts)] : []
    return [MessageAction(.reply, .reply, texts)] + earlier + row.actions.compactMap(delivered)
  }

  private func delivered(_ action: MessageRow.Action) -> MessageAction? {
    switch action {
    case .edit: MessageAction(.beginEdit, .edit, texts)
    case .delete: MessageAction(.delete, .deleteForEverybody, texts, isDestructive: true)
    case .regenerateReply:
      replies.contains(.regenerateReply) ? MessageAction(.regenerateReply, .regenerateReply, texts) : nil
    case .retry, .decide, .cancel, .info, .react, .continueReply, .retryReply, .keepEarlierReply: nil
    }
  }
}

extension MessageRow {
  /// Whether the user wrote the message. An assistant's answer is also sent from this device, and does not count.
  package var isOwnWord: Bool { isMine && role == .user }

  /// Whether it is a reply that stopped before its end, or whose writer failed.
  var isCutOff: Bool {
    status.state == .interrupted || actions.contains(.retryReply) || status.failure?.code == .replyFailed
  }

  /// Whether it is an unsent message.
  package var isUnsent: Bool { status.isUnsent && !isCutOff }

  /// Whether the message is one to three emoji and nothing else.
  var isLarge: Bool {
    guard !isDeleted, quote == nil, attachments.isEmpty, (1...3).contains(content.text.count) else {
      return false
    }
    return content.text.allSatisfy(\.isEmoji)
  }
}

extension Character {
  /// Whether it is shown as an emoji: by itself, or because of a selector (Unicode Technical Standard 51). A digit is
  /// none.
  fileprivate var isEmoji: Bool {
    guard let first = unicodeScalars.first else { return false }
    return first.properties.isEmojiPresentation
      || (first.properties.isEmoji && unicodeScalars.dropFirst().contains { $0.value == 0xFE0F })
  }
}

extension PresentedMessage.Line.Look {
  init(_ tone: MessageStatus.Tone) {
    self =
      switch tone {
      case .sending: .quiet
      case .queued: .badge
      case .delivered: .time
      case .failed: .failed
      }
  }
}
