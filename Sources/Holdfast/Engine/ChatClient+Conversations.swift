import Foundation
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// The largest size of a title, in UTF-8 bytes. A longer title is refused.
  package static var maximumTitleBytes: Int { Transaction.maximumTitleBytes }

  /// See ``ChatClient/createConversation(_:title:members:metadata:isOnDevice:)``.
  nonisolated func make(
    _ id: ConversationID, title: String?, members: [UserID], metadata: Data?, isOnDevice: Bool
  ) throws(ChatError) {
    let members = members.contains(user) ? members : [user] + members
    guard id.isWellFormed, members.allSatisfy(\.isWellFormed) else {
      throw ChatError(.malformedID, "An ID is 1 to 255 bytes without control characters.")
    }
    let title = try Self.titleInOneLine(title)
    try MessageContent(metadata: metadata).requireAdditionsFit()
    try store.write {
      let id = $0.current(id)
      try $0.eraseToMakeAnew(id)
      let isNew = try !$0.isHere(id)
      try $0.createConversation(id, title: title, members: members, now: environment.now())
      try $0.restoreHead(of: id)
      if !isNew { try $0.completeConversation(id, members: members) }
      if isNew, let metadata { try $0.setMetadata(metadata, of: id) }
      if isNew, isOnDevice || !transport.guarantees.hasServer { try $0.keepOnDevice(id) }
    }
  }

  nonisolated func setTitle(_ title: String?, of id: ConversationID) throws(ChatError) {
    let title = try Self.titleInOneLine(title)
    try store.write { try $0.setTitle(title, of: $0.current(id), by: user) }
  }

  /// The title in one line. Nil when nothing can be seen in it.
  private static func titleInOneLine(_ title: String?) throws(ChatError) -> String? {
    guard let title, !title.isBlank else { return nil }
    let trimmed = title.storable.split(whereSeparator: \.isNewline).joined(separator: " ").trimmed
    guard trimmed.utf8.count <= maximumTitleBytes else {
      throw ChatError(
        .titleTooLong,
        "The title has \(trimmed.utf8.count) bytes, \(maximumTitleBytes) are allowed. Shorten it.")
    }
    return trimmed
  }

  /// The conversation that was last on the screen, for an app that opens there again. Nil when there was none, or when
  /// it is deleted. An undone deletion brings it back. It follows ``ConversationHandle/rename(to:)``.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`.
  public nonisolated func activeConversation() throws(ChatError) -> ConversationID? {
    try store.read { try $0.activeConversation() }
  }

  /// Stores the conversation that is on the screen.
  ///
  /// ```swift
  /// .onChange(of: selection) { try? client.setActiveConversation(selection) }
  /// ```
  ///
  /// Costs a sync when the conversation differs from the stored one. A crash leaves one or the other.
  ///
  /// - Parameter id: nil when no conversation is on the screen.
  /// - Throws: ``ChatError`` with code `unknownConversation`, or one that starts with `storage`.
  public nonisolated func setActiveConversation(_ id: ConversationID?) throws(ChatError) {
    let current = id.map(store.aliases.current)
    guard try activeConversation() != current || current == nil else { return }
    try store.write { transaction in
      if let current { try transaction.requireConversation(current) }
      try transaction.setActiveConversation(current)
    }
  }

  nonisolated func messageExtras(of id: MessageID) throws(ChatError) -> MessageExtras? {
    try store.read { try $0.messageExtras(of: id) }.flatMap { found in
      store.deletions.isHidden(found.conversation) ? nil : found.extras
    }
  }
}
