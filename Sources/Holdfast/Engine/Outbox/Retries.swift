import HoldfastCore

/// Retries failed messages at once.
final class Retries {
  private let unsent: UnsentMessages
  private let outbox: Outbox
  private let link: Link

  init(_ unsent: UnsentMessages, _ outbox: Outbox, _ link: Link) {
    (self.unsent, self.outbox, self.link) = (unsent, outbox, link)
  }

  func retry(message id: MessageID) throws(ChatError) {
    tryNow([try unsent.requeue(id)])
  }

  func retry(conversation id: ConversationKey) throws(ChatError) {
    tryNow([try unsent.liftRefusal(of: id)])
  }

  func retryAll() throws(ChatError) {
    tryNow(try unsent.requeueAll())
  }

  private func tryNow(_ conversations: [ConversationKey]) {
    link.nudge()
    outbox.endWaits(of: conversations)
  }
}
