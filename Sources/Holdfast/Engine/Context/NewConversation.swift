import Foundation
import HoldfastCore
import HoldfastStore

/// A conversation that an app makes, with values that the store can keep.
struct NewConversation {
  let id: ConversationKey
  let title: String?
  let members: [UserID]
  let metadata: Data?
  let isOnDevice: Bool
  /// Whether its ID was made here, so that no server has it.
  let isMadeHere: Bool

  /// - Throws: ``ChatError`` with code `malformedID`, `titleTooLong` or `metadataTooLarge`.
  init(
    _ id: ConversationKey, title: String? = nil, members: [UserID], metadata: Data? = nil,
    isOnDevice: Bool = false, isMadeHere: Bool = false, of user: UserID
  ) throws(ChatError) {
    self.id = id
    self.members = members.contains(user) ? members : [user] + members
    (self.metadata, self.isOnDevice, self.isMadeHere) = (metadata, isOnDevice, isMadeHere)
    guard id.isWellFormed, members.allSatisfy(\.isWellFormed) else {
      throw ChatError.malformedID
    }
    self.title = try Self.titleInOneLine(title)
    try MessageContent(metadata: metadata).require()
  }

  /// The title in one line. Nil when it has no visible character.
  static func titleInOneLine(_ title: String?) throws(ChatError) -> String? {
    guard let title, !title.isBlank else { return nil }
    let trimmed = title.storable.split(whereSeparator: \.isNewline).joined(separator: " ").trimmed
    guard trimmed.utf8.count <= ConversationTitle.maximumBytes else {
      throw ChatError(
        .titleTooLong,
        "The title has \(trimmed.utf8.count) bytes, \(ConversationTitle.maximumBytes) are allowed. Shorten it."
      )
    }
    return trimmed
  }
}

extension EngineContext {
  /// Makes the conversation, unless it exists. One that an import made is completed.
  func create(_ new: NewConversation, _ transaction: Transaction) throws {
    let id = transaction.whole(of: new.id)
    try transaction.deletions.eraseToMakeAnew(id)
    let isNew = try !transaction.conversations.isHere(id)
    try transaction.conversations.create(id, title: new.title, members: new.members, now: environment.now())
    try transaction.deletions.restoreHead(of: id)
    guard isNew else { return try transaction.conversations.complete(id, members: new.members) }
    if new.isMadeHere { try transaction.history.noteMade(id) }
    if let metadata = new.metadata { try transaction.conversations.setMetadata(metadata, of: id) }
    if new.isOnDevice || !transport.capabilities.hasServer { try transaction.conversations.keepOnDevice(id) }
  }
}
