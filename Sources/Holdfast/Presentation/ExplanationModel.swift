import Foundation
import HoldfastCore
import HoldfastStore
import Observation

/// Why one message has not gone, for a view: asked again whenever the answer may be another, and at no other time.
///
/// ```swift
/// let why = ExplanationModel(client)
/// why.show(message.id)
/// Text(why.explanation?.sentence ?? "").task { await why.run() }
/// ```
@MainActor @Observable public final class ExplanationModel {
  /// The message that is asked about. Nil: none.
  public private(set) var message: MessageID?
  /// Nil while no message is asked about, and until the first answer. What was said last stays when the store cannot
  /// be read.
  public private(set) var explanation: Explanation?
  @ObservationIgnored private let client: ChatClient
  @ObservationIgnored private let changed = Signal()

  /// A model without a message. ``show(_:)`` chooses one.
  public init(_ client: ChatClient) { self.client = client }

  /// Asks about another message from now on, or about none. Returns at once; ``run()`` brings the answer.
  public func show(_ message: MessageID?) {
    guard message != self.message else { return }
    self.message = message
    explanation = nil
    changed.raise()
  }

  /// Follows the message, the link and the outbox until the task is cancelled. Each change costs a read of a few rows.
  public func run() async {
    // Timelines tell of uploads and of messages that are being written.
    let subscription = client.store.changes.subscribe(changed) {
      $0.standing || !$0.standings.isEmpty || $0.link || $0.outbox || !$0.timelines.isEmpty
    }
    defer { client.store.changes.unsubscribe(subscription) }
    while !Task.isCancelled {
      await ask()
      await changed.wait()
    }
  }

  private func ask() async {
    guard let asked = message, let answer = try? await client.explanation(of: asked) else { return }
    // Another message may have been chosen meanwhile; that one is asked about next.
    if asked == message, answer != explanation { explanation = answer }
  }
}
