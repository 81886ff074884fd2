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

  /// - Throws: ``ChatError`` with code `malformedID`, `titleTooLong` or `metadataTooLarge`.
  init(
    _ id: ConversationKey, title: String? = nil, members: [UserID], metadata: Data? = nil,
    isOnDevice: Bool = false, of user: UserID
  ) throws(ChatError) {
    self.id = id
    self.members = members.contains(user) ? members : [user] + members
    (self.metadata, self.isOnDevice) = (metadata, isOnDevice)
    guard id.isWellFormed, members.allSatisfy(\.isWellFormed) else {
      throw ChatError.malformedID
    }
    self.title = try Self.titleInOneLine(title)
    try MessageContent(metadata: metadata).requireAdditionsFit()
  }

  /// The title in one line. Nil when nothing can be seen in it.
  static func titleInOneLine(_ title: String?) throws(ChatError) -> String? {
    guard let title, !title.isBlank else { return nil }
    let trimmed = title.storable.split(whereSeparator: \.isNewline).joined(separator: " ").trimmed
    guard trimmed.utf8.count <= Transaction.maximumTitleBytes else {
      throw ChatError(
        .titleTooLong,
        "The title has \(trimmed.utf8.count) bytes, \(Transaction.maximumTitleBytes) are allowed. Shorten it."
      )
    }
    return trimmed
  }
}

extension EngineContext {
  /// Makes the conversation, unless it exists. One that an import made is completed.
  func create(_ new: NewConversation, _ transaction: Transaction) throws {
    let id = transaction.whole(of: new.id)
    try transaction.eraseToMakeAnew(id)
    let isNew = try !transaction.isHere(id)
    try transaction.createConversation(id, title: new.title, members: new.members, now: environment.now())
    try transaction.restoreHead(of: id)
    guard isNew else { return try transaction.completeConversation(id, members: new.members) }
    if let metadata = new.metadata { try transaction.setMetadata(metadata, of: id) }
    if new.isOnDevice || !transport.capabilities.hasServer { try transaction.keepOnDevice(id) }
  }
}
