import Foundation

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
    let current = store.aliases.current(old)
    guard current != new else { return }
    try drafts.rename(current, to: new) { try $0.renameConversation(current, to: new) }
    renameLane(current, to: new)
    for (id, buffer) in buffers where buffer.conversation == current { buffers[id]?.conversation = new }
    for index in outgoingPieces.indices where outgoingPieces[index].conversation == current {
      outgoingPieces[index].conversation = new
    }
    outboxSignal.raise()
  }

  /// What is on its way stays on its way. Two lanes with messages on their way cannot be one: theirs leave again, in the
  /// order of the outbox, under the IDs by which the server knows them.
  private func renameLane(_ old: ConversationID, to new: ConversationID) {
    lanesToVisit.insert([new])
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

  /// What the server says, with the IDs that conversations have now.
  func underCurrentIDs(_ event: TransportEvent) -> TransportEvent {
    guard !store.aliases.isEmpty else { return event }
    switch event {
    case .ready, .refused: return event
    case .items(let items, let cursor): return .items(items.map(underCurrentID), cursor: cursor)
    case .receipts(let receipts):
      return .receipts(
        receipts.map { receipt in
          var receipt = receipt
          receipt.conversation = store.aliases.current(receipt.conversation)
          return receipt
        })
    case .piece(var piece):
      piece.conversation = store.aliases.current(piece.conversation)
      return .piece(piece)
    }
  }

  private func underCurrentID(_ item: IncomingItem) -> IncomingItem {
    switch item {
    case .conversation(var conversation):
      conversation.id = store.aliases.current(conversation.id)
      return .conversation(conversation)
    case .message(var message):
      message.conversation = store.aliases.current(message.conversation)
      return .message(message)
    }
  }
}
