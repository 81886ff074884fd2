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
    guard current != new else { return followRenames() }
    try drafts.rename(current, to: new) { try $0.renameConversation(current, to: new) }
    followRenames()
    outboxSignal.raise()
  }

  /// What is under way in a conversation that has another ID now, given here or by another process, is carried over.
  func followRenames() {
    guard seenRenames != store.aliases.renames else { return }
    seenRenames = store.aliases.renames
    let renamed = lanes.keys.filter { store.aliases.current($0) != $0 }
    for id in renamed.sorted(by: { $0.rawValue < $1.rawValue }) {
      renameLane(id, to: store.aliases.current(id))
    }
    for (id, buffer) in buffers { buffers[id]?.conversation = store.aliases.current(buffer.conversation) }
    outgoingPieces.rename(store.aliases.current)
  }

  /// What is on its way stays on its way. Two lanes with messages on their way cannot be one: theirs leave again, in the
  /// order of the outbox, under the IDs by which the server knows them.
  private func renameLane(_ old: ConversationID, to new: ConversationID) {
    lanesToVisit.insert([new])
    if let waiting = waitingForUploads.removeValue(forKey: old), waitingForUploads[new] == nil {
      waitingForUploads[new] = waiting
    }
    guard let lane = lanes.removeValue(forKey: old) else { return }
    guard let other = lanes[new], !other.isIdle else {
      lanes[new] = lane
      return
    }
    guard !lane.isIdle else { return }
    lanes[new] = nil
    let recalled = lane.flights + other.flights
    do {
      try store.writeUnsynced { try $0.forgetDepartures(recalled, areRefused: false) }
    } catch {
      // They count as departures without an answer then, which stops a message only after many.
      logger.error("departures not recalled", metadata: ["code": "\(error.code)"])
    }
  }

  /// What the server says, with the ID that its conversation has now: asked within the
  /// transaction, since another process may rename one at any time.
  func underCurrentID(_ item: IncomingItem) -> IncomingItem {
    guard !store.aliases.isEmpty else { return item }
    switch item {
    case .conversation(var conversation):
      conversation.id = store.aliases.current(conversation.id)
      return .conversation(conversation)
    case .message(var message):
      message.conversation = store.aliases.current(message.conversation)
      return .message(message)
    }
  }

  func underCurrentID(_ receipt: Receipt) -> Receipt {
    var receipt = receipt
    receipt.conversation = store.aliases.current(receipt.conversation)
    return receipt
  }

  func underCurrentID(_ piece: StreamPiece) -> StreamPiece {
    var piece = piece
    piece.conversation = store.aliases.current(piece.conversation)
    return piece
  }
}
