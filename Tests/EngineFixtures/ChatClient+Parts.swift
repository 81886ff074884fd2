@testable import Holdfast
@testable import HoldfastTransport

/// Calls of tests to parts of the engine. The parts do not leave the client's actor.
extension ChatClient {
  package func storeTokens() throws { try parts.replies.storeDue(all: true) }
  package func hear(_ items: IncomingItem...) throws { try hear(items) }
  package func hear(_ items: [IncomingItem]) throws { try parts.inbox.apply(.items(items, cursor: nil)) }
  package func noticeOthers() { parts.others.notice() }
  package func confirm(_ receipts: [Receipt]) throws { try parts.outbox.confirm(receipts) }
}
