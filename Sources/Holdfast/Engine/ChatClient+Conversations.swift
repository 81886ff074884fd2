import Foundation
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// A longer title, in UTF-8 bytes, is refused.
  public static let maximumTitleBytes = 1_000

  /// Makes a conversation on this device. Its first message makes it on the server. Does nothing when it
  /// exists. One that was deleted a moment ago is erased for good, and made anew: nothing undoes its deletion then.
  ///
  /// - Parameter members: the accounts that take part; the owner is added when missing.
  /// - Throws: ``ChatError`` with code `malformedID`, or one that starts with `storage`.
  public nonisolated func createConversation(
    _ id: ConversationID, title: String? = nil, members: [UserID] = []
  ) throws(ChatError) {
    let members = members.contains(user) ? members : [user] + members
    guard id.isWellFormed, members.allSatisfy(\.isWellFormed) else {
      throw ChatError(.malformedID, "An ID is 1 to 255 bytes without control characters.")
    }
    try store.write {
      let id = $0.current(id)
      try $0.eraseToMakeAnew(id)
      try $0.createConversation(id, title: title?.storable, members: members, now: environment.now())
      try $0.restoreHead(of: id)
    }
  }

  /// Gives a conversation a title on this device. Nothing replaces it: neither the first message nor the server. Nil, or
  /// nothing but white space, goes back to the automatic one: the beginning of the first message where nobody else takes
  /// part, else what the server says next, and the other members' names until then.
  ///
  /// ```swift
  /// try client.setTitle("Holiday", of: row.id)
  /// ```
  ///
  /// Costs one transaction, and survives what a message survives. Line breaks become spaces.
  ///
  /// - Throws: ``ChatError`` with code `titleTooLong`, `unknownConversation`, or one that starts with `storage`. The title
  ///   is what it was then.
  public nonisolated func setTitle(_ title: String?, of id: ConversationID) throws(ChatError) {
    let words = (title ?? "").storable.split(whereSeparator: \.isNewline).joined(separator: " ")
    let trimmed = words.trimmingCharacters(in: .whitespacesAndNewlines)
    guard trimmed.utf8.count <= Self.maximumTitleBytes else {
      throw ChatError(
        .titleTooLong,
        "The title has \(trimmed.utf8.count) bytes, \(Self.maximumTitleBytes) are allowed. Shorten it.")
    }
    try store.write { try $0.setTitle(trimmed.isEmpty ? nil : trimmed, of: $0.current(id), by: user) }
  }

  /// The conversation that was on the screen last, for an app that opens there again. Nil: none was, or it is deleted.
  /// While its deletion can be undone it is none, and it is again after Undo. It follows ``renameConversation(_:to:)``.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`.
  public nonisolated func activeConversation() throws(ChatError) -> ConversationID? {
    try store.read { try $0.activeConversation() }
  }

  /// Remembers which conversation is on the screen.
  ///
  /// ```swift
  /// .onChange(of: selection) { try? client.setActiveConversation(selection) }
  /// ```
  ///
  /// Costs a sync when it is another one than before, and nothing else. A crash leaves one or the other.
  ///
  /// - Parameter id: nil when none is.
  /// - Throws: ``ChatError`` with code `unknownConversation`, or one that starts with `storage`.
  public nonisolated func setActiveConversation(_ id: ConversationID?) throws(ChatError) {
    let current = id.map(store.aliases.current)
    guard try activeConversation() != current || current == nil else { return }
    try store.write { transaction in
      if let current { try transaction.requireConversation(current) }
      try transaction.setActiveConversation(current)
    }
  }

  /// What came with a message by an import or from its backend, and that the timeline does not show by itself. Nil: there
  /// is no such message. Costs one small read.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`.
  public nonisolated func messageExtras(of id: MessageID) throws(ChatError) -> MessageExtras? {
    try store.read { try $0.messageExtras(of: id) }.flatMap { found in
      store.deletions.isHidden(found.conversation) ? nil : found.extras
    }
  }
}
