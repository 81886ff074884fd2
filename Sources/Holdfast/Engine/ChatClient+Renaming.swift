import Foundation
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// Gives a conversation another ID: a local one is replaced by the server's (SPEC D15). Drafts, versions, the outbox,
  /// the timeline and what is held go with it; composers and timelines on the screen follow, and what is on its way goes
  /// on. What still comes under the old ID, an echo, a receipt or a page, belongs to the conversation; so does what the
  /// app does under it.
  ///
  /// ```swift
  /// try await client.renameConversation("local-7", to: ConversationID(rawValue: response.threadID))
  /// ```
  ///
  /// Where the new ID has a conversation already, because the server's events came first, the two become one: the
  /// messages stand in the server's order, and the texts of both drafts are joined. A conversation that got the new ID
  /// before is left as it is, so that an app that was killed in between may ask again.
  ///
  /// One transaction: a crash leaves either ID, with everything. It costs a write for each message of the conversation.
  ///
  /// - Throws: ``ChatError`` with code `unknownConversation`, `malformedID`, `sameConversation`, or one that starts with
  ///   `storage`. Nothing was changed then.
  public func renameConversation(_ old: ConversationID, to new: ConversationID) throws(ChatError) {
    guard old.isWellFormed, new.isWellFormed else {
      throw ChatError(.malformedID, "An ID is 1 to 255 bytes without control characters.")
    }
    guard old != new else {
      throw ChatError(.sameConversation, "The conversation has this ID already. Give another one.")
    }
    store.lookForRenames()
    let current = store.aliases.current(old)
    guard current != new else { return outbox.followRenames() }
    try drafts.rename(current, to: new) { try $0.renameConversation(current, to: new) }
    outbox.followRenames()
    replies.followRenames()
  }
}
