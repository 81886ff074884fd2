@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastTransport

/// Calls of tests to parts of the engine. The parts do not leave the client's actor.
extension ChatClient {
  func storeTokens() throws { try parts.replies.storeDue(all: true) }
  func hear(_ items: IncomingItem...) throws { try hear(items) }
  func hear(_ items: [IncomingItem]) throws { try parts.inbox.apply(.items(items, cursor: nil)) }
  func noticeOthers() { parts.others.notice() }
  func confirm(_ receipts: [Receipt]) throws { try parts.outbox.confirm(receipts) }
}
